/**
 * People's answers, kept for later questions (AT-028, R-15). They are found by the words of a question, and superseded
 * by later answers but never lost. A part of the answer desk's context, spread over tables. Pure.
 */
import { table, type Table } from '../../table.ts';
import { PRECEDENTS_KEPT_MAX } from '../limits.ts';
import { numberKey } from '../rules/table-keys.ts';
import { type Evidence, EXCERPT_CHARS_MAX, sameValue } from './evidence.ts';
import { PERSON_PERCENT } from './ask-replies.ts';
import { indexedWith, indexedWithout, type Postings, sharing } from './precedent-index.ts';
import { PRECEDENT_SCOPE } from './question-rules.ts';
import { contentWords, normalised } from './words.ts';

/** The similarity of two questions, from 0 to 1, from which one answer serves both. */
export const SAME_QUESTION = 0.75;
/** The similarity from which a person's answer to one question is evidence for the other. */
const SIMILAR_QUESTION = 0.4;

/** Most candidates whose questions are compared in full, those that share most words first. */
const COMPARED_MAX = 64;
/** Most precedents that are tried as an answer: those of other parts of the work may be as similar. */
const ANSWERING_MAX = 20;
/** The weight of a precedent that holds for something else, as a share. */
const MENTION_WEIGHT = 0.5;
/** Most precedents that are returned as evidence, and most earlier answers that are kept. */
const EVIDENCE_PRECEDENTS_MAX = 5;
const EARLIER_MAX = 20;

/** Words that a question may have more than another one and still be the same. */
const FILLERS = new Set(
  (
    'actually again already anyway case codebase correct correctly currently decide decided exactly eventually here ' +
    'know known let please project properly question really repo repository right said say still sure team tell ' +
    'think today way'
  ).split(' '),
);

/** A person's answer to a question. */
export interface Saying {
  readonly answer: string;
  readonly by: string;
  readonly atMs: number;
  readonly reason: string | null;
}

export interface Precedent extends Saying {
  /** The id of the question that was answered. */
  readonly question: string;
  readonly text: string;
  readonly ticket: string | null;
  /** The sequence number of the answer. */
  readonly number: number;
  /** Earlier answers that no longer hold, the latest first. */
  readonly earlier: readonly Saying[];
  /** The part of the work for which the answer holds; null for all of it. */
  readonly scope: string | null;
  /** The version of the plan for which alone the answer holds; null for all. */
  readonly planVersion: string | null;
}

/** The place of a precedent in the order of arrival. */
interface Placed {
  /** The id of the question. */
  readonly question: string;
  /** The number of distinct content words of the question. */
  readonly words: number;
}

export interface Precedents {
  readonly precedents: Table<Precedent>;
  /** The precedents by number, the oldest first. */
  readonly precedentOrder: Table<Placed>;
  readonly precedentWords: Table<Postings>;
  readonly precedentCount: number;
}

export function noPrecedents(): Precedents {
  return { precedents: table(), precedentOrder: table(), precedentWords: table(), precedentCount: 0 };
}

/** The tables of precedents from which those of an older store are made anew. */
export function precedentsOf(old: Iterable<Precedent>): Precedents {
  let all = noPrecedents();
  for (const { number: _, earlier, planVersion, ...said } of [...old].sort((a, b) => a.number - b.number)) {
    all = precedentPut(all, said);
    const { question } = said;
    all = { ...all, precedents: all.precedents.update(question, (put) => ({ ...put!, earlier, planVersion })) };
  }
  return all;
}

