/** Keys of tables, made of a number, of a name that may be longer than a key, or of two such names. Pure. */
import { createHash } from 'node:crypto';
import { type KeyRange } from '../../table.ts';

/** Digits of a number in a key: enough for any sequence number. */
const NUMBER_DIGITS = 12;

/** Characters of a name in a key: two names and their separator stay below the bound of a key. */
const NAME_CHARS_MAX = 120;

/** Characters of a longer name that stay legible. */
const LEGIBLE_CHARS = 50;

const BETWEEN = ' ';

/** The character that follows the separator in key order. */
const BEHIND = '!';

/** A key for a number; such keys sort as their numbers do. */
export function numberKey(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0');
}

/** A key for a number; such keys sort in descending order of their numbers. */
export function latestFirstKey(number: number): string {
  return numberKey(10 ** NUMBER_DIGITS - 1 - number);
}

/** A key for a number and the rank of its thing, an item of at most ten; such keys sort by rank, then by number. */
export function rankedKey<Rank>(ranks: readonly Rank[], rank: Rank, number: number): string {
  return `${ranks.indexOf(rank)}${BETWEEN}${numberKey(number)}`;
}

/** A key for a name: the name itself, or a unique text if the name is too long or not allowed as a key. */
export function nameKey(name: string): string {
  const key = (
    name === '__proto__' ? '%__proto__' : name.replaceAll('%', '%25').replaceAll(BETWEEN, '%20')
  ).toWellFormed();
  if (key.length <= NAME_CHARS_MAX) return key;
  return `${key.slice(0, LEGIBLE_CHARS).toWellFormed()}~${createHash('sha256').update(name).digest('hex')}`;
}

/**
 * A key for a row that belongs to two things. Rows of the same first thing are adjacent, in the order of the second.
 */
export function pairKey(first: string, second: string): string {
  return `${nameKey(first)}${BETWEEN}${nameKey(second)}`;
}

/** The range of the rows that belong to the first thing. */
export function pairsOf(first: string): KeyRange {
  const key = nameKey(first);
  return { from: `${key}${BETWEEN}`, below: `${key}${BEHIND}` };
}
