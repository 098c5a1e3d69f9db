/**
 * Results: what stays of an actor under a Boss when it has ended. The option that an agent declares, the stored form
 * and its keys. Pure; world/results.ts writes and removes them.
 */
import { RECORDS_KEPT, RESULTS_KEPT_DAYS, RECORDS_KEPT_MAX } from '../../limits.ts';
import { type KeepBounds, type KeepPolicy, parseBounds } from './keep-bounds.ts';
import { KEYSPACE, type RowKey } from './ports.ts';
import { type RecordSpans, type StoredRecords } from './records.ts';
import { ordered } from './row-keys.ts';

/**
 * The ways in which an actor can end. `done`: its machine reached a final state. `failed`: with an error, and its Boss
 * did not restart it. `gaveUp`: with an error because of which its Boss gave up. `stopped`: by an order, or with its
 * Boss.
 */
export type Ending = 'done' | 'stopped' | 'failed' | 'gaveUp';

export const ENDINGS = ['done', 'stopped', 'failed', 'gaveUp'] as const satisfies readonly Ending[];

/** The option of an agent for what is kept of its actors beyond their end. */
export interface KeepOptions {
  /** The results of ended actors. Default: the last 10,000, for 30 days; a count of 0 keeps none. */
  readonly ended?: KeepBounds;
}

/** The end of an actor in the order of all ends: kernel time and life, fourteen hexadecimal digits each. */
export type EndPlace = string;

/** The place at which the result of an ended actor is stored. */
export type ResultPlace = readonly [agent: string, place: EndPlace];

/** A stored result. Its key has the agent, the time of the end, and the life. */
export type ResultRow = readonly [
  address: string,
  status: Ending,
  /** The output of an actor that is done, the error of one that failed; otherwise undefined. */
  value: unknown,
  version: number,
  startedAtMs: number | null,
  attempts: number,
  sequence: number,
  records: RecordSpans | null,
];

/** The result of an actor that has ended. */
export interface ActorResult {
  readonly address: string;
  readonly agent: string;
  readonly version: number;
  /** The life that ended; another actor at its address has another one. */
  readonly life: number;
  readonly status: Ending;
  /** The output of an actor that is done. */
  readonly output: unknown;
  /** The error of an actor that failed. */
  readonly error: unknown;
  /** Kernel time of its first start; null where that is unknown, because an earlier build started it. */
  readonly startedAtMs: number | null;
  /** Kernel time of its end. */
  readonly endedAtMs: number;
  /** How often it was started: once, and once more for each restart by its Boss. */
  readonly attempts: number;
  /** Number of changes of its state. */
  readonly sequence: number;
  /** The names under which it has recorded something, and the range of stored numbers. */
  readonly records: readonly StoredRecords[];
}

/** Parses the option `keep` of an agent. Throws a RangeError that says what is wrong. */
export function parseKeep({ ended }: KeepOptions = {}): KeepPolicy {
  const defaults = { count: RECORDS_KEPT, days: RESULTS_KEPT_DAYS, atLeast: 0, atMost: RECORDS_KEPT_MAX };
  return parseBounds('keep.ended', ended, defaults);
}

/** The policy of an agent that declares none. */
export const KEPT_BY_DEFAULT: KeepPolicy = parseKeep();

/** The place of an end in the order of all ends. */
export function endPlace(endedAtMs: number, life: number): EndPlace {
  return `${ordered(Math.max(0, Math.floor(endedAtMs)))}${ordered(life)}`;
}

/** A place of an end, as it is written. */
export const END_PLACE = /^[0-9a-f]{28}$/;

export function endedAtOf(place: EndPlace): number {
  return parseInt(place.slice(0, 14), 16);
}

export function lifeOfEnd(place: EndPlace): number {
  return parseInt(place.slice(14), 16);
}

/** The key of a result. Names of agents are ASCII without an exclamation mark. */
export function resultKey([agent, place]: ResultPlace): RowKey {
  return `${KEYSPACE.results}!${agent}!${place}`;
}

/** The place in the key of a result. */
export function placeInKey(key: string): ResultPlace {
  const [, agent, place] = key.split('!');
  return [agent!, place!];
}

/** The limits of a range of results: a time, and places behind or before which it is. */
interface ResultLimits {
  readonly sinceMs?: number;
  readonly after?: EndPlace | undefined;
  readonly before?: EndPlace | undefined;
}

/** The range of an agent's results. */
export function resultRange(
  agent: string,
  { sinceMs = 0, after, before }: ResultLimits = {},
): { readonly gte: string; readonly lt: string } {
  const since = endPlace(sinceMs, 0);
  // A place and the first of all characters is behind the place; a double quote is right behind the exclamation mark.
  const gte = after === undefined || after < since ? resultKey([agent, since]) : `${resultKey([agent, after])}!`;
  return { gte, lt: before === undefined ? `${KEYSPACE.results}!${agent}"` : resultKey([agent, before]) };
}

/** The key by which the latest result of an address is found. */
export function endedAddressKey(address: string): RowKey {
  return `${KEYSPACE.endedAddresses}!${address}`;
}

/** The key by which the result of a life is found, whose records are found by keys. */
export function endedLifeKey(life: number): RowKey {
  return `${KEYSPACE.endedLives}!${ordered(life)}`;
}

export function resultOf([agent, place]: ResultPlace, row: ResultRow): ActorResult {
  const [address, status, value, version, startedAtMs, attempts, sequence, spans] = row;
  return Object.freeze({
    address,
    agent,
    version,
    life: lifeOfEnd(place),
    status,
    output: status === 'done' ? value : undefined,
    error: status === 'done' ? undefined : value,
    startedAtMs,
    endedAtMs: endedAtOf(place),
    attempts,
    sequence,
    records: Object.entries(spans ?? {}).map(([name, [first, next]]) => ({ name, first, last: next - 1 })),
  });
}
