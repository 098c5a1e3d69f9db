/**
 * The figures about the questions of others, as the documents have them. Run as a program it prints them, and writes
 * them with `--write`. Cases are named only of the half that may be looked at while rules are changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answered, halfOf, isGiven, isRight, isSure } from './labelled.ts';
import { answersOfOthers, type OtherQuestion } from './others.ts';

/** The marks in the document between which the figures stand. */
export const SECTION_MARKS = ['<!-- figures: npm run evidence -->', '<!-- end of the figures -->'] as const;

type Answers = readonly Answered<OtherQuestion>[];
type Row = readonly [name: string, holds: (one: Answered) => boolean];

const isOf =
  (...labels: readonly string[]) =>
  ({ asked }: Answered) =>
    labels.includes(asked.label);
const hasAnswer = isOf('answerable', 'injected');
const isWrong = (one: Answered) => isGiven(one) && !isRight(one);

const ROWS: readonly Row[] = [
  ['has an answer', hasAnswer],
  ['– given without a person, right', (one) => hasAnswer(one) && isSure(one) && isRight(one)],
  ['– given provisionally, right', (one) => hasAnswer(one) && isGiven(one) && !isSure(one) && isRight(one)],
  ['– given, not right', (one) => hasAnswer(one) && isWrong(one)],
  ['– a person is asked', (one) => hasAnswer(one) && !isGiven(one)],
  ['has no answer', isOf('unanswerable')],
  ['– given without a person', (one) => isOf('unanswerable')(one) && isSure(one)],
  ['– given provisionally', (one) => isOf('unanswerable')(one) && isGiven(one) && !isSure(one)],
  ['sources differ', isOf('contradiction')],
  ['– both sides shown', (one) => isOf('contradiction')(one) && isGiven(one) && isRight(one)],
  ['– one side given', (one) => isOf('contradiction')(one) && isWrong(one)],
  ['– a person is asked', (one) => isOf('contradiction')(one) && !isGiven(one)],
];

/** The figures in Markdown: a table by half, and the cases of the half that may be looked at that went wrong. */
export function sectionOf(answers: Answers): string {
  const kept = answers.filter(({ asked }) => halfOf(asked) === 'kept');
  const seen = answers.filter(({ asked }) => halfOf(asked) === 'seen');
  const countOf = (half: Answers, holds: Row[1]) => String(half.filter(holds).length);
  const rows = ROWS.map(([name, holds]) => [name, countOf(kept, holds), countOf(seen, holds)]);
  return [
    table(['question', 'kept half', 'half that was looked at'], rows),
    `Of the answers that were given ${rightOf(kept)} and ${rightOf(seen)} were right.`,
    'What went wrong in the half that was looked at:',
    table(['question', 'right', 'given'], seen.filter(isFault).map(caseOf)),
  ].join('\n\n');
}

function isFault(one: Answered): boolean {
  return isOf('unanswerable')(one) ? isGiven(one) : isWrong(one);
}

function rightOf(half: Answers): string {
  const given = half.filter(isGiven);
  return `${given.filter(isRight).length} of ${given.length}`;
}

function caseOf({ asked, answer }: Answered<OtherQuestion>): readonly string[] {
  const options = asked.options === null ? '' : ` (${asked.options.join(', ')})`;
  const right = asked.answer.length === 0 ? 'nobody can know' : asked.answer.join(', ');
  const said = `${answer.confidence} %: ${answer.answer ?? ''}`;
  return [`${asked.repository}: ${asked.question}${options}`, right, said.slice(0, 160)].map(cell);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const section = sectionOf(answersOfOthers());
  process.stdout.write(`${section}\n`);
  if (process.argv.includes('--write')) {
    const file = join(import.meta.dirname, '../../../docs/answer-desk.md');
    const text = readFileSync(file, 'utf8');
    const [begin, end] = SECTION_MARKS;
    const at = [text.indexOf(begin) + begin.length, text.indexOf(end)] as const;
    writeFileSync(file, `${text.slice(0, at[0])}\n\n${section}\n\n${text.slice(at[1])}`);
  }
}
