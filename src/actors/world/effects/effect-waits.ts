/**
 * The waits of an effect between two starts: between two tries that its agent's policy allows, and before it starts
 * again after it failed and its machine went on without handling that. A wait is a timer of the effect, and so outlives
 * the process; failures are counted in the effect's row.
 */
import { RESTART_BACKOFF, WELL_AFTER_MS } from '../../model/effect-policy.ts';
import { backoffMs } from '../../../backoff.ts';
import { type Cell } from '../cell.ts';
import { KEYSPACE } from '../../model/ports.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Surroundings } from '../surroundings.ts';
import { type World } from '../world.ts';

/** The timer of a wait, and its event. */
const RETRY = 'bosun.effect.retry';

/** Whether the effect has failed and waits for its next start. Completions of its last start are ignored. */
export function isWaiting(cell: Cell): boolean {
  return cell.timers.has(RETRY);
}

/** Kernel time of the next start of a waiting effect; null for others. */
export function nextStartMs(cell: Cell): number | null {
  return cell.timers.get(RETRY)?.deadlineMs ?? null;
}

/** Whether a timer is that of a wait. */
export function endsWait(timer: { readonly id: string } | null): boolean {
  return timer?.id === RETRY;
}

/** Lets an effect wait before its next start. */
export function wait(world: World, cell: Cell, delayMs: number): void {
  world.timers.arm(cell, { id: RETRY, delayMs, delay: null, to: cell.life, event: Object.freeze({ type: RETRY }) });
}

/**
 * Counts a failure that ended the effect, and keeps the count in its row, because it may be started once more.
 *
 * @param ranMs How long it ran; undefined if that is not known.
 */
export function countEnd({ draft }: Pick<Surroundings, 'draft'>, cell: Cell, ranMs = 0): void {
  cell.ends = ranMs >= WELL_AFTER_MS ? 1 : cell.ends + 1;
  putEffectRow({ draft }, cell);
}

/** Delays the next start of an effect that has failed, by its failures in a row. */
export function delayStart(world: World, cell: Cell, random: number): void {
  if (cell.ends > 0) wait(world, cell, backoffMs(cell.ends - 1, RESTART_BACKOFF, random));
}

/** Removes the count of an effect that is never started again. */
export function forgetEnds({ draft }: Pick<Surroundings, 'draft'>, cell: Cell): void {
  if (cell.ends === 0) return;
  cell.ends = 0;
  draft.remove(rowKey(KEYSPACE.roll, cell.life));
}

/** Writes the row of a live or failed effect: its attempt, the failed tries since its begin, and its failed ends. */
export function putEffectRow({ draft }: Pick<Surroundings, 'draft'>, { life, state, failures, ends }: Cell): void {
  const { attempt } = state;
  const counts = ends > 0 ? [attempt, failures, ends] : [attempt, failures];
  draft.put(rowKey(KEYSPACE.roll, life), failures + ends === 0 ? attempt : Object.freeze(counts));
}
