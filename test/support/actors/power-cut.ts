/** A story told again and again, each time with the power cut at another write of the store. */
import { type HoldPoint, faultyStore } from '../../../src/testing/faulty-store.ts';
import { TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { byEffort } from '../effort.ts';

/** What is done, in order. After the cut it is done again from the beginning, so each part of it may be repeated. */
export type Story = readonly ((test: TestSystem) => Promise<unknown>)[];

/**
 * @param cut.write The write, from 1, at which the power is cut: before it reaches the medium, or once it is durable
 *   and nobody knows yet. One that never comes: no cut.
 * @returns The system at the end of the story, still running, and how many writes there were.
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
  const first = test.system
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

/** From one write at which the power is cut to the next. */
const STRIDE = byEffort({ quick: 5, ci: 1 });

/**
 * Tells the story undisturbed, then with a cut at every write there is, by `npm test` alone at one in five. Says how
 * many there are.
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
