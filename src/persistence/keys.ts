/**
 * The key layout of a store, in one place: rows begin with the letter of their keyspace (actors/model/ports.ts), all
 * other records as is said here. Numbers are lower-case hexadecimal of fixed width, so that keys sort as numbers do.
 * Keys are printable ASCII. What recovery cannot do without and what is small is written twice, under keys that end in
 * `a` and `b`. Byte-by-byte contents of the values, and when each is written: docs/store-format.md.
 */
import { type Counters, type RowKey, type Keyspace, KEYSPACE, keyspaceOf } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';

/** What keys begin with that are no rows. */
export const PREFIX = {
  /** Then its number. */
  epoch: 'e!',
  /** The epoch from which recovery replays. Two copies. */
  cut: 'c!',
  /** The epoch that the last fold goes up to. Two copies. */
  foldMark: 'y!',
  /** Of an actor, as of the cut or newer: its life. */
  state: 's!',
  /** Rows of a table of an actor: its life, then the number of the page. */
  page: 'T!',
  /** Of an actor that cannot be read: its life. */
  unreadable: 'w!',
  /** What a recovery to an older epoch cut off: a number for the recovery, then the key that it had. */
  aside: 'l!',
  /** Keys of a record structure of the codec: its number. Two copies. */
  structure: 'x!s!',
  /** Of a machine: its structural hash, then the number of the configuration. Two copies. */
  configuration: 'x!c!',
} as const;

/** Which format the store has, and its identity. */
export const MANIFEST_KEY = 'v!';
export const CUT_KEYS = copiesOf(PREFIX.cut);
export const FOLD_MARK_KEYS = copiesOf(PREFIX.foldMark);

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
  return `${PREFIX.epoch}${hex(number)}`;
}

export function stateKey(life: number): string {
  return `${PREFIX.state}${hex(life)}`;
}

export function pageKey(life: number, page: number): string {
  return `${PREFIX.page}${hex(life)}!${hex(page)}`;
}

/** The life in the key of a page. */
export function lifeOfPage(key: string): number {
  return Number.parseInt(key.slice(PREFIX.page.length), 16);
}

/** Of the mark that an actor cannot be read. */
export function unreadableKey(life: number): string {
  return `${PREFIX.unreadable}${hex(life)}`;
}

/** Where what was cut off is kept aside. Groups count recoveries to an older epoch. */
export function asideKey(group: number, key: string): string {
  return `${PREFIX.aside}${hex(group, GROUP_DIGITS)}!${key}`;
}

export function structureKeys(number: number): Copies {
  return copiesOf(`${PREFIX.structure}${hex(number, STRUCTURE_DIGITS)}!`);
}

export function configurationKeys(definition: string, id: number): Copies {
  return copiesOf(`${PREFIX.configuration}${definition}!${hex(id, CONFIGURATION_DIGITS)}!`);
}

/** @param base The key without its last letter. */
export function copiesOf(base: string): Copies {
  return [`${base}a`, `${base}b`];
}

/** Of a row that goes by a number. */
export function numberedKey(keyspace: Keyspace, number: number): RowKey {
  return `${keyspace}!${hex(number)}`;
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

/** Keyspaces whose rows go by a number that is given out once, and the counter that gives it out. */
const NUMBERED: readonly (readonly [Keyspace, keyof Counters])[] = [
  [KEYSPACE.identities, 'life'],
  [KEYSPACE.roll, 'life'],
  [KEYSPACE.held, 'life'],
  [KEYSPACE.mailboxes, 'message'],
  [KEYSPACE.outbox, 'message'],
  [KEYSPACE.timers, 'timer'],
  [KEYSPACE.deadLetters, 'quarantine'],
  [KEYSPACE.asks, 'life'],
  [KEYSPACE.audit, 'message'],
];

/**
 * Tells of rows whether their number had not been given out yet when the counters stood at `since`. False where there
 * is no number.
 */
export function youngerThan(since: Counters): (key: RowKey) => boolean {
  const bounds = new Map(NUMBERED.map(([keyspace, counter]) => [keyspace, numberedKey(keyspace, since[counter])]));
  return (key) => {
    const bound = bounds.get(keyspaceOf(key));
    return bound !== undefined && key.length === bound.length && key >= bound;
  };
}
