/**
 * The failures of one child alone, by which a Boss that does not escalate decides: beyond the limit the child gets a
 * second chance after a period, and beyond it once more it is suspended. The others go on. Pure.
 */
import { type ChildExit, type RestartMode } from '../actors/model/supervision.ts';
import { type ChildRecord, type Decision, type OwnFailures, type Situation } from './decision.ts';
import { addRestart, type Window } from './intensity.ts';

const WELL: OwnFailures = { window: [], failures: 0, isWarned: false };

/**
 * Restarts a child.
 *
 * @param window The restarts that count, this one included.
 */
export function restarted({ record, escalates, nowMs }: Situation, mode: RestartMode, window: Window): Decision {
  const restarts = record.restarts + 1;
  const running: ChildRecord = { ...record, status: 'running', startedAtMs: nowMs, retry: null, restarts };
  if (escalates) return { kind: 'restart', mode, window, record: running };
  return { kind: 'restart', mode, window, record: { ...running, own: { ...ownOf(record), window } } };
}

/** Restarts a child whose delay is over. Its limit was judged when it failed, and it has had no restart since. */
export function restartedAlone(situation: Situation, retry: NonNullable<ChildRecord['retry']>): Decision {
  const { record, limit, nowMs } = situation;
  const { window } = ownOf(record);
  const { mode, isSecondChance = false } = retry;
  if (isSecondChance) return restarted(situation, mode, window);
  return restarted(situation, mode, addRestart(window, nowMs, { ...limit, intensity: Infinity })!);
}

/**
 * Decides about a child whose restart would be one too many.
 *
 * @param how.delayMs The delay of its own backoff.
 * @param how.isLast Whether its spec allows no further restart in this row.
 */
export function beyond(
  { record, limit, escalates, nowMs }: Situation,
  exit: ChildExit,
  { mode, delayMs = 0, isLast = false }: { mode: RestartMode; delayMs?: number; isLast?: boolean },
): Decision {
  if (escalates) return { kind: 'give-up', error: record.lastError };
  const { failures, isWarned } = ownOf(record);
  // What does not exist cannot be suspended. Most often its name is taken, and it may become free.
  if ((isWarned || isLast) && exit.isAbsent !== true) {
    const fresh: ChildRecord = { ...record, status: 'running', retry: null, consecutive: 0, own: WELL };
    return { kind: 'suspend', mode, failures, record: fresh };
  }
  const waitMs = Math.max(limit.periodMs, delayMs);
  const retry = { atMs: nowMs + waitMs, mode, isSecondChance: true } as const;
  const own = { window: [], failures, isWarned: true };
  return { kind: 'wait', delayMs: waitMs, record: { ...record, status: 'waiting', retry, own } };
}

/** The record with one more failure of the child, which begins a new row if the child was well. */
export function withFailure({ record, limit: { periodMs }, nowMs }: Situation): ChildRecord {
  const { window, ...row } = ownOf(record);
  const { failures, isWarned } = nowMs - record.startedAtMs >= periodMs ? WELL : row;
  return { ...record, own: { window, failures: failures + 1, isWarned } };
}

/** The restarts that count against the limit. */
export function windowOf({ escalates, window, record }: Situation): Window {
  return escalates ? window : ownOf(record).window;
}

function ownOf({ own = WELL }: ChildRecord): OwnFailures {
  return own;
}
