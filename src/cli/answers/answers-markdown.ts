/**
 * Kept answers as a document in Markdown. People's words cannot change its form: an answer is indented, which Markdown
 * shows as it stands, and a text within a line has its signs escaped. Equal answers give equal documents. Pure.
 */
import { type KeptAnswer } from '../../machines/answers/desk-precedents.ts';
import { plainLine, plainText } from '../../plain-text.ts';
import { timeText } from '../store/stopped-store.ts';

/** The signs by which Markdown marks parts of a line. */
const SIGNS = /[\\`*_{}[\]<>&#|~!$]/g;

const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** The beginning of the document. */
export const MARKDOWN_HEAD =
  '# What people have decided\n\n' +
  'Answers that are kept for all who ask, the earliest first; written by `bosun answers export`.\n';

/** The section of one answer. */
export function sectionOf(kept: KeptAnswer): string {
  const { question, text, answer, ticket, earlier } = kept;
  const about = [inLine(question), ...(ticket === null ? [] : [inLine(ticket)]), holdsFor(kept)];
  const parts = [
    `## ${inLine(text)}`,
    asItStands(answer),
    `Said by ${saidBy(kept)}; ${about.join('; ')}.`,
    ...earlier.flatMap((said) => [`Said before by ${saidBy(said)}, and true no longer:`, asItStands(said.answer)]),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

/** The author of a saying, with its time and reason. */
function saidBy({ by, atMs, reason }: Pick<KeptAnswer, 'by' | 'atMs' | 'reason'>): string {
  return `${inLine(by)}, ${timeText(atMs)}${reason === null ? '' : ` (${inLine(reason)})`}`;
}

/** The words for whom an answer holds. */
function holdsFor({ scope, planVersion }: Pick<KeptAnswer, 'scope' | 'planVersion'>): string {
  const plan = planVersion === null ? '' : `, version ${inLine(planVersion) || 'without a name'} of the plan alone`;
  return `for ${scope === null ? 'all' : inLine(scope)}${plan}`;
}

/** A text within a line. */
function inLine(text: string): string {
  return plainLine(text).replace(SIGNS, '\\$&');
}

/** A text of several lines, which Markdown shows as it stands. */
function asItStands(text: string): string {
  const lines = text.split(LINE_END).map((line) => plainText(line).trimEnd());
  return lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
}
