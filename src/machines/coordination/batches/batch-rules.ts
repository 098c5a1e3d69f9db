/**
 * How a batch goes: how many items at a time, how long things may take, what is counted and kept, and when resources
 * are there (seed 002, CA-048 to CA-057). Pure; batch.ts acts on it, and on what batch-items.ts says of all items.
 */
import { type PauseTrigger } from '../messages/messages.ts';

/** CA-049, CA-050: items that pause or resume at a time. */
export const CONCURRENCY = 5;

/** An item that does not answer holds its place no longer: others need it. */
export const SLOT_PATIENCE_MS = 30 * 60_000;

/** A batch that nobody resumes ends when its items do (CA-017: a pause expires after 30 days). */
export const BATCH_EXPIRY_MS = 30 * 24 * 60 * 60_000;

/** CA-057 and CA-030: records of batches that have ended are kept so long. */
export const BATCH_RETENTION_MS = 90 * 24 * 60 * 60_000;

/**
 * Resources are asked about again so soon when they have no time to name, and so late when the time named is further
 * off.
 */
const RECHECK_MS_MIN = 60_000;
const RECHECK_MS_MAX = 24 * 60 * 60_000;

export interface BatchItem {
  readonly item: string;
  /** `waiting`: to be paused yet. A `failed` one could not be paused, or not be resumed. */
  readonly state: 'waiting' | 'pausing' | 'paused' | 'resuming' | 'resumed' | 'failed';
  readonly pausedAtMs: number | null;
  /** Who had asked for its pause; null where that is not known. */
  readonly trigger: PauseTrigger | null;
  readonly error: string | null;
  /** Its order is under way. */
  readonly holdsSlot: boolean;
}

/** CA-051; `pending` are those that are on their way to one of the others. All four add up to `total`. */
export interface BatchCounts {
  readonly total: number;
  readonly paused: number;
  readonly resumed: number;
  readonly failed: number;
  readonly pending: number;
}

export type BatchStatus = 'IN_PROGRESS' | 'COMPLETED' | 'PARTIALLY_FAILED' | 'FAILED';

/** CA-057. The items of a batch stand beside it. */
export interface BatchRecord extends BatchCounts {
  readonly id: string;
  /** What a list calls it. */
  readonly name: string;
  readonly reason: string;
  readonly correlationId: string | null;
  readonly phase: 'pausing' | 'paused' | 'resuming' | 'finished';
  readonly status: BatchStatus;
  readonly concurrencyLimit: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Resumption waits for resources until then; null while it does not. */
  readonly notBeforeMs: number | null;
  /** What is to be said of it beside: resources that could not be asked about, say. */
  readonly note: string | null;
}

/** One of the three resources that a resumption needs (CA-054). */
export type Availability = { readonly isFree: true } | { readonly isFree: false; readonly notBeforeMs: number | null };

/** What the port `resources` answers. */
export interface Resources {
  readonly apiQuota: Availability;
  readonly compute: Availability;
  readonly connections: Availability;
}

export type Readiness =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly isReset: boolean };

/** The latest of the times at which what is lacking is there again. */
export function readinessOf({ apiQuota, compute, connections }: Resources, nowMs: number): Readiness {
  const lacking = [apiQuota, compute, connections].flatMap((resource) =>
    resource.isFree ? [] : [resource.notBeforeMs],
  );
  if (lacking.length === 0) return { kind: 'go' };
  const named = lacking.filter((atMs) => atMs !== null && atMs > nowMs);
  const untilMs = Math.max(...(named as number[]), lacking.length > named.length ? nowMs + RECHECK_MS_MIN : nowMs);
  return { kind: 'wait', untilMs: Math.min(untilMs, nowMs + RECHECK_MS_MAX), isReset: named.length > 0 };
}
