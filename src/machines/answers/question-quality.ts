/**
 * Whether an agent's question can be answered at all (MX-E05, MX-E06), and whether it has to be asked (MX-051, MX-052).
 * A question is vague where nothing in it says what it is about, and scope creep where it asks for leave to change a
 * whole instead of a part. Decides by the form of the text alone. Pure.
 */
import { z } from 'zod';
import { contentWords } from './words.ts';

/** The kinds of doubt about which a coding agent asks (MX-051). */
export const DOUBTS = [
  'feature_strategy',
  'technology_choice',
  'design_system',
  'error_handling',
  'security',
  'test_strategy',
] as const;
export const doubt = z.enum(DOUBTS);

/** The confidence of an asker, in percent, from which on it continues without asking (MX-052). */
export const SURE_PERCENT = 95;

/** Questions of a coding agent about one task at most (MX-107). */
export const QUESTIONS_PER_TASK = 8;

/** Whether an agent with a doubt must ask, by its confidence in percent. */
export function hasToAsk(confidence: number): boolean {
  return confidence < SURE_PERCENT;
}

/** The verdict on a question: good, or the reason for refusing it and how to improve it. */
export type Quality =
  | { readonly isGood: true }
  | { readonly isGood: false; readonly reason: 'vague' | 'scope_creep'; readonly why: string };

const GOOD: Quality = { isGood: true };

/** Matches verbs for work on a whole. */
const WHOLESALE = anyOf(
  're-?(?:factor|write|design|build|structure|organi[sz]e|work|architect)',
  ...['migrate', 'overhaul', 'moderni[sz]e', 'port', 'convert', 'replace', 'rip out'],
);

/** Matches words for a whole. */
const WHOLE = anyOf(
  ...['entire', 'whole', 'complete(?:ly)?', 'all', 'everything', 'every', 'across', 'from scratch'],
  ...['code ?base', 'project', 'repo(?:sitory)?', 'architecture', 'application'],
);

/** Matches the name of one thing: an identifier, a path, a route, a number, a quotation or an abbreviation. */
const NAMES_ONE_THING =
  /[a-z0-9][A-Z]|\w_\w|\w\/\w|\s\/\w|\w\(\)|\w\.[a-z]{1,5}\b|\d|["'`‘“][^"'`’”]{2,}["'`’”]|\b[A-Z]{2,}\b/;

/** Matches a choice between two named things: `left or right`, `tabs vs. spaces`. */
const OFFERS_A_CHOICE = /\w[\w.+#-]*,? (?:or|vs\.?|versus) (?!not\b|so\b|something\b)\w/i;

/** Words that occur in any question and so name no subject. */
const GENERIC = new Set(
  contentWords(
    'handle deal do doing make approach implement write code coding error errors exception failure thing ' +
      'things stuff data file files test tests testing security performance logging log design style issue ' +
      'issues problem problems best better good right correct correctly proper properly way practice help ' +
      'advice idea think recommend suggestion next start continue fix work works working structure module ' +
      'component feature function everything something anything nothing project app application system ' +
      'stack case cases edge validate validation naming name improve clean safe ok option options new',
  ),
);

/** The fewest words with a subject that a question needs if it neither offers a choice nor names one thing. */
const SUBJECT_WORDS_MIN = 2;

/**
 * Judges a question.
 *
 * @param options The answers that the asker considers possible.
 */
export function qualityOf(question: string, options: readonly string[] = []): Quality {
  if (WHOLESALE.test(question) && WHOLE.test(question))
    return refusal('scope_creep', 'it asks for leave to change a whole: ask about the one part that the task needs');
  if (options.length >= 2 || OFFERS_A_CHOICE.test(question) || NAMES_ONE_THING.test(question)) return GOOD;
  const subject = contentWords(question).filter((word) => !GENERIC.has(word));
  if (subject.length >= SUBJECT_WORDS_MIN) return GOOD;
  return refusal('vague', 'it does not say what it is about: name the file, the route or the value, and the choice');
}

function anyOf(...words: string[]): RegExp {
  return new RegExp(`\\b(?:${words.join('|')})\\b`, 'i');
}

function refusal(reason: 'vague' | 'scope_creep', why: string): Quality {
  return { isGood: false, reason, why };
}
