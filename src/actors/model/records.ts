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
import { keyText, ordered } from './row-keys.ts';
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
  /** The number of records kept of each actor, the latest. Default 10,000; 1 to 10,000,000. */
  readonly keep?: number;
  /**
   * Maximum age in milliseconds. Older records are not shown, and are removed within an hour while their actor is in
   * memory. Default: no limit.
   */
  readonly forMs?: number;
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
  readonly keep: number;
  readonly forMs: number;
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

/**
 * The name under which the kept turns of an ended actor are listed with its records while both are removed. No agent
 * can declare it. These entries have no keys.
 */
export const KEPT_TURNS = '.turns';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** Parses declared records. Throws a RangeError that says what is wrong. */
export function parseRecords(declared: Readonly<Record<string, RecordOptions | undefined>>): RecordPolicies {
  const entries = Object.entries(declared).flatMap(([name, options]) =>
    options === undefined ? [] : [[name, policyOf(name, options)] as const],
  );
  if (entries.length > RECORD_NAMES_MAX) throw new RangeError(`records have at most ${RECORD_NAMES_MAX} names`);
  return new Map(entries);
}

function policyOf(
  name: string,
  { schema, keep = RECORDS_KEPT, forMs = Infinity, keys = {} }: RecordOptions,
): RecordPolicy {
  const place = `records.${name}`;
  if (!NAME.test(name))
    throw new RangeError(`${place}: a name must be a letter followed by at most 63 letters, digits and _.-`);
  if (!Number.isSafeInteger(keep) || keep < 1 || keep > RECORDS_KEPT_MAX)
    throw new RangeError(`${place}: keep must be a whole number from 1 to ${RECORDS_KEPT_MAX}`);
  if (typeof forMs !== 'number' || !(forMs > 0))
    throw new RangeError(`${place}: forMs must be a time in milliseconds above 0`);
  const fields = Object.entries(keys);
  if (fields.length > RECORD_KEYS_MAX) throw new RangeError(`${place}: at most ${RECORD_KEYS_MAX} keys`);
  for (const [key, field] of fields) {
    if (!NAME.test(key)) throw new RangeError(`${place}: a key must be named like records, not "${key}"`);
    if (typeof field !== 'string' || field === '') throw new RangeError(`${place}: keys.${key} must name a field`);
    if (schema !== undefined && isSecretField(schema, field))
      throw new RangeError(`${place}: keys.${key}: "${field}" is secret, but keys are stored as plain text`);
  }
  return { schema, keep, forMs, keys: fields };
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
 * Numbers the records of a turn and drops old ones beyond the bound, at most two for each new one, so that no turn pays
 * for a bound that was lowered.
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
    const next = number + 1;
    const surplus = mayDrop ? next - first - policies.get(name)!.keep : 0;
    const dropped = [first, first + 1].slice(0, Math.max(0, surplus));
    after[name] = [first + dropped.length, next, isKeyed || keys !== null];
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

/** The key of a record. */
export function recordKey(life: number, name: string, number: number): RowKey {
  return `${KEYSPACE.records}!${ordered(life)}!${name}!${ordered(number)}`;
}

/** The common prefix of all index entries for one value of an agent's key; the rest of an entry sorts by time. */
export function recordIndexPrefix(agent: string, name: string, key: string, value: string): RowKey {
  return `${KEYSPACE.recordKeys}!${keyText(agent)}!${name}!${key}!${keyText(value)}!`;
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
