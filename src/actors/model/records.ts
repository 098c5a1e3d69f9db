/**
 * Records: a numbered, append-only history of an actor, on disk only. The options that an agent declares, the stored
 * form, and how a turn numbers its records. Pure.
 */
import { type z } from 'zod';
import { BosunError } from '../../errors.ts';
import {
  RECORD_KEY_CHARS_MAX,
  RECORD_KEYS_MAX,
  RECORD_NAMES_MAX,
  RECORDS_KEPT,
  RECORDS_KEPT_MAX,
  RECORDS_PER_TURN_MAX,
} from '../../limits.ts';
import { readBy } from '../../user-schema.ts';
import { type KeepBounds, type KeepPolicy, parseBounds } from './keep-bounds.ts';
import { keyText, ordered, rowKey, turnKey } from './row-keys.ts';
import { KEYSPACE, type RowKey } from './ports.ts';
import { isSecretField } from './secret.ts';
import { causeOf } from './thrown.ts';

/** The options of the records of one name. */
export interface RecordOptions {
  /**
   * Schema of a value; a record holds what the schema returns. Parts marked `secret` are never shown. Default: any
   * data.
   */
  readonly schema?: z.ZodType;
  /**
   * The records kept of each actor: the latest `count`, 10,000 by default, 1 to 10,000,000; and none that is older than
   * `days`, by default without limit. Older ones are not shown, and are removed within an hour while their actor is in
   * memory.
   */
  readonly keep?: KeepBounds;
  /**
   * Index keys: up to four names, each with the field of the value that it stands for. `system.records` finds the
   * records of all actors of the agent by them. A field is a string, a whole number or a boolean; a record without the
   * field is not found by that key. Keys stay legible in the store, also those of agents with secrets, so none may be
   * secret itself.
   */
  readonly keys?: Readonly<Record<string, string>>;
}

/** {@link RecordOptions} with every default filled in. */
export interface RecordPolicy {
  readonly schema: z.ZodType | undefined;
  readonly keep: KeepPolicy;
  readonly keys: readonly (readonly [key: string, field: string])[];
}

export type RecordPolicies = ReadonlyMap<string, RecordPolicy>;

/**
 * The range of an actor's records of one name, from `first` up to and without `next`; and whether any of them was
 * stored with keys.
 */
export type RecordSpan = readonly [first: number, next: number, isKeyed: boolean];

/** Spans by record name. */
export type RecordSpans = Readonly<Record<string, RecordSpan>>;

/** The stored records of one name: `first` is the number of the oldest, one more than `last` where there are none. */
export interface StoredRecords {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/**
 * A stored record. `order` counts the records of all actors of a kernel and is 0 for a record without keys; `keys` are
 * the index keys that lead to it.
 */
export type RecordRow = readonly [
  atMs: number,
  sequence: number,
  value: unknown,
  order: number,
  keys: Readonly<Record<string, string>> | null,
];

/** A record of the turn in progress, without a number yet. */
export interface NewRecord {
  readonly name: string;
  readonly value: unknown;
  readonly keys: Readonly<Record<string, string>> | null;
}

/** A record with its number, and the numbers of the old records removed to make room for it. */
export interface NumberedRecord extends NewRecord {
  readonly number: number;
  readonly dropped: readonly number[];
}

/** The name of the kept turns of actors. No agent can declare it. They have no keys. */
export const KEPT_TURNS = '.turns';

/** The name of the audit's records. No agent can declare it. */
export const AUDIT = '.audit';

/** The life of records that are of no actor, and the name in the place of their agent in index entries. */
export const KERNEL_LIFE = 0;
export const KERNEL_NAME = 'bosun';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** Parses declared records. Throws a RangeError that says what is wrong. */
export function parseRecords(declared: Readonly<Record<string, RecordOptions | undefined>>): RecordPolicies {
  const entries = Object.entries(declared).flatMap(([name, options]) =>
    options === undefined ? [] : [[name, policyOf(name, options)] as const],
  );
  if (entries.length > RECORD_NAMES_MAX) throw new RangeError(`records have at most ${RECORD_NAMES_MAX} names`);
  return new Map(entries);
}

function policyOf(name: string, { schema, keep, keys = {} }: RecordOptions): RecordPolicy {
  const place = `records.${name}`;
  if (!NAME.test(name))
    throw new RangeError(`${place}: a name must be a letter followed by at most 63 letters, digits and _.-`);
  const defaults = { count: RECORDS_KEPT, days: Infinity, atLeast: 1, atMost: RECORDS_KEPT_MAX };
  const bounds = parseBounds(`${place}.keep`, keep, defaults);
  const fields = Object.entries(keys);
  if (fields.length > RECORD_KEYS_MAX) throw new RangeError(`${place}: at most ${RECORD_KEYS_MAX} keys`);
  for (const [key, field] of fields) {
    if (!NAME.test(key)) throw new RangeError(`${place}: a key must be named like records, not "${key}"`);
    if (typeof field !== 'string' || field === '') throw new RangeError(`${place}: keys.${key} must name a field`);
    if (schema !== undefined && isSecretField(schema, field))
      throw new RangeError(`${place}: keys.${key}: "${field}" is secret, but keys are stored as plain text`);
  }
  return { schema, keep: bounds, keys: fields };
}

/**
 * Checks a value that a turn records, and reads its index keys. Throws BOSUN_VALUE_REFUSED; `place` names the record in
 * the message.
 */
export function newRecord(
  policies: RecordPolicies | undefined,
  name: unknown,
  value: unknown,
  place: string,
): NewRecord {
  const policy = typeof name === 'string' ? policies?.get(name) : undefined;
  if (typeof name !== 'string' || policy === undefined) {
    const known = [...(policies?.keys() ?? [])].map((one) => JSON.stringify(one)).join(', ') || 'none';
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${place} keeps no records named ${JSON.stringify(name)}; its agent declares ${known}`,
    );
  }
  const read = policy.schema === undefined ? undefined : readBy(policy.schema, value, 'value');
  if (read?.isSound === false) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${place}: record "${name}": ${read.why}`, {
      cause: read.error ?? causeOf(read.thrown),
    });
  }
  const sound = read === undefined ? value : read.value;
  return { name, value: sound, keys: keysOf(policy, sound, `${place}: record "${name}"`) };
}

