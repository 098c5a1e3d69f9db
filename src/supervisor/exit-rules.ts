/** Decides about an ended child, by OTP's restart types, intensity and backoff. Pure. */
import { type ChildExit, type ChildRow, type RestartMode } from '../actors/model/supervision.ts';
import { backoffMs } from '../backoff.ts';
import { brief } from './brief.ts';
import { type AutoShutdown, type ChildSpec } from './child-spec.ts';
import { addRestart, type Intensity, type Window } from './intensity.ts';

/** A Boss's record of one child. The kernel stores it, one row per child. */
export interface ChildRecord extends ChildRow {
  readonly spec: ChildSpec;
  /** The child's place in the order of first starts among its siblings, which strategies use. */
  readonly position: number;
  /**
   * The order that started the child; absent for declared children. The order gets a failure of that start, and the
   * child is then forgotten again, or stays ended.
   */
  readonly onDemand?: 'start' | 'restart';
  /** Number of consecutive delayed restarts, for backoff. */
  readonly consecutive: number;
  /** Kernel time of the last start; 0 for a child started together with its Boss. */
  readonly startedAtMs: number;
  /** The kernel time and the mode in which a waiting child is started again. */
  readonly retry: { readonly atMs: number; readonly mode: RestartMode } | null;
  /** Restarts since it was started; redeliveries of one message count once. */
  readonly restarts: number;
  readonly lastError: unknown;
}

export type Decision =
  | { readonly kind: 'restart'; readonly mode: RestartMode; readonly window: Window; readonly record: ChildRecord }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly record: ChildRecord }
  /** The child ends. With `isForgotten`, its record is removed as if it had never been started. */
  | {
      readonly kind: 'end';
      readonly reason: ChildExit['reason'];
      readonly record: ChildRecord;
      readonly isForgotten: boolean;
    }
  | { readonly kind: 'give-up'; readonly error: unknown };

/** The facts of a decision. */
export interface Situation {
  readonly record: ChildRecord;
  /** Past restarts of the Boss. */
  readonly window: Window;
  readonly limit: Intensity;
  readonly nowMs: number;
}

/**
 * Decides about an ended child.
 *
 * @param random A number in [0, 1), for the jitter of a backoff.
 */
export function decideExit(situation: Situation, exit: ChildExit, random: number): Decision {
  const { window, limit, nowMs } = situation;
  const { spec } = situation.record;
  const record: ChildRecord = { ...situation.record, lastError: brief(exit.error) };
  const isRefused = exit.isUnborn === true && record.onDemand !== undefined;
  // A failed start by order is reported to the author of the order (OTP: start_child returns the error), and is not
  // counted.
  if (isRefused || !isRestarted(spec, exit)) {
    const isForgotten = isRefused && record.onDemand === 'start';
    return { kind: 'end', reason: exit.reason, record: { ...record, status: 'ended', retry: null }, isForgotten };
  }
  const mode = modeOf(spec, exit);
  // Waiting does not help against a bad message: it is delivered again at once, until it is quarantined.
  if (exit.redelivery) return { kind: 'restart', mode, window, record };
  // These are bounded by the quarantine of the message, the suspension of the agent, and the client's rate.
  if (exit.byClient === true)
    return { kind: 'restart', mode, window, record: { ...record, startedAtMs: nowMs, restarts: record.restarts + 1 } };
  if (spec.backoff === undefined) return restartNow({ ...situation, record }, mode);
  const { minMs, maxMs, resetAfterMs = (minMs + maxMs) / 2, maxConsecutive = Infinity } = spec.backoff;
  const isWell = nowMs - record.startedAtMs >= resetAfterMs;
  const consecutive = isWell ? 0 : record.consecutive;
  if (consecutive >= maxConsecutive) return { kind: 'give-up', error: record.lastError };
  const delayMs = backoffMs(consecutive, spec.backoff, random);
  const atMs = nowMs + delayMs;
  // A restart counts when it runs, and the window may only fill until then. If it is already one too many, there is no
  // need to wait.
  if (addRestart(window, atMs, limit) === null) return { kind: 'give-up', error: record.lastError };
  return {
    kind: 'wait',
    delayMs,
    record: { ...record, status: 'waiting', consecutive: consecutive + 1, retry: { atMs, mode } },
  };
}

/** Decides about a child whose restart delay is over; null if it does not wait any more. */
export function decideRetry(situation: Situation): Decision | null {
  const { status, retry } = situation.record;
  return status === 'waiting' && retry !== null ? restartNow(situation, retry.mode) : null;
}

function restartNow({ record, window, limit, nowMs }: Situation, mode: RestartMode): Decision {
  const next = addRestart(window, nowMs, limit);
  if (next === null) return { kind: 'give-up', error: record.lastError };
  const restarts = record.restarts + 1;
  return {
    kind: 'restart',
    mode,
    window: next,
    record: { ...record, status: 'running', startedAtMs: nowMs, retry: null, restarts },
  };
}

/**
 * Whether a child is restarted.
 *
 * @see OTP supervisor manual, "Restart types". A Boss below that gave up exits with `shutdown`.
 */
function isRestarted({ restart = 'permanent' }: ChildSpec, { reason }: ChildExit): boolean {
  if (restart === 'permanent') return true;
  return restart === 'transient' && reason === 'error';
}

/**
 * Whether a Boss ends because this child has ended by itself.
 *
 * @param records Its children before the turn.
 * @see OTP supervisor manual, "Automatic shutdown".
 */
export function isShutDownBy(
  { record, isForgotten }: Extract<Decision, { kind: 'end' }>,
  autoShutdown: AutoShutdown | undefined,
  records: Iterable<ChildRecord>,
): boolean {
  if (isForgotten || autoShutdown === undefined || autoShutdown === 'never' || record.spec.significant !== true)
    return false;
  if (autoShutdown === 'any_significant') return true;
  for (const other of records) {
    if (other.spec.significant === true && other.status !== 'ended' && other.spec.id !== record.spec.id) return false;
  }
  return true;
}

/**
 * The mode of a restart. Only after a failure is there a state to go on from; a Boss always begins anew, because its
 * children are gone.
 */
function modeOf(spec: ChildSpec, { reason }: ChildExit): RestartMode {
  return reason === 'error' && !('boss' in spec) ? spec.resume : 'initial';
}
