/**
 * The key layout of a store, in one place. Byte-by-byte contents of the values: docs/store-format.md.
 *
 * | key                             | holds                                                    | written              |
 * |---------------------------------|----------------------------------------------------------|----------------------|
 * | `v!`                            | manifest: format version, id of the store                | once                 |
 * | `e!<number>`                    | one epoch                                                | every commit         |
 * | `c!a` `c!b`                     | the cut: the epoch from which recovery replays           | at the end of a fold |
 * | `y!a` `y!b`                     | mark of the last fold: the epoch that it folds up to     | by every slice       |
 * | `s!<life>`                      | state of one actor, as of the cut or newer               | by the fold          |
 * | `w!<life>`                      | mark of an actor that cannot be read, and why            | once recovery met it |
 * | `l!<group>!<key>`               | what a recovery to an older epoch cut off, byte by byte  | by `recoverTo`       |
 * | `x!s!<n>!a` `x!s!<n>!b`         | keys of a record structure of the codec, 4 digits        | before its first use |
 * | `x!c!<definition>!<id>!a` `…!b` | nodes of a configuration, 8 digits                       | before its first use |
 * | `<table>!<row>`                 | rows: `i a n m t f k o b d q r h g p u j z X` (ports.ts) | by the fold          |
 *
 * Numbers are lower-case hexadecimal of fixed width, so that keys sort as numbers do. Keys are printable ASCII.
 * What recovery cannot do without and what is small is written twice (`a` and `b`).
 */
import { type Counters, type RowKey, type Table } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';

export const MANIFEST_KEY = 'v!';
export const CUT_KEYS = ['c!a', 'c!b'] as const;
export const FOLD_MARK_KEYS = ['y!a', 'y!b'] as const;

/** Hexadecimal digits of a number in a key: enough for every safe integer. The kernel uses the same width. */
const NUMBER_DIGITS = 14;
const STRUCTURE_DIGITS = 4;
const CONFIGURATION_DIGITS = 8;
const GROUP_DIGITS = 4;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

export interface KeyRange {
  readonly gte: string;
  readonly lt: string;
}

/** Two copies of one small record. */
export type Copies = readonly [a: string, b: string];

export function hex(number: number, digits = NUMBER_DIGITS): string {
  return number.toString(16).padStart(digits, '0');
}

/** The number in a key that ends in one. */
export function numberIn(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('!') + 1), 16);
}

export function epochKey(number: number): string {
  return `e!${hex(number)}`;
}

export function stateKey(life: number): string {
  return `s!${hex(life)}`;
}

/** Of the mark that an actor cannot be read. */
export function unreadableKey(life: number): string {
  return `w!${hex(life)}`;
}

/** Where what was cut off is kept aside. Groups count recoveries to an older epoch. */
export function asideKey(group: number, key: string): string {
  return `l!${hex(group, GROUP_DIGITS)}!${key}`;
}

export function structureKeys(number: number): Copies {
  const key = `x!s!${hex(number, STRUCTURE_DIGITS)}`;
  return [`${key}!a`, `${key}!b`];
}

export function configurationKeys(definition: string, id: number): Copies {
  const key = `x!c!${definition}!${hex(id, CONFIGURATION_DIGITS)}`;
  return [`${key}!a`, `${key}!b`];
}

/** All keys that begin with `prefix`, which ends in `!`. */
export function keysUnder(prefix: string): KeyRange {
  assert(prefix.endsWith('!'), 'a key prefix ends in "!"');
  // The double quote follows the exclamation mark in ASCII.
  return { gte: prefix, lt: `${prefix.slice(0, -1)}"` };
}

export const EVERY_KEY: KeyRange = { gte: ' ', lt: '\x7f' };

/**
 * LevelDB orders bytes and JavaScript orders UTF-16 units; over ASCII they agree. Every store refuses anything else.
 */
export function assertStoreKey(key: string): void {
  if (!PRINTABLE_ASCII.test(key)) assert(false, `a key of the store is printable ASCII: ${JSON.stringify(key)}`);
}

/** Tables whose rows are keyed by a number that is given out once, and the counter that gives it out. */
const NUMBERED: Partial<Record<Table, keyof Counters>> = {
  i: 'life',
  f: 'life',
  u: 'life',
  m: 'message',
  o: 'message',
  t: 'timer',
  q: 'quarantine',
  r: 'life',
  z: 'message',
};

/**
 * Tells of rows whether their number had not been given out yet when the counters stood at `since`. False where there
 * is no number.
 */
export function youngerThan(since: Counters): (key: RowKey) => boolean {
  const bounds = new Map(
    Object.entries(NUMBERED).map(([table, counter]) => [table, `${table}!${hex(since[counter])}`]),
  );
  return (key) => {
    const bound = bounds.get(key[0]!);
    return bound !== undefined && key.length === bound.length && key >= bound;
  };
}
