/**
 * The parts of a question, each with what would answer it: one of several options, yes or no, a number, a time, a
 * person, or anything definite. Found by the words of English questions; a text of another kind has one open part.
 * Pure.
 */
import { anyOf, words } from './word-patterns.ts';

/** A part of a question. */
export type QuestionPart = {
  readonly text: string;
} /** `isYesOrNo`: the words of the question ask for a yes or no, whatever the options are. */ & (
  | { readonly wants: 'option'; readonly options: readonly string[]; readonly isYesOrNo?: boolean }
  | { readonly wants: 'yes-or-no' | 'number' | 'time' | 'person' | 'anything' }
);

/** Words that begin a question about one of the things that follow. */
const VERBS = 'should|shall|do|does|did|is|are|was|were|can|could|may|must|will|would|has|have';
const ASKING = `which|what|how|who|whom|whose|when|where|why|${VERBS}`;

/** Matches the boundary between two parts of a sentence. */
const NEXT_PART = new RegExp(
  anyOf(
    `(?:,|;)?\\s+(?:and|or|but)\\s+(?=(?:(?:from|by|until|since|for|to|in|at|on|with) )?(?:${ASKING})\\b)`,
    '[,;]\\s+(?=(?:which|what|how|who|when|where|why)\\b)',
  ),
  'i',
);

const YES_OR_NO = new RegExp(`^(?:so |and |but |then |please )?(?:${VERBS})\\b`, 'i');
const QUANTITY = anyOf(
  'response times?|latency|throughput|quota|discount|fee|duration',
  'number|limit|size|length|port|percentage|share|rate|budget|amount|price|timeout|threshold|interval|version',
);
const NUMBER = new RegExp(
  words(
    'how (?:many|much|long|often|old|large|big|high|fast|deep)|what (?:does|do|did|will|would) .{1,80} cost',
    `(?:what|which)(?: is| are| should)? (?:the|our|your) (?:\\w+ ){0,3}${QUANTITY}`,
    `(?:what|which) (?:\\w+ )?${QUANTITY}`,
  ),
  'i',
);
const TIME = /^(?:since |until |by )?when\b|\b(?:what|which) (?:date|day|time|week|month|quarter|year)\b/i;
const PERSON = /^(?:by |for |to |with )?(?:who|whom|whose)\b/i;

/** Words before the first of two options that do not belong to it. */
const INTRODUCES = [
  'we|i|you|they|it|use|using|take|choose|pick|prefer|want|need|keep|support|return|send|store|be',
  'at least|at most|with|in|to|as|for|on|by|a|an|the',
];
const BEFORE_OPTIONS = new RegExp(`^(?:.*${words(ASKING, ...INTRODUCES)}\\s+)`, 'i');

/** Words that follow the last option. */
const AFTER_OPTIONS =
  /\s+(?:for|in|on|at|to|as|when|if|with|of|from|by|during|after|before|instead|here|there|then|now)\b.*$/i;

/** The parts of a question: the options of a form, or those that the text names, as in `left or right?`. */
export function partsOf({
  title,
  description,
  options,
}: {
  readonly title: string;
  readonly description: string;
  readonly options: readonly string[];
}): readonly QuestionPart[] {
  if (options.length > 1) {
    // A ticket with options asks for one of them; further questions in its text are explanations.
    const isYesOrNo = partOf(title.trim()).wants === 'yes-or-no';
    return [{ text: title, wants: 'option', options, isYesOrNo }];
  }
  // A description often says the title again; that is not a second question.
  const bySaying = [...questionsIn(title), ...questionsIn(description)].map((one) => [one.toLowerCase(), one] as const);
  const asked = [...new Map(bySaying).values()];
  const texts = asked.length === 0 ? [title] : asked;
  return texts.flatMap((text) => text.split(NEXT_PART)).map((text) => partOf(text.trim()));
}

function questionsIn(text: string): readonly string[] {
  return text
    .split(/(?<=[.?!])\s+|\n+/)
    .filter((sentence) => sentence.trim().endsWith('?'))
    .map((sentence) => sentence.trim().replace(/\?+$/, ''));
}

function partOf(text: string): QuestionPart {
  const options = alternativesIn(text);
  if (options.length > 1) return { text, wants: 'option', options };
  if (NUMBER.test(text)) return { text, wants: 'number' };
  if (TIME.test(text)) return { text, wants: 'time' };
  if (PERSON.test(text)) return { text, wants: 'person' };
  return { text, wants: YES_OR_NO.test(text) ? 'yes-or-no' : 'anything' };
}

/** The alternatives of an either-or question; empty for any other question. */
function alternativesIn(text: string): readonly string[] {
  const [left, ...others] = text.split(/\s+or\s+(?:else\s+)?/i);
  if (others.length === 0 || left === undefined) return [];
  const last = cut(others.at(-1)!.replace(AFTER_OPTIONS, ''));
  const list = [left, ...others.slice(0, -1)].join(', ').split(/\s*[,:]\s+/);
  const named = list.map((one, index) => cut(index === 0 ? one.replace(BEFORE_OPTIONS, '') : one));
  // In a list, the words before the first comma may be an introduction: `Which one: A, B or C`.
  const firsts = named.filter((one) => one !== '' && one.split(/\s+/).length <= 5);
  if (firsts.length === 0 || last === '' || last.split(/\s+/).length > 8 || /^(?:not|no)$/i.test(last)) return [];
  return [...firsts, last];
}

function cut(text: string): string {
  return text
    .replace(/^(?:either|the|a|an|to|in|by|with|as|for|use|whether)\s+/i, '')
    .replace(/[\s"'`.,;:!?]+$/, '')
    .replace(/^["'`]+/, '')
    .trim();
}
