/**
 * The rules of a batch: how many items at a time, time limits, counts and retention, and when resources are available
 * (seed 002, CA-048 to CA-057). Pure; batch.ts acts on these rules and on the queries of batch-items.ts.
 */
import { z } from 'zod';
import { type Known, type PortContract } from '../../work/port.ts';
import { type GateDecision } from '../../work/threshold-gate.ts';
import { type PauseTrigger } from '../messages/messages.ts';

/** Most items that pause or resume at a time (CA-049, CA-050). */
export const CONCURRENCY = 5;

/** How long an unanswered order may hold a place. Other items need the place. */
export const SLOT_PATIENCE_MS = 30 * 60_000;

/** Time after which a batch that nobody resumes ends, as the pauses of its items do (CA-017: 30 days). */
export const BATCH_EXPIRY_MS = 30 * 24 * 60 * 60_000;

/** Retention of the records of ended batches (CA-057, CA-030). */
export const BATCH_RETENTION_MS = 90 * 24 * 60 * 60_000;

/**
 * Bounds of the interval between resource queries: the minimum applies if the port names no time, the maximum if it
 * names a later one.
 */
const RECHECK_MS_MIN = 60_000;
const RECHECK_MS_MAX = 24 * 60 * 60_000;

export interface BatchItem {
  readonly item: string;
  /** `waiting`: still to be paused. `failed`: could not be paused or resumed. */
  readonly state: 'waiting' | 'pausing' | 'paused' | 'resuming' | 'resumed' | 'failed';
  readonly pausedAtMs: number | null;
  /** The trigger of the item's pause; null if unknown. */
  readonly trigger: PauseTrigger | null;
  readonly error: string | null;
  /** Whether an order to the item is in progress. */
  readonly holdsSlot: boolean;
}

/**
 * Counts of a batch (CA-051). `pending` items have not reached one of the other states yet; the four counts add up to
 * `total`.
 */
export interface BatchCounts {
  readonly total: number;
  readonly paused: number;
  readonly resumed: number;
  readonly failed: number;
  readonly pending: number;
}

export type BatchStatus = 'IN_PROGRESS' | 'COMPLETED' | 'PARTIALLY_FAILED' | 'FAILED';

/** The record of a batch (CA-057). Its items are stored beside it. */
export interface BatchRecord extends BatchCounts {
  readonly id: string;
  /** The name of the batch in lists. */
  readonly name: string;
  readonly reason: string;
  readonly correlationId: string | null;
  readonly phase: 'pausing' | 'paused' | 'resuming' | 'finished';
  readonly status: BatchStatus;
  readonly concurrencyLimit: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** The time until which resumption waits for resources; null if it does not wait. */
  readonly notBeforeMs: number | null;
  /** A remark for people, for example that resources could not be queried. */
  readonly note: string | null;
  /** The decision whether so many items have failed that the whole batch is paused again. */
  readonly decision: GateDecision;
}

/** The availability of one of the three resources that resumption needs (CA-054). */
const availability = z
  .discriminatedUnion('isFree', [
    z.object({ isFree: z.literal(true) }),
    z.object({ isFree: z.literal(false), notBeforeMs: z.number().or(z.literal(Infinity)).nullable() }),
  ])
  .readonly();

/** The answer of the port `resources`. */
const resources = z.object({ apiQuota: availability, compute: availability, connections: availability }).readonly();
export type Resources = z.infer<typeof resources>;

/** The contract of the port `resources`. An answer that does not arrive in time counts as unknown. */
export const RESOURCES: PortContract<Resources> = { what: 'the resources', answer: resources, timeoutMs: 30_000 };

export type Readiness =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly isReset: boolean };

/** Whether items may be resumed, and if not, the latest time at which a missing resource is available again. */
export function readinessOf({ apiQuota, compute, connections }: Resources, nowMs: number): Readiness {
  const lacking = [apiQuota, compute, connections].flatMap((resource) =>
    resource.isFree ? [] : [resource.notBeforeMs],
  );
  if (lacking.length === 0) return { kind: 'go' };
  const named = lacking.filter((atMs) => atMs !== null && atMs > nowMs);
  const untilMs = Math.max(...(named as number[]), lacking.length > named.length ? nowMs + RECHECK_MS_MIN : nowMs);
  return { kind: 'wait', untilMs: Math.min(untilMs, nowMs + RECHECK_MS_MAX), isReset: named.length > 0 };
}

/** The fields of a batch's record that an answer about resources sets. */
type Waiting = Pick<BatchRecord, 'notBeforeMs' | 'note'>;

/**
 * The time of the next resource query before resuming. If the answer is unknown, the item is resumed and the record
 * says so: no item may be delayed for ever.
 */
export function waitingFor(said: Known<Resources>, nowMs: number): Waiting {
  if (!said.isKnown) return { notBeforeMs: null, note: said.why };
  const readiness = readinessOf(said.value, nowMs);
  return { notBeforeMs: readiness.kind === 'wait' ? readiness.untilMs : null, note: null };
}

/**
 * The time at which a paused batch resumes automatically; null if it is not known when the missing resources are
 * available again.
 */
export function waitingForReset(said: Known<Resources>, nowMs: number): Waiting {
  if (!said.isKnown) return { notBeforeMs: null, note: said.why };
  const readiness = readinessOf(said.value, nowMs);
  return { notBeforeMs: readiness.kind === 'wait' && readiness.isReset ? readiness.untilMs : null, note: null };
}
