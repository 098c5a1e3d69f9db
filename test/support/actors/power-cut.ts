/** Stories that are run again and again, each time with a power cut at another write of the store. */
import { type HoldPoint, faultyStore } from '../../../src/testing/faulty-store.ts';
import { TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { byEffort } from '../effort.ts';

/** Steps in order. After the cut all are done again from the beginning, so every step must be repeatable. */
export type Story = readonly ((test: TestSystem) => Promise<unknown>)[];

/**
 * @param cut.write The write, from 1, at which the power is cut: before it reaches the medium, or once it is durable
 *   and not yet reported. A number beyond the last write means no cut.
 * @returns The system at the end of the story, still running, and the number of writes.
 */
export async function tellStory(
  story: Story,
  options: Omit<TestSystemOptions, 'store'>,
  cut: { write: number; point: HoldPoint },
): Promise<{ test: TestSystem; writes: number }> {
  const store = faultyStore();
  const test = new TestSystem({ ...options, store });
  let die = (_: 'dead'): void => {};
  const dead = new Promise<'dead'>((resolve) => (die = resolve));
  const write = store.write.bind(store);
  let writes = 0;
  store.write = (batch, how) => {
    writes += 1;
    if (writes === cut.write) void store.hold(cut.point).reached.then(() => die('dead'));
    return write(batch, how);
  };
  const whole = async () => {
    for (const part of story) await part(test);
  };
  const first = test.shard
    .start()
    .then(() => test.settle())
    .then(whole);
  if ((await Promise.race([dead, first])) === 'dead') {
    await test.crash();
    await test.restart();
    await whole();
  }
  return { test, writes };
}

/** Distance between the writes at which the power is cut. */
const STRIDE = byEffort({ quick: 9, ci: 1 });

/**
 * Runs the story undisturbed, then with a cut at every write; `npm test` alone takes one write in nine. Returns the
 * number of writes.
 */
export async function atEveryWrite(
  tell: (cut: { write: number; point: HoldPoint }) => Promise<number>,
): Promise<number> {
  const writes = await tell({ write: 0, point: 'before' });
  for (let write = 1; write <= writes; write += STRIDE) {
    for (const point of ['before', 'durable'] as const) await tell({ write, point });
  }
  return writes;
}
