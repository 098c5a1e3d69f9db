/** Keys of tables, made of numbers and of names that may be longer than a key, or of two of them. Pure. */
import { createHash } from 'node:crypto';
import { type KeyRange } from '../../table.ts';

/** Enough for any number that is counted to here. */
const NUMBER_DIGITS = 12;

/** Two names and what is between them stay below the bound of a key. */
const NAME_CHARS_MAX = 120;

/** The characters of a longer name that stay legible. */
const LEGIBLE_CHARS = 50;

const BETWEEN = ' ';

/** The character behind it. */
const BEHIND = '!';

/** A number, so that keys stand in the order of their numbers. */
export function numberKey(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0');
}

/** A name itself, or, where it is too long for a key or cannot be one, a text that no other name has. */
export function nameKey(name: string): string {
  const key = (
    name === '__proto__' ? '%__proto__' : name.replaceAll('%', '%25').replaceAll(BETWEEN, '%20')
  ).toWellFormed();
  if (key.length <= NAME_CHARS_MAX) return key;
  return `${key.slice(0, LEGIBLE_CHARS).toWellFormed()}~${createHash('sha256').update(name).digest('hex')}`;
}

/** For a row that belongs to two things: those of the first one stand together, in the order of the second one. */
export function pairKey(first: string, second: string): string {
  return `${nameKey(first)}${BETWEEN}${nameKey(second)}`;
}

/** Where the rows of the first one stand. */
export function pairsOf(first: string): KeyRange {
  const key = nameKey(first);
  return { from: `${key}${BETWEEN}`, below: `${key}${BEHIND}` };
}
