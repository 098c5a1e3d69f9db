/** Unhandled rejections as Node reports them, kept from the test runner, which would fail by them. */

/** @returns The unhandled rejections while something happened. */
export async function unhandled(happens: () => Promise<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => found.push(reason));
  try {
    await happens();
    // Node reports after all microtasks have run, before the next round of its loop.
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
    return found;
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);
  }
}
