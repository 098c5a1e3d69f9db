/**
 * Polling: the one place in which a test waits for a condition that sends no signal, and the one bound of such waits.
 * No other wait has a bound: the time-out of the test ends it (effort.ts).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { PATIENCE_MS } from './effort.ts';

/** Interval of polling. */
const POLL_MS = 10;

/** Longest wait for a condition: shorter than the test's time-out, so that the error names the condition. */
const CONDITION_MS_MAX = PATIENCE_MS / 2;

/** Polls a condition that cannot be subscribed to. Rejects with its name if it does not come. */
export async function until(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const deadlineMs = performance.now() + CONDITION_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${what()}`);
    await wait(POLL_MS);
  }
}

/** Lets the event loop go round a number of times: it runs whatever is ready, and lets no time pass. */
export async function loopRounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}