/** Adds a person's answer. It supersedes earlier answers to the same question, and holds for the same as they do. */
export function precedentPut(
  { precedents, precedentOrder, precedentWords, precedentCount }: Precedents,
  { question, text, ticket, scope, ...said }: Omit<Precedent, 'number' | 'earlier' | 'planVersion'>,
): Precedents {
  const known = precedents.get(question);
  if (known !== undefined) {
    const { answer, by, atMs, reason, earlier } = known;
    const before = [{ answer, by, atMs, reason }, ...earlier].slice(0, EARLIER_MAX);
    const next = precedents.set(question, { ...known, ...said, earlier: before });
    return { precedents: next, precedentOrder, precedentWords, precedentCount };
  }
  const number = precedentCount + 1;
  const words = contentWords(text);
  const put = { question, text, ticket, ...said, scope, planVersion: null, number, earlier: [] };
  const next = {
    precedents: precedents.set(question, put),
    precedentOrder: precedentOrder.set(numberKey(number), { question, words: words.length }),
    precedentWords: indexedWith(precedentWords, number, words),
    precedentCount: number,
  };
  const isFull = next.precedents.size > PRECEDENTS_KEPT_MAX;
  return isFull ? precedentWithout(next, next.precedentOrder.first()![1].question) : next;
}

export function precedentWithout(all: Precedents, question: string): Precedents {
  const { precedents, precedentOrder, precedentWords, precedentCount } = all;
  const known = precedents.get(question);
  if (known === undefined) return { precedents, precedentOrder, precedentWords, precedentCount };
  const { number, text } = known;
  return {
    precedents: precedents.delete(question),
    precedentOrder: precedentOrder.delete(numberKey(number)),
    precedentWords: indexedWithout(precedentWords, number, contentWords(text)),
    precedentCount,
  };
}

/** The table with other bounds of where an answer holds. */
export function precedentFor(
  precedents: Precedents['precedents'],
  question: string,
  holds: Pick<Precedent, 'scope' | 'planVersion'>,
): Precedents['precedents'] {
  return precedents.update(question, (known) => ({ ...known!, ...holds })); // the caller has found it
}

/** A precedent with its similarity to a question, from 0 to 1. */
export interface Likeness {
  readonly precedent: Precedent;
  readonly likeness: number;
}

/** Precedents with a similar question, the most similar first; among equals, the latest first. */
export function similar(
  all: Precedents,
  text: string,
  countMax = EVIDENCE_PRECEDENTS_MAX,
  likenessMin = SIMILAR_QUESTION,
): readonly Likeness[] {
  const best: Likeness[] = [];
  const worse = (a: Candidate, b: Candidate) => b.likeness - a.likeness || b.number - a.number;
  for (const { question, likeness } of candidates(all, text, likenessMin).sort(worse).slice(0, COMPARED_MAX)) {
    if (best.length >= countMax && best.at(-1)!.likeness >= likeness) break;
    const precedent = all.precedents.get(question)!; // its words and its number go with it
    best.push({ precedent, likeness: likenessOf(text, precedent.text) });
    best.sort((a, b) => b.likeness - a.likeness || b.precedent.number - a.precedent.number).splice(countMax);
  }
  return best.filter(({ likeness }) => likeness >= likenessMin);
}

interface Candidate {
  readonly question: string;
  readonly number: number;
  /** The likeness by the number of words alone: the real one is the same or lower. */
  readonly likeness: number;
}

/** The precedents whose words may make them so similar. Equal texts count as such only if they have content words. */
function candidates({ precedentWords, precedentOrder }: Precedents, text: string, likenessMin: number): Candidate[] {
  const words = contentWords(text);
  const shared = sharing(precedentWords, words, Math.max(1, Math.ceil(likenessMin * words.length)));
  return [...shared].flatMap(([number, count]) => {
    const { question, words: its } = precedentOrder.get(numberKey(number))!;
    const likeness = count / Math.max(words.length, its);
    return likeness >= likenessMin ? [{ question, number, likeness }] : [];
  });
}

/**
 * The similarity of two questions: the share of common words of the longer one, 1 for equal texts. Below
 * {@link SAME_QUESTION} are questions with a word of substance that the other lacks (the `mail` or the `print` service,
 * the server or the `admin` server), with different numbers or capitalised names, or with different question words
 * (`which`, `when`, whether), whatever else they share.
 */
