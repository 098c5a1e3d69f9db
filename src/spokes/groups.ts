/** Process groups: signals to all processes of a group, and the wait for its end. */
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import { CENSUS_SLICE } from '../limits.ts';
import { Proc, type ProcessIdentity } from './proc.ts';
import { after, nextTurn } from './waits.ts';

/** Interval of checks for dying processes. */
export const DYING_MS = 10;

/** Milliseconds within which any killed process has died. */
export const DEATH_MS = 500;

/** Sends a signal to all processes of a group. Does nothing if there are none. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  // 0 would be our own group, and 1 every process of the machine.
  if (group > 1) send(-group, signal);
}

/**
 * Sends a signal, to a process or, by a negative number, to a group.
 *
 * @returns Whether there was any process.
 */
export function send(target: number, signal: NodeJS.Signals | 0): boolean {
  assert(target !== 0 && target !== -1, 'a signal goes to somebody in particular');
  try {
    return process.kill(target, signal);
  } catch {
    // The process has ended meanwhile.
    return false;
  }
}

/**
 * Resolves when no process of a group lives, or the time is over. Without /proc dead processes count as living until
 * their parents have taken notice, which the first process of a container may never do.
 *
 * @returns Whether none lives.
 */
export async function groupEnd(group: number, withinMs: number, proc = new Proc()): Promise<boolean> {
  const untilMs = systemClock.monotonicMs() + withinMs;
  let members: readonly ProcessIdentity[] = [];
  while (send(-group, 0)) {
    if (members.every((one) => proc.isDead(one))) members = await living(group, proc);
    if (members.length === 0 && proc.exists) return true;
    if (systemClock.monotonicMs() >= untilMs) return false;
    await after(DYING_MS);
  }
  return true;
}

/** The living processes of a group. Empty without /proc. */
async function living(group: number, proc: Proc): Promise<ProcessIdentity[]> {
  const members: ProcessIdentity[] = [];
  for (const [index, pid] of proc.pids().entries()) {
    if (index % CENSUS_SLICE === 0) await nextTurn();
    const state = proc.state(pid);
    if (state?.group === group && !state.isDead) members.push(state);
  }
  return members;
}
