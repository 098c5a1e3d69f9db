/** `createSystem({ durability })`: the failures that an acknowledged send survives. */
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, type Durability } from 'bosun';
import { faultyStore } from 'bosun/testing';
import { PREFIX } from '../src/persistence/format/keys.ts';

const counter = defineAgent({
  name: 'counter',
  machine: setup({ types: {} as { context: { n: number }; events: { type: 'add' } } }).createMachine({
    context: { n: 0 },
    on: { add: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  }),
  events: { add: z.object({}) },
});

/** Counts to three with acknowledged sends, cuts the power, and returns the count that was synced. */
async function countAfterPowerCut(durability: Durability): Promise<number | undefined> {
  const store = faultyStore();
  const options = { agents: [counter], store, durability, tree: { children: [{ id: 'c', agent: 'counter' }] } };
  const system = await createSystem(options).start();
  for (let n = 0; n < 3; n++) await system.send('c', { type: 'add' });
  await system.idle();
  store.crash();
  await system.stop();
  const next = await createSystem(options).start();
  const count = ((await next.snapshot('c'))?.context as { n: number } | undefined)?.n;
  await next.stop();
  return count;
}

describe('durability', () => {
  it('keeps acknowledged sends across a power cut with "disk"', async () => {
    expect(await countAfterPowerCut('disk')).toBe(3);
  });

  it.each(['process', 'memory'] as const)(
    'loses sends in a power cut with "%s": the system starts empty or at an older epoch',
    async (durability) => {
      expect(await countAfterPowerCut(durability)).toBe(0);
    },
  );

  it.each([
    ['disk', [true]],
    ['process', [false]],
    ['memory', [false]],
  ] as const)('syncs epochs with "disk" only, tested with "%s"', async (durability, synced) => {
    const store = faultyStore();
    const system = await createSystem({
      agents: [counter],
      store,
      durability,
      tree: { children: [{ id: 'c', agent: 'counter' }] },
    }).start();
    for (let n = 0; n < 3; n++) await system.send('c', { type: 'add' });
    await system.stop();
    // The manifest of a new store always is.
    const [manifest, ...epochs] = store.log.map(({ sync }) => sync);
    expect([manifest, [...new Set(epochs)]]).toEqual([true, synced]);
    expect(epochs.length).toBeGreaterThan(1);
  });

  it.each(['process', 'memory'] as const)(
    'continues with "%s" from the epoch before a hole that a power cut left in the journal, and logs it',
    async (durability) => {
      const store = faultyStore();
      const logged: unknown[] = [];
      const options = {
        agents: [counter],
        store,
        durability,
        tree: { children: [{ id: 'c', agent: 'counter' }] },
        log: (...line: unknown[]) => logged.push(...line),
      };
      const system = await createSystem(options).start();
      for (let n = 0; n < 5; n++) {
        await system.send('c', { type: 'add' });
        await system.idle();
      }
      await system.stop();
      const epochs = store.entries().flatMap(([key]) => (key.startsWith(PREFIX.epoch) ? [key] : []));
      store.lose(epochs.at(-2)!);
      const next = await createSystem(options).start();
      const { n } = (await next.snapshot('c'))?.context as { n: number };
      expect(n).toBeLessThan(5);
      expect(n).toBeGreaterThan(0);
      expect(logged).toContainEqual([`l!0001!${epochs.at(-1)!}`]);
      await next.send('c', { type: 'add' });
      await next.idle();
      expect(await next.snapshot('c')).toMatchObject({ context: { n: n + 1 } });
      await next.stop();
    },
  );
});
