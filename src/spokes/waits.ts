/** Waits on the machine's clock, for commands and their processes. */
import { type Cancel, systemClock } from '../clock.ts';

/** Resolves after a time. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.setTimeout(resolve, ms));
}

/** Resolves in the next round of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.defer(resolve));
}

/** Waits for work that cannot fail, no longer than a time. Returns whether the work was over by then. */
export async function isWithin(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  let cancel: Cancel = () => {};
  const late = new Promise<boolean>((resolve) => (cancel = systemClock.setTimeout(() => resolve(false), withinMs)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancel();
  }
}
