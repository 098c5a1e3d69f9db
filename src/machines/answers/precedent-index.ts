/**
 * An index of precedents by the words of their questions. It finds every precedent that shares enough words with a
 * question, in a time that its rare words decide, and takes a bounded number of table rows whatever words people use:
 * words share rows by a hash, and a row has the numbers of 4,096 precedents at most. Pure.
 */
import { type Table } from '../../table.ts';
import { numberKey } from '../rules/table-keys.ts';

/** The numbers of a span of precedents by word, less the first number of the span, ascending. */
export type Postings = readonly (readonly [word: string, offsets: readonly number[]])[];

/** Precedents a span, and groups of words a span: {@link POSTINGS_ROWS_MAX} follows from both. */
const SPAN_BITS = 12;
const GROUPS = 2_048;

/**
 * Numbers in one row, which then has some 36 KB. A word that would be beyond is so frequent in its span that it tells
 * precedents apart no more; it is left out there.
 */
const POSTINGS_MAX = 12_000;

/** The rows of an index of so many precedents with consecutive numbers, at most. */
export function postingsRowsMax(precedents: number): number {
  return GROUPS * (Math.ceil(precedents / 2 ** SPAN_BITS) + 1);
}

/** The index with a precedent of this number, which is higher than all before. */
export function indexedWith(index: Table<Postings>, number: number, words: readonly string[]): Table<Postings> {
  let next = index;
  for (const word of words) {
    const key = keyOf(word, number);
    const postings = next.get(key) ?? [];
    if (postings.reduce((sum, [, offsets]) => sum + offsets.length, 0) < POSTINGS_MAX)
      next = next.set(key, withOffset(postings, word, offsetOf(number)));
  }
  return next;
}

/** The index without a precedent. */
export function indexedWithout(index: Table<Postings>, number: number, words: readonly string[]): Table<Postings> {
  let next = index;
  for (const word of words) {
    const key = keyOf(word, number);
    const postings = withoutOffset(next.get(key) ?? [], word, offsetOf(number));
    next = postings.length === 0 ? next.delete(key) : next.set(key, postings);
  }
  return next;
}

function withOffset(postings: Postings, word: string, offset: number): Postings {
  const others = postings.filter(([one]) => one !== word);
  const [, offsets = []] = postings.find(([one]) => one === word) ?? [];
  return [...others, [word, [...offsets, offset]]];
}

function withoutOffset(postings: Postings, word: string, offset: number): Postings {
  return postings.flatMap((posting) => {
    const [one, offsets] = posting;
    if (one !== word) return [posting];
    const left = offsets.filter((each) => each !== offset);
    return left.length === 0 ? [] : [[one, left] as const];
  });
}

/**
 * The numbers of the precedents that share at least so many of the words, with how many they share.
 *
 * A precedent that shares `sharedMin` of n words has one of any n - sharedMin + 1 of them. So those that occur least
 * name all candidates, and the frequent ones only count (prefix filtering: Chaudhuri, Ganti, Kaushik 2006).
 */
export function sharing(
  index: Table<Postings>,
  words: readonly string[],
  sharedMin: number,
): ReadonlyMap<number, number> {
  const lists = words.map((word) => numbersOf(index, word)).sort((a, b) => count(a) - count(b));
  const naming = lists.length - sharedMin + 1;
  const shared = new Map<number, number>();
  for (const [place, spans] of lists.entries())
    for (const { first, offsets } of spans)
      for (const offset of offsets) {
        const number = first + offset;
        const before = shared.get(number);
        if (before !== undefined) shared.set(number, before + 1);
        else if (place < naming) shared.set(number, 1);
      }
  for (const [number, times] of shared) if (times < sharedMin) shared.delete(number);
  return shared;
}

interface Span {
  readonly first: number;
  readonly offsets: readonly number[];
}

function numbersOf(index: Table<Postings>, word: string): readonly Span[] {
  const group = groupOf(word);
  return [...index.entries({ from: `${group} `, below: `${group}!` })].flatMap(([key, postings]) => {
    const offsets = postings.find(([one]) => one === word)?.[1];
    return offsets === undefined ? [] : [{ first: Number(key.slice(group.length)) * 2 ** SPAN_BITS, offsets }];
  });
}

function count(spans: readonly Span[]): number {
  return spans.reduce((sum, { offsets }) => sum + offsets.length, 0);
}

function keyOf(word: string, number: number): string {
  return `${groupOf(word)} ${numberKey(Math.floor(number / 2 ** SPAN_BITS))}`;
}

function offsetOf(number: number): number {
  return number % 2 ** SPAN_BITS;
}

/** The group of a word: its FNV-1a hash, cut to the number of groups. */
function groupOf(word: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return ((hash >>> 0) % GROUPS).toString(36).padStart(3, '0');
}
