/**
 * The key layout of a store, in one place: rows begin with the letter of their keyspace (actors/model/ports.ts), all
 * other records with a prefix defined here. Numbers are lower-case hexadecimal of fixed width, so that keys sort as
 * numbers do. Keys are printable ASCII. Small records that recovery depends on are written twice, under keys that end
 * in `a` and `b`. The bytes of the values, and when each is written: docs/store-format.md.
 */
import { type Counters, type RowKey, type Keyspace, KEYSPACE, keyspaceOf } from '../../actors/model/ports.ts';
import { assert } from '../../assert.ts';

/** Prefixes of keys that are not rows; each comment says what follows the prefix. */
export const PREFIX = {
  /** An epoch: its number. */
  epoch: 'e!',
  /** The cut, from which recovery replays. Nothing follows. Two copies. */
  cut: 'c!',
  /** The epoch that the last fold goes up to. Nothing follows. Two copies. */
  foldMark: 'y!',
  /** An actor with its state, as of the cut or newer: its life. */
  state: 's!',
  /** An actor that every start reads, with its state: its life. */
  enrolled: 'S!',
  /** Rows of a table of an actor: its life, then the number of the page. */
  page: 'T!',
  /** Unread messages with consecutive numbers: the number of their segment. */
  segment: 'M!',
  /** The numbers of a segment's unread messages: the number of the segment. Two copies. */
  unread: 'U!',
  /** The mark of an unreadable actor: its life. */
  unreadable: 'w!',
  /** A record cut off by a recovery to an older epoch: the number of the recovery, then the key that it had. */
  aside: 'l!',
  /** Keys of a record structure of the codec: its number. Two copies. */
  structure: 'x!s!',
  /** A configuration of a machine: the machine's structural hash, then the number of the configuration. Two copies. */
  configuration: 'x!c!',
} as const;

/** The key of the manifest: the format of the store, and its identity. */
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

/** The keys of the two copies of one small record. */
export type Copies = readonly [a: string, b: string];

export function hex(number: number, digits = NUMBER_DIGITS): string {
  return number.toString(16).padStart(digits, '0');
}

/** The number at the end of a key. */
export function numberIn(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('!') + 1), 16);
}

export function epochKey(number: number): string {
  return `${PREFIX.epoch}${hex(number)}`;
}

export function stateKey(life: number): string {
  return `${PREFIX.state}${hex(life)}`;
}

export function enrolledKey(life: number): string {
  return `${PREFIX.enrolled}${hex(life)}`;
}

export function pageKey(life: number, page: number): string {
  return `${PREFIX.page}${hex(life)}!${hex(page)}`;
}

/** The key of the messages of a segment. */
export function segmentKey(segment: number): string {
  return `${PREFIX.segment}${hex(segment)}`;
}

/** The keys of the record of a segment's unread messages. */
export function unreadKeys(segment: number): Copies {
  return copiesOf(`${PREFIX.unread}${hex(segment)}!`);
}

/** The life in the key of a page. */
export function lifeOfPage(key: string): number {
  return Number.parseInt(key.slice(PREFIX.page.length), 16);
}

/** The key of the mark of an unreadable actor. */
export function unreadableKey(life: number): string {
  return `${PREFIX.unreadable}${hex(life)}`;
}

/** The key of a record that a recovery to an older epoch set aside; `group` is the number of that recovery. */
export function asideKey(group: number, key: string): string {
  return `${PREFIX.aside}${hex(group, GROUP_DIGITS)}!${key}`;
}

export function structureKeys(number: number): Copies {
  return copiesOf(`${PREFIX.structure}${hex(number, STRUCTURE_DIGITS)}!`);
}

export function configurationKeys(definition: string, id: number): Copies {
  return copiesOf(`${PREFIX.configuration}${definition}!${hex(id, CONFIGURATION_DIGITS)}!`);
}

/**
 * The keys of two copies.
 *
 * @param base The key without its last letter.
 */
export function copiesOf(base: string): Copies {
  return [`${base}a`, `${base}b`];
}

/** The key of a numbered row. */
export function numberedKey(keyspace: Keyspace, number: number): RowKey {
  return `${keyspace}!${hex(number)}`;
}

/** The range of all keys that begin with `prefix`, which ends in `!`. */
export function keysUnder(prefix: string): KeyRange {
  assert(prefix.endsWith('!'), 'a key prefix ends in "!"');
  // The double quote follows the exclamation mark in ASCII.
  return { gte: prefix, lt: `${prefix.slice(0, -1)}"` };
}

export const EVERY_KEY: KeyRange = { gte: ' ', lt: '\x7f' };

/**
 * Asserts that a key is printable ASCII. LevelDB orders bytes and JavaScript orders UTF-16 units; they agree over
 * ASCII. Every store refuses anything else.
 */
export function assertStoreKey(key: string): void {
  if (!PRINTABLE_ASCII.test(key)) assert(false, `a key of the store is printable ASCII: ${JSON.stringify(key)}`);
}

/** Keyspaces whose rows have a number that is assigned once, and the counter of each. */
const NUMBERED: readonly (readonly [Keyspace, keyof Counters])[] = [
  [KEYSPACE.roll, 'life'],
  [KEYSPACE.held, 'life'],
  [KEYSPACE.turnSpans, 'life'],
  [KEYSPACE.mailboxes, 'message'],
  [KEYSPACE.outbox, 'message'],
  [KEYSPACE.frames, 'message'],
  [KEYSPACE.timers, 'timer'],
  [KEYSPACE.deadLetters, 'quarantine'],
  [KEYSPACE.asks, 'life'],
  [KEYSPACE.audit, 'message'],
];

/**
 * Creates a predicate: whether the number of a row had not been assigned yet when the counters were at `since`. False
 * for rows without a number.
 */
export function youngerThan(since: Counters): (key: RowKey) => boolean {
  const bounds = new Map(NUMBERED.map(([keyspace, counter]) => [keyspace, numberedKey(keyspace, since[counter])]));
  return (key) => {
    const bound = bounds.get(keyspaceOf(key));
    return bound !== undefined && key.length === bound.length && key >= bound;
  };
}