export function likenessOf(one: string, other: string): number {
  if (normalised(one) === normalised(other)) return 1;
  const [mine, its] = [contentWords(one), contentWords(other)];
  if (mine.length === 0 || its.length === 0) return 0;
  const shared = mine.filter((word) => its.includes(word));
  const likeness = shared.length / Math.max(mine.length, its.length);
  const isAnother =
    [...mine, ...its].some((word) => !shared.includes(word) && !FILLERS.has(word)) ||
    namesIn(one) !== namesIn(other) ||
    askedFor(one) !== askedFor(other) ||
    isNegative(one) !== isNegative(other);
  return isAnother ? Math.min(likeness, SAME_QUESTION - 0.01) : likeness;
}

/** A question for which a precedent is sought. */
export interface Sought {
  readonly text: string;
  readonly options: readonly string[];
  /** The part of the work that the question is about; null for all of it. */
  readonly scope: string | null;
  /** The version of the plan. */
  readonly planVersion: string;
}

/** Whether a precedent holds for the part of the work, and the version of the plan, of a question. */
export function holdsFor({ scope, planVersion }: Precedent, sought: Pick<Sought, 'scope' | 'planVersion'>): boolean {
  return (scope === null || scope === sought.scope) && (planVersion === null || planVersion === sought.planVersion);
}

/**
 * The precedent that answers a question, with its confidence in percent; undefined if none does. It holds for the
 * question's part of the work, and if the asker names options, it names exactly one of them.
 */
export function answeringPrecedent(
  all: Precedents,
  sought: Sought,
): (Likeness & { readonly confidence: number }) | undefined {
  const { text, options } = sought;
  const best = similar(all, text, ANSWERING_MAX, SAME_QUESTION).find(({ precedent }) => holdsFor(precedent, sought));
  if (best === undefined) return undefined;
  if (options.length > 0 && optionsIn(best.precedent.answer, options).length !== 1) return undefined;
  return { ...best, confidence: Math.round(PERSON_PERCENT * best.likeness) };
}

/**
 * Precedents that do not answer a question, as evidence for it. One that holds for another part of the work, or for
 * another version of the plan, is only mentioned, so that the person who decides knows of it.
 */
export function precedentEvidence(all: Precedents, sought: Sought): Evidence[] {
  return similar(all, sought.text).map(({ precedent, likeness }) => {
    const { question, answer, text: asked } = precedent;
    const named = optionsIn(answer, sought.options);
    const holds = holdsFor(precedent, sought);
    return {
      kind: holds ? 'decided' : 'mentioned',
      source: { type: 'plan', scope: PRECEDENT_SCOPE, file: question, line: 1 },
      excerpt: saidIn({ text: asked, answer }),
      speaksFor: named.length === 1 ? named[0]! : null,
      valueKind: named.length === 1 ? 'option' : 'text',
      isDeclarative: holds && named.length === 1,
      coverage: likeness,
      weight: holds ? likeness : likeness * MENTION_WEIGHT,
    };
  });
}

/** A precedent as evidence quotes it. */
export function saidIn({ text, answer }: Pick<Precedent, 'text' | 'answer'>): string {
  return `${text} ${answer}`.slice(0, EXCERPT_CHARS_MAX).toWellFormed();
}

/** The options that a text names as words of their own. */
function optionsIn(text: string, options: readonly string[]): string[] {
  const said = ` ${normalised(text)} `;
  return options.filter((option) => sameValue(option) === sameValue(text) || said.includes(` ${normalised(option)} `));
}

/** The numbers and capitalised names in a text, in a comparable form. */
function namesIn(text: string): string {
  const names = text.match(/\b(?=\w*\d)\w+|(?<=\S )\p{Lu}[\p{L}\p{N}]*|\b\p{Lu}{2,}\b/gu) ?? [];
  return [...new Set(names.map((name) => name.toLowerCase()))].sort().join(' ');
}

/** The question word of a text; empty for a yes-no question. */
function askedFor(text: string): string {
  const [, word = ''] = /\b(which|what|whom?|whose|when|where|why|how)\b/i.exec(text) ?? [];
  return /what/i.test(word) ? 'which' : word.toLowerCase();
}

function isNegative(text: string): boolean {
  return /\b(?:not?|never|without|cannot)\b|n['’]t\b/i.test(text);
}