function keysOf({ keys }: RecordPolicy, value: unknown, place: string): NewRecord['keys'] {
  const found: Record<string, string> = {};
  for (const [key, field] of keys) {
    const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
    if (given !== undefined && given !== null) found[key] = keyValue(given, `${place}: "${field}"`);
  }
  return Object.keys(found).length === 0 ? null : found;
}

/** The stored text of an index key. Throws BOSUN_VALUE_REFUSED for a value that cannot be a key. */
export function keyValue(value: unknown, place: string): string {
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
  const text = isPlain ? String(value) : undefined;
  if (text !== undefined && text.length <= RECORD_KEY_CHARS_MAX && text.isWellFormed()) return text;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `${place} must be a key: text of at most ${RECORD_KEY_CHARS_MAX} characters, a whole number or a boolean`,
  );
}

/**
 * Drops old records beyond the bound, at most two for each new one, so that nobody pays at once for a bound that was
 * lowered.
 *
 * @param first The number of the oldest record.
 * @param number The number of the new one.
 * @returns The numbers of the dropped ones.
 */
export function droppedFor(first: number, number: number, keep: number): readonly number[] {
  return [first, first + 1].slice(0, Math.max(0, number + 1 - first - keep));
}

/**
 * Numbers the records of a turn and drops old ones beyond the bound.
 *
 * @param mayDrop Whether old ones can be removed at present.
 * @returns The changed spans, and the records in order.
 */
export function numbered(
  spans: RecordSpans | undefined,
  fresh: readonly NewRecord[],
  policies: RecordPolicies,
  mayDrop: boolean,
): { readonly spans: RecordSpans; readonly records: readonly NumberedRecord[] } {
  const after: Record<string, RecordSpan> = {};
  const records = fresh.map((record): NumberedRecord => {
    const { name, keys } = record;
    const [first, number, isKeyed] = after[name] ?? spans?.[name] ?? [1, 1, false];
    const dropped = mayDrop ? droppedFor(first, number, policies.get(name)!.keep.count) : [];
    after[name] = [first + dropped.length, number + 1, isKeyed || keys !== null];
    return { ...record, number, dropped };
  });
  return { spans: after, records };
}

/** Checks the number of records of one turn. Throws BOSUN_VALUE_REFUSED. */
export function checkRecordCount(count: number, address: string): void {
  if (count <= RECORDS_PER_TURN_MAX) return;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `${address} records more than ${RECORDS_PER_TURN_MAX} values in one turn`,
  );
}

/** The key of a record, or of a kept turn. */
export function recordKey(life: number, name: string, number: number): RowKey {
  if (name === KEPT_TURNS) return turnKey(life, number);
  return `${KEYSPACE.records}!${ordered(life)}!${name}!${ordered(number)}`;
}

/** The key of a span that is no part of a state. */
export function spanKey(life: number, name: string): RowKey {
  return rowKey(KEYSPACE.turnSpans, name === KEPT_TURNS ? life : `${ordered(life)}!${name}`);
}

/** The common prefix of all index entries for an agent's key; the value and its end follow. */
export function recordIndexUnder(agent: string, name: string, key: string): RowKey {
  return `${KEYSPACE.recordKeys}!${keyText(agent)}!${name}!${key}!`;
}

/** The common prefix of all index entries for one value of an agent's key; the rest of an entry sorts by time. */
export function recordIndexPrefix(agent: string, name: string, key: string, value: string): RowKey {
  return `${recordIndexUnder(agent, name, key)}${keyText(value)}!`;
}

/** The range of all index entries of an agent's records. */
export function recordIndexOf(agent: string): { readonly gte: RowKey; readonly lt: string } {
  const place = `${KEYSPACE.recordKeys}!${keyText(agent)}` as const;
  // A double quote sorts right behind the exclamation mark.
  return { gte: `${place}!`, lt: `${place}"` };
}

/** The index entries that lead to a record. */
export function recordIndexKeys(
  agent: string,
  name: string,
  life: number,
  [atMs, , , order, keys]: RecordRow,
): RowKey[] {
  const place = `${ordered(Math.max(0, Math.floor(atMs)))}${ordered(order)}${ordered(life)}`;
  return Object.entries(keys ?? {}).map(
    ([key, value]) => `${recordIndexPrefix(agent, name, key, value)}${place}` as RowKey,
  );
}
