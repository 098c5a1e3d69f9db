/** Unhandled rejections as Node reports them, kept from the test runner, which would fail by them. */
import { onTestFinished } from 'vitest';

const EVENT = 'unhandledRejection';

let isHearing = false;

/**
 * Collects the unhandled rejections while something happens, at most until the end of the test: a test that hangs must
 * not leave the runner deaf. Two at once are refused: nothing says which of them a rejection belongs to.
 */
export async function unhandled(happens: () => Promise<unknown>): Promise<unknown[]> {
  if (isHearing) throw new Error('unhandled rejections are being collected already');
  const found: unknown[] = [];
  const hear = (reason: unknown) => void found.push(reason);
  const others = process.listeners(EVENT);
  const end = () => {
    if (!isHearing) return;
    isHearing = false;
    process.off(EVENT, hear);
    for (const other of others) process.on(EVENT, other);
  };
  onTestFinished(end);
  isHearing = true;
  for (const other of others) process.off(EVENT, other);
  process.on(EVENT, hear);
  try {
    await happens();
    // Node reports after all microtasks have run, before the next round of its loop.
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
    return found;
  } finally {
    end();
  }
}
