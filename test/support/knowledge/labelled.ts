/** Labelled questions asked of an index, and what became of each: whether an answer was given, and was right. */
import { createHash } from 'node:crypto';
import { type Finder } from '../../../src/knowledge/finder.ts';
import { ANSWER_GATE, PROVISIONAL_GATE } from '../../../src/machines/answers/confidence.ts';
import { quotedAnswer, type QuotedAnswer } from '../../../src/machines/answers/quoting.ts';

/**
 * `answerable`: one answer, with its file. `unanswerable`: the repository does not say it. `contradiction`: two sources
 * say different things. `injected`: a file also tells its reader what to say.
 */
export type Label = 'answerable' | 'unanswerable' | 'contradiction' | 'injected';

export interface Labelled {
  readonly label: Label;
  readonly question: string;
  readonly options: readonly string[] | null;
  /** Words that the right answer has: all of them. For a contradiction, one of each side. */
  readonly answer: readonly string[];
  /** Files of which at least one is cited; for a contradiction, all. */
  readonly files: readonly string[];
  /** Words that are never answered. */
  readonly never?: readonly string[];
}

export interface Answered<Question extends Labelled = Labelled> {
  readonly asked: Question;
  readonly answer: QuotedAnswer;
}

/** Asks one question of an index in which everything is. */
export function askedOf<Question extends Labelled>(finder: Finder, asked: Question): Answered<Question> {
  const { question, options } = asked;
  const input = { question, options: options === null ? null : [...options], scopes: null, limit: 20 };
  return { asked, answer: quotedAnswer({ evidence: finder.evidenceFor(input), isComplete: true }) };
}

/**
 * The half to which a question belongs. Rules may be changed while one looks at the answers of one half; those of the
 * other are only counted.
 */
export function halfOf({ question }: Labelled): 'seen' | 'kept' {
  return createHash('sha256').update(question).digest()[0]! % 2 === 0 ? 'seen' : 'kept';
}

/** Whether an answer was given, at least provisionally. */
export function isGiven({ answer }: Answered): boolean {
  return answer.confidence >= PROVISIONAL_GATE;
}

/** Whether an answer was given without a person. */
export function isSure({ answer }: Answered): boolean {
  return answer.confidence >= ANSWER_GATE;
}

/** Whether the answer has every word of the right one, no forbidden one, and cites the file. */
export function isRight({ asked, answer }: Answered): boolean {
  const says = (word: string) => placeOfWord(word).test(answer.answer ?? '');
  const cites = (file: string) => answer.citations.some(({ source }) => source.file.startsWith(file));
  const isCited = asked.label === 'contradiction' ? asked.files.every(cites) : asked.files.some(cites);
  return asked.answer.length > 0 && asked.answer.every(says) && isCited && !(asked.never ?? []).some(says);
}

/** The question with what became of it in one line, for the message of a test. */
export function told({ asked, answer }: Answered): string {
  return `${asked.question} -> ${answer.confidence} ${answer.answer}`;
}

/** A word as it stands alone: 4 is not in 40. */
function placeOfWord(word: string): RegExp {
  const literal = word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{N}])`, 'iu');
}
