/** What a Boss does about a child that ended: OTP's table of restart types, intensity and backoff. Pure. */
import { backoffMs, resetAfterMs } from './backoff.ts';
import { type ChildSpec } from './child-spec.ts';
import { addRestart, type Intensity } from './intensity.ts';

/** A Boss's record of one child. Kept by the kernel, one row a child. */
export interface ChildRecord {
  readonly spec: ChildSpec;
  /** `waiting`: its restart is delayed by backoff. `ended`: the spec is kept, nothing runs. */
  readonly status: 'running' | 'waiting' | 'ended';
  /** Restarts in a row, for backoff. */
  readonly consecutive: number;
  readonly startedAtMs: number;
  /** When a waiting child is started again, kernel time. */
  readonly retryAtMs: number | null;
  readonly restarts: number;
  readonly lastError: unknown;
}

/** How a child ended, as the kernel tells it. */
export interface ChildExit {
  readonly reason: 'normal' | 'error' | 'shutdown';
  readonly error: unknown;
  /** The same message crashed it before; that restart has been counted. */
  readonly redelivery: boolean;
}

export type RestartMode = 'committed' | 'initial';

export type Decision =
  | { readonly kind: 'restart'; readonly mode: RestartMode; readonly window: readonly number[]; readonly record: ChildRecord }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly record: ChildRecord }
  | { readonly kind: 'end'; readonly keepSpec: boolean; readonly record: ChildRecord }
  | { readonly kind: 'give-up'; readonly error: unknown };

export interface Situation {
  readonly record: ChildRecord;
  readonly exit: ChildExit;
  /** Past restarts of the Boss, newest first, kernel time. */
  readonly window: readonly number[];
  readonly limit: Intensity;
  readonly nowMs: number;
  readonly random: number;
}

export function decideExit({ record, exit, window, limit, nowMs, random }: Situation): Decision {
  const { spec } = record;
  const failed: ChildRecord = { ...record, lastError: exit.error };
  if (!isRestarted(spec, exit)) {
    return { kind: 'end', keepSpec: spec.restart !== 'temporary', record: { ...failed, status: 'ended', retryAtMs: null } };
  }
  const mode: RestartMode = exit.reason === 'error' ? spec.resume : 'initial';
  if (exit.redelivery) return { kind: 'restart', mode, window, record: failed };
  if (spec.backoff === undefined) return restartNow({ record: failed, mode, window, limit, nowMs, exit });
  const isWell = nowMs - record.startedAtMs >= resetAfterMs(spec.backoff);
  const consecutive = isWell ? 0 : record.consecutive;
  const delayMs = backoffMs(consecutive, spec.backoff, random);
  // A restart is counted when it runs. One that is bound to be one too many need not be waited for.
  if (addRestart(window, nowMs + delayMs, limit) === null) return { kind: 'give-up', error: exit.error };
  return {
    kind: 'wait',
    delayMs,
    record: { ...failed, status: 'waiting', consecutive: consecutive + 1, retryAtMs: nowMs + delayMs },
  };
}

/** A waiting child's time has come. */
export function decideRetry({ record, window, limit, nowMs }: Omit<Situation, 'exit' | 'random'>): Decision {
  const exit: ChildExit = { reason: 'error', error: record.lastError, redelivery: false };
  return restartNow({ record, mode: record.spec.resume, window, limit, nowMs, exit });
}

function restartNow(facts: {
  record: ChildRecord;
  mode: RestartMode;
  window: readonly number[];
  limit: Intensity;
  nowMs: number;
  exit: ChildExit;
}): Decision {
  const { record, mode, limit, nowMs, exit } = facts;
  const window = addRestart(facts.window, nowMs, limit);
  if (window === null) return { kind: 'give-up', error: exit.error };
  const restarted: ChildRecord = {
    ...record,
    status: 'running',
    startedAtMs: nowMs,
    retryAtMs: null,
    restarts: record.restarts + 1,
  };
  return { kind: 'restart', mode, window, record: restarted };
}

/** @see OTP supervisor manual, "Restart types". A Boss below that gave up exits with `shutdown`. */
function isRestarted({ restart = 'permanent' }: ChildSpec, { reason }: ChildExit): boolean {
  if (restart === 'permanent') return true;
  return restart === 'transient' && reason === 'error';
}
