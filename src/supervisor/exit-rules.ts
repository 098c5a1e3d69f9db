/** What a Boss does about a child that ended: OTP's table of restart types, intensity and backoff. Pure. */
import { backoffMs } from '../backoff.ts';
import { resetAfterMs } from './backoff.ts';
import { brief } from './brief.ts';
import { type AutoShutdown, type ChildSpec } from './child-spec.ts';
import { addRestart, type Intensity, type Window } from './intensity.ts';

/** Go on from the last committed state, or begin anew. */
export type RestartMode = 'committed' | 'initial';

/** A Boss's record of one child. Kept by the kernel, one row a child. */
export interface ChildRecord {
  readonly spec: ChildSpec;
  /** Its place in the order of first starts among its siblings; strategies for groups go by it. */
  readonly position: number;
  /**
   * `waiting`: its restart is delayed by backoff. `stopping`: told to end. `ended`: the record is kept, nothing runs.
   */
  readonly status: 'running' | 'waiting' | 'stopping' | 'ended';
  /**
   * Started by an order, which is told if that fails: then it is forgotten again, or stays ended. Declared children:
   * absent.
   */
  readonly onDemand?: 'start' | 'restart';
  /** Delayed restarts in a row, for backoff. */
  readonly consecutive: number;
  /** Kernel time of the last start; 0 for one that was started together with its Boss. */
  readonly startedAtMs: number;
  /** Of a waiting child: when it is started again, kernel time, and how. */
  readonly retry: { readonly atMs: number; readonly mode: RestartMode } | null;
  /** Restarts since it was started, redeliveries of one message counted once. */
  readonly restarts: number;
  readonly lastError: unknown;
}

/** How a child ended, as the kernel tells it. */
export interface ChildExit {
  /** `shutdown`: a Boss that gave up. */
  readonly reason: 'normal' | 'error' | 'shutdown';
  readonly error: unknown;
  /** The same message crashed it before; that restart has been counted. */
  readonly redelivery: boolean;
  /** The message of a client has brought it about. Nothing that a client sends may make a Boss give up (design P9). */
  readonly byClient?: boolean;
  /** Of a Boss that gave up: the child that it gave up over, as an address below it. */
  readonly over?: string;
  /** It has never taken a turn: its first start failed. */
  readonly isUnborn?: boolean;
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

/** What the Boss knows when it decides. */
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
  const isWell = nowMs - record.startedAtMs >= resetAfterMs(spec.backoff);
  const consecutive = isWell ? 0 : record.consecutive;
  if (consecutive >= (spec.backoff.maxConsecutive ?? Infinity)) return { kind: 'give-up', error: record.lastError };
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

/** What to do when a waiting child's time has come; null when it is not waiting (any more). */
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
