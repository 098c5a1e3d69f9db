/**
 * People's answers, kept for later questions (AT-028, R-15). They are found by the words of a question, and superseded
 * by later answers but never lost. A part of the answer desk's context, spread over tables; a search reads a bounded
 * number of rows. Pure.
 */
import { table, type Table } from '../../table.ts';
import { PRECEDENTS_KEPT_MAX } from '../limits.ts';
import { numberKey, pairKey, pairsOf } from '../rules/table-keys.ts';
import { type Evidence, EXCERPT_CHARS_MAX, sameValue } from './evidence.ts';
import { PERSON_PERCENT } from './ask-replies.ts';
import { PRECEDENT_SCOPE } from './question-rules.ts';
import { contentWords, normalised } from './words.ts';

/** The similarity of two questions, from 0 to 1, from which one answer serves both. */
export const SAME_QUESTION = 0.75;
/** The similarity from which a person's answer to one question is evidence for the other. */
const SIMILAR_QUESTION = 0.4;

/** Most words of a question that are indexed, and most precedents that are compared per word. */
const WORDS_MAX = 12;
const LOOKED_AT_MAX = 64;
/** Most precedents that are returned as evidence, and most earlier answers that are kept. */
const EVIDENCE_PRECEDENTS_MAX = 5;
const EARLIER_MAX = 20;

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
}

export interface Precedents {
  readonly precedents: Table<Precedent>;
  readonly precedentOrder: Table<string>;
  /** Ids of questions by the words of their texts. */
  readonly precedentWords: Table<string>;
  readonly precedentCount: number;
}

export function noPrecedents(): Precedents {
  return { precedents: table(), precedentOrder: table(), precedentWords: table(), precedentCount: 0 };
}

/** Adds a person's answer. It supersedes earlier answers to the same question. */
export function precedentPut(
  all: Precedents,
  { question, text, ticket, ...said }: Omit<Precedent, 'number' | 'earlier'>,
): Precedents {
  const known = all.precedents.get(question);
  if (known !== undefined) {
    const { answer, by, atMs, reason, earlier } = known;
    const before = [{ answer, by, atMs, reason }, ...earlier].slice(0, EARLIER_MAX);
    return { ...all, precedents: all.precedents.set(question, { ...known, ...said, earlier: before }) };
  }
  const number = all.precedentCount + 1;
  let { precedentWords } = all;
  for (const word of wordsOf(text)) precedentWords = precedentWords.set(pairKey(word, question), question);
  const next = {
    precedents: all.precedents.set(question, { question, text, ticket, ...said, number, earlier: [] }),
    precedentOrder: all.precedentOrder.set(numberKey(number), question),
    precedentWords,
    precedentCount: number,
  };
  return next.precedents.size > PRECEDENTS_KEPT_MAX ? precedentWithout(next, next.precedentOrder.first()![1]) : next;
}

export function precedentWithout(all: Precedents, question: string): Precedents {
  const known = all.precedents.get(question);
  if (known === undefined) return all;
  let { precedentWords } = all;
  for (const word of wordsOf(known.text)) precedentWords = precedentWords.delete(pairKey(word, question));
  return {
    ...all,
    precedents: all.precedents.delete(question),
    precedentOrder: all.precedentOrder.delete(numberKey(known.number)),
    precedentWords,
  };
}

/** A precedent with its similarity to a question, from 0 to 1. */
export interface Likeness {
  readonly precedent: Precedent;
  readonly likeness: number;
}

/** Precedents with a similar question, the most similar first; among equals, the latest first. */
export function similar(all: Precedents, text: string, countMax = EVIDENCE_PRECEDENTS_MAX): readonly Likeness[] {
  const found = new Set<string>();
  for (const word of wordsOf(text)) {
    let looked = 0;
    for (const question of all.precedentWords.values(pairsOf(word))) {
      found.add(question);
      if (++looked >= LOOKED_AT_MAX) break;
    }
  }
  return [...found]
    .map((question): Likeness => {
      const precedent = all.precedents.get(question)!; // the words of a precedent go with it
      return { precedent, likeness: likenessOf(text, precedent.text) };
    })
    .filter(({ likeness }) => likeness >= SIMILAR_QUESTION)
    .sort((a, b) => b.likeness - a.likeness || b.precedent.number - a.precedent.number)
    .slice(0, countMax);
}

/**
 * The similarity of two questions: the share of common words of the longer one, 1 for equal texts. Questions with
 * different numbers or capitalised names are not the same, nor are questions with different question words (`which`,
 * `when`, whether), whatever else they share.
 */
export function likenessOf(one: string, other: string): number {
  if (normalised(one) === normalised(other)) return 1;
  const [mine, its] = [contentWords(one), contentWords(other)];
  if (mine.length === 0 || its.length === 0) return 0;
  const shared = mine.filter((word) => its.includes(word)).length;
  const likeness = shared / Math.max(mine.length, its.length);
  const isAnother =
    namesIn(one) !== namesIn(other) || askedFor(one) !== askedFor(other) || isNegative(one) !== isNegative(other);
  return isAnother ? Math.min(likeness, SAME_QUESTION - 0.01) : likeness;
}

/**
 * The precedent that answers a question, with its confidence in percent; undefined if none does. If the asker names
 * options, the answer must name exactly one of them.
 */
export function answeringPrecedent(
  all: Precedents,
  text: string,
  options: readonly string[],
): (Likeness & { readonly confidence: number }) | undefined {
  const [best] = similar(all, text, 1);
  if (best === undefined || best.likeness < SAME_QUESTION) return undefined;
  if (options.length > 0 && optionsIn(best.precedent.answer, options).length !== 1) return undefined;
  return { ...best, confidence: Math.round(PERSON_PERCENT * best.likeness) };
}

/** Precedents that do not answer a question, as evidence for it. */
export function precedentEvidence(all: Precedents, text: string, options: readonly string[]): Evidence[] {
  return similar(all, text).map(({ precedent: { question, answer, text: asked }, likeness }) => {
    const named = optionsIn(answer, options);
    return {
      kind: 'decided',
      source: { type: 'plan', scope: PRECEDENT_SCOPE, file: question, line: 1 },
      excerpt: saidIn({ text: asked, answer }),
      speaksFor: named.length === 1 ? named[0]! : null,
      valueKind: named.length === 1 ? 'option' : 'text',
      isDeclarative: named.length === 1,
      coverage: likeness,
      weight: likeness,
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

function wordsOf(text: string): readonly string[] {
  return contentWords(text).slice(0, WORDS_MAX);
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
