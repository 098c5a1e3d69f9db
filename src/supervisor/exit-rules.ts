/** Decides about a child that ended, by OTP's restart types, intensity and backoff. Pure. */
import { type ChildExit, type ChildRow, type RestartMode } from '../actors/model/supervision.ts';
import { backoffMs } from '../backoff.ts';
import { brief } from './brief.ts';
import { type AutoShutdown, type ChildSpec } from './child-spec.ts';
import { addRestart, type Intensity, type Window } from './intensity.ts';

/** A Boss's record of one child. Kept by the kernel, one row a child. */
export interface ChildRecord extends ChildRow {
  readonly spec: ChildSpec;
  /** Its place in the order of first starts among its siblings: strategies go by it. */
  readonly position: number;
  /**
   * Started by an order, which is told if that fails: then it is forgotten again, or stays ended. Declared children:
   * absent.
   */
  readonly onDemand?: 'start' | 'restart';
  /** Delayed restarts in a row, for backoff. */
  readonly consecutive: number;
  /** Kernel time of the last start; 0 for one that was started together with its Boss. */
  readonly startedAtMs: number;
  /** When and how a waiting child is started again, kernel time. */
  readonly retry: { readonly atMs: number; readonly mode: RestartMode } | null;
  /** Restarts since it was started, redeliveries of one message counted once. */
  readonly restarts: number;
  readonly lastError: unknown;
}

export type Decision =
  | { readonly kind: 'restart'; readonly mode: RestartMode; readonly window: Window; readonly record: ChildRecord }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly record: ChildRecord }
  /** `isForgotten`: as if it had never been started. */
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

/** @param random In [0, 1), for the jitter of a backoff. */
export function decideExit(situation: Situation, exit: ChildExit, random: number): Decision {
  const { window, limit, nowMs } = situation;
  const { spec } = situation.record;
  const record: ChildRecord = { ...situation.record, lastError: brief(exit.error) };
  const isRefused = exit.isUnborn === true && record.onDemand !== undefined;
  // A start by order that fails is the affair of who ordered it (OTP: start_child returns the error), and counts
  // nowhere.
  if (isRefused || !isRestarted(spec, exit)) {
    const isForgotten = isRefused && record.onDemand === 'start';
    return { kind: 'end', reason: exit.reason, record: { ...record, status: 'ended', retry: null }, isForgotten };
  }
  const mode = modeOf(spec, exit);
  // Waiting does not help against a message: it is delivered again at once, until it is quarantined.
  if (exit.redelivery) return { kind: 'restart', mode, window, record };
  // What bounds these is the quarantine of the message, the suspension of the agent, and the client's rate.
  if (exit.byClient === true)
    return { kind: 'restart', mode, window, record: { ...record, startedAtMs: nowMs, restarts: record.restarts + 1 } };
  if (spec.backoff === undefined) return restartNow({ ...situation, record }, mode);
  const { minMs, maxMs, resetAfterMs = (minMs + maxMs) / 2, maxConsecutive = Infinity } = spec.backoff;
  const isWell = nowMs - record.startedAtMs >= resetAfterMs;
  const consecutive = isWell ? 0 : record.consecutive;
  if (consecutive >= maxConsecutive) return { kind: 'give-up', error: record.lastError };
  const delayMs = backoffMs(consecutive, spec.backoff, random);
  const atMs = nowMs + delayMs;
  // A restart counts when it runs, and the window may only fill until then. One too many need not be waited for.
  if (addRestart(window, atMs, limit) === null) return { kind: 'give-up', error: record.lastError };
  return {
    kind: 'wait',
    delayMs,
    record: { ...record, status: 'waiting', consecutive: consecutive + 1, retry: { atMs, mode } },
  };
}

/** Decides about a child whose delayed restart has come; null where it does not wait any more. */
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

/** @see OTP supervisor manual, "Restart types". A Boss below that gave up exits with `shutdown`. */
function isRestarted({ restart = 'permanent' }: ChildSpec, { reason }: ChildExit): boolean {
  if (restart === 'permanent') return true;
  return restart === 'transient' && reason === 'error';
}

/**
 * Whether a Boss ends because this child has ended by itself.
 *
 * @param records Its children, as of before.
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

/** Only after a failure is there a state to go on from; a Boss always begins anew, because its children are gone. */
function modeOf(spec: ChildSpec, { reason }: ChildExit): RestartMode {
  return reason === 'error' && !('boss' in spec) ? spec.resume : 'initial';
}
