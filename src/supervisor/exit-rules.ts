/** Decides about an ended child, by OTP's restart types, intensity and backoff. Pure. */
import { type ChildExit, type RestartMode } from '../actors/model/supervision.ts';
import { backoffMs } from '../backoff.ts';
import { brief } from './brief.ts';
import { type AutoShutdown, type ChildSpec } from './child-spec.ts';
import { type ChildRecord, type Decision, type Situation } from './decision.ts';
import { addRestart } from './intensity.ts';
import { beyond, restarted, restartedAlone, windowOf, withFailure } from './own-failures.ts';

/**
 * Decides about an ended child.
 *
 * @param random A number in [0, 1), for the jitter of a backoff.
 */
export function decideExit(situation: Situation, exit: ChildExit, random: number): Decision {
  const { window, nowMs } = situation;
  const { spec } = situation.record;
  const record: ChildRecord = { ...situation.record, lastError: brief(exit.error) };
  const isRefused = exit.isUnborn === true && record.onDemand !== undefined;
  // A failed start by order is reported to the author of the order (OTP: start_child returns the error), and is not
  // counted.
  if (isRefused || !isRestarted(spec, exit)) {
    const isForgotten = (isRefused && record.onDemand === 'start') || record.isSpawned === true;
    return { kind: 'end', reason: exit.reason, record: { ...record, status: 'ended', retry: null }, isForgotten };
  }
  const mode = modeOf(spec, exit);
  // Waiting does not help against a bad message: it is delivered again at once, until it is quarantined.
  if (exit.redelivery) return { kind: 'restart', mode, window, record };
  // These are bounded by the quarantine of the message, the suspension of the agent, and the client's rate.
  if (exit.byClient === true)
    return { kind: 'restart', mode, window, record: { ...record, startedAtMs: nowMs, restarts: record.restarts + 1 } };
  const failed = { ...situation, record: situation.escalates ? record : withFailure({ ...situation, record }) };
  return spec.backoff === undefined
    ? (restartNow(failed, mode) ?? beyond(failed, exit, { mode }))
    : restartLater(failed, exit, { mode, backoff: spec.backoff, random });
}

/** Decides about a child whose restart delay is over; null if it does not wait any more. */
export function decideRetry(situation: Situation): Decision | null {
  const { record, escalates } = situation;
  const { status, retry } = record;
  if (status !== 'waiting' || retry === null) return null;
  if (!escalates) return restartedAlone(situation, retry);
  return restartNow(situation, retry.mode) ?? { kind: 'give-up', error: record.lastError };
}

interface Delay {
  readonly mode: RestartMode;
  readonly backoff: NonNullable<ChildSpec['backoff']>;
  readonly random: number;
}

function restartLater(failed: Situation, exit: ChildExit, { mode, backoff, random }: Delay): Decision {
  const { record, nowMs, limit } = failed;
  const { minMs, maxMs, resetAfterMs = (minMs + maxMs) / 2, maxConsecutive = Infinity } = backoff;
  const isWell = nowMs - record.startedAtMs >= resetAfterMs;
  const consecutive = isWell ? 0 : record.consecutive;
  if (consecutive >= maxConsecutive) return beyond(failed, exit, { mode, isLast: true });
  const delayMs = backoffMs(consecutive, backoff, random);
  const atMs = nowMs + delayMs;
  const delayed: ChildRecord = { ...record, status: 'waiting', consecutive: consecutive + 1, retry: { atMs, mode } };
  // A restart counts when it runs, and the window may only fill until then. If it is already one too many, there is no
  // need to wait.
  if (addRestart(windowOf(failed), atMs, limit) === null)
    return beyond({ ...failed, record: delayed }, exit, { mode, delayMs });
  return { kind: 'wait', delayMs, record: delayed };
}

/** Restarts a child at once; null if that is beyond the limit. */
function restartNow(situation: Situation, mode: RestartMode): Decision | null {
  const next = addRestart(windowOf(situation), situation.nowMs, situation.limit);
  return next && restarted(situation, mode, next);
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
