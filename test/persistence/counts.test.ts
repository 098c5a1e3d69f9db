/**
 * The rows and bytes that one unit of work writes: exact counts, which depend neither on other load nor on the clock.
 * Units cost less the more of them share an epoch, so each test states its number of epochs.
 */
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type Store } from '../../src/actors/model/ports.ts';
import { decodeEpoch } from '../../src/persistence/journal/epoch-format.ts';
import { numberIn, PREFIX } from '../../src/persistence/format/keys.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';

interface Counts {
  epochs: number;
  journalBytes: number;
  deltas: number;
  /** Rows of the epochs, puts and removals, by the letter of their keyspace. */
  rows: Record<string, number>;
}

/** A store whose epochs are read as they are written, while they are counted. */
function countingStore(): { store: Store; begin(): Counts; end(): void } {
  const store = memoryStore();
  const write = store.write.bind(store);
  let counts: Counts | undefined;
  store.write = (writes, how) => {
    for (const { key, value } of writes) if (key.startsWith(PREFIX.epoch) && value !== null) count(key, value);
    return write(writes, how);
  };
  const count = (key: string, value: Uint8Array): void => {
    if (counts === undefined) return;
    const { deltas, rows } = decodeEpoch(numberIn(key), value);
    counts.epochs += 1;
    counts.journalBytes += value.length;
    counts.deltas += deltas.length;
    for (const row of rows.keys()) counts.rows[row[0]!] = (counts.rows[row[0]!] ?? 0) + 1;
  };
  return {
    store,
    begin: () => (counts = { epochs: 0, journalBytes: 0, deltas: 0, rows: {} }),
    end: () => (counts = undefined),
  };
}

async function counted(options: object): Promise<{ test: TestSystem; countsOf(work: () => unknown): Promise<Counts> }> {
  const { store, begin, end } = countingStore();
  const test = await startTestSystem({ store: store as never, ...options } as never);
  await test.settle();
  return {
    test,
    async countsOf(work) {
      const counts = begin();
      await work();
      await test.settle();
      end();
      return counts;
    },
  };
}

const CYCLE = ['start', 'finish'];

/** As the benchmark's worker: every event moves it. */
const worker = defineAgent({
  name: 'worker',
  machine: setup({ types: { context: {} as { total: number } } }).createMachine({
    id: 'worker',
    context: { total: 0 },
    initial: 'idle',
    states: {
      idle: { on: { start: { target: 'working', actions: assign({ total: ({ context }) => context.total + 1 }) } } },
      working: { on: { finish: 'idle', fail: { actions: assign(broken) } } },
    },
  }),
  events: { start: z.object({}), finish: z.object({}), fail: z.object({}) },
});

/** An update of a context that fails. */
function broken(): never {
  throw new Error('the tool broke');
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

describe('an input', () => {
  it('writes a delta, no row of its own, and at most 25 bytes in an epoch of 500', async () => {
    const children = ids(500).map((id) => ({ id, agent: 'worker' }));
    const { test, countsOf } = await counted({ agents: [worker], tree: { children } });
    const counts = await countsOf(async () => {
      for (const type of [...CYCLE, ...CYCLE])
        await test.shard.sendMany(ids(500).map((id) => ({ to: id, event: { type } as never })));
    });
    expect(counts).toMatchObject({ epochs: 4, deltas: 2_000, rows: {} });
    expect(counts.journalBytes / 2_000).toBeLessThan(25);
  });
});

const relay = setup({ types: { context: {} as { hops: number } } }).createMachine({
  id: 'relay',
  context: { hops: 0 },
  on: { hop: { actions: assign({ hops: ({ context }) => context.hops + 1 }) } },
});

const pair = defineAgent({
  name: 'pair',
  machine: setup({ actors: { relay } }).createMachine({
    id: 'pair',
    invoke: { id: 'other', src: 'relay' },
    on: {
      play: {
        actions: enqueueActions(({ enqueue, event }) => {
          for (let n = 0; n < event['hops']; n++) enqueue.sendTo('other', { type: 'hop' });
        }),
      },
    },
  }),
  events: { play: z.object({ hops: z.number() }) },
});

describe('a message between actors', () => {
  it('writes a delta of its receiver and no row, in at most 15 bytes', async () => {
    const { test, countsOf } = await counted({ agents: [pair], tree: { children: [{ id: 'p', agent: 'pair' }] } });
    const counts = await countsOf(() => test.shard.send('p', { type: 'play', hops: 1_000 } as never));
    expect(counts).toMatchObject({ epochs: 1, deltas: 1_000, rows: {} });
    expect(counts.journalBytes / 1_000).toBeLessThan(15);
  });
});

const sink = defineAgent({
  name: 'sink',
  machine: setup({}).createMachine({
    id: 'sink',
    context: { taken: 0 },
    on: { drop: { actions: assign({ taken: ({ context }) => context.taken + 1 }) } },
  }),
  events: { drop: z.object({ note: z.string() }) },
});

/** Sends as many drops as it is told to the sink. */
const source = defineAgent({
  name: 'source',
  machine: setup({}).createMachine({
    id: 'source',
    on: {
      pour: {
        actions: enqueueActions(({ enqueue, event, system }) => {
          const to = system.get('sink') as AnyActorRef;
          for (let n = 0; n < event['drops']; n++) enqueue.sendTo(to, { type: 'drop', note: 'a drop' });
        }),
      },
    },
  }),
  events: { pour: z.object({ drops: z.number() }) },
});

describe('a message to an actor of another worker', () => {
  it('shares a row per epoch and receiver, in 45 bytes, and writes no row on the receiving worker', async () => {
    const [here, there] = [countingStore(), countingStore()];
    const test = await startSpreadTestSystem({
      workers: 2,
      agents: [source, sink],
      tree: {
        children: [
          ...['a', 'b', 'c', 'd'].map((id) => ({ id, agent: 'source' })),
          { id: 'sink-0', agent: 'sink', systemId: 'sink' },
        ],
      },
      stores: [here.store, there.store] as never,
    });
    const [from, to] = test.system.workerOf('sink-0') === 1 ? [here, there] : [there, here];
    const away = ['a', 'b', 'c', 'd'].find((id) => test.system.workerOf(id) !== test.system.workerOf('sink-0'))!;
    await test.settle();
    const [sent, taken] = [from.begin(), to.begin()];
    await test.system.send(away, { type: 'pour', drops: 500 } as never);
    await test.settle();
    expect(sent.rows).toEqual({ Y: 1 });
    expect(sent.journalBytes / 500).toBeLessThan(45);
    expect(taken).toMatchObject({ deltas: 500, rows: { X: 1 } });
    expect(taken.journalBytes / 500).toBeLessThan(15);
    await test.system.send(away, { type: 'pour', drops: 1_001 } as never);
    await test.settle();
    // Three frames, and the removal of the first.
    expect(sent.rows).toEqual({ Y: 5 });
    expect((await test.system.snapshot('sink-0'))?.context).toEqual({ taken: 1_501 });
    await test.system.stop();
  });
});

const nursery = defineAgent({
  name: 'nursery',
  machine: setup({ actors: { relay } }).createMachine({
    id: 'nursery',
    on: {
      bear: {
        actions: enqueueActions(({ enqueue, event }) => {
          for (let n = 0; n < event['count']; n++) enqueue.spawnChild('relay', { id: `r${n}` });
        }),
      },
    },
  }),
  events: { bear: z.object({ count: z.number() }) },
});

describe('a birth', () => {
  it('writes one row and a delta, in at most 90 bytes', async () => {
    const { test, countsOf } = await counted({
      agents: [nursery],
      tree: { children: [{ id: 'n', agent: 'nursery' }] },
    });
    const counts = await countsOf(() => test.shard.send('n', { type: 'bear', count: 100 } as never));
    expect(counts).toMatchObject({ deltas: 101, rows: { i: 100 } });
    expect(counts.journalBytes / 100).toBeLessThan(90);
  });
});

describe('a restart', () => {
  it('writes its error once with the stack, and no stack in the record of the Boss', async () => {
    const children = ids(10).map((id) => ({ id, agent: 'worker', resume: 'initial' }));
    const { test, countsOf } = await counted({ agents: [worker], tree: { intensity: 1_000, children } });
    await test.shard.sendMany(ids(10).map((id) => ({ to: id, event: { type: 'start' } as never })));
    const counts = await countsOf(() =>
      test.shard.sendMany(ids(10).map((id) => ({ to: id, event: { type: 'fail' } as never }))),
    );
    expect(counts).toMatchObject({ epochs: 1, deltas: 40, rows: { b: 10 } });
    expect(counts.journalBytes / 10).toBeLessThan(800);
  });

  it('writes under 535 bytes in a storm of one failure; only the first ten errors have stack frames', async () => {
    const children = ids(200).map((id) => ({ id, agent: 'worker', resume: 'initial' }));
    const { test, countsOf } = await counted({ agents: [worker], tree: { intensity: 1_000, children } });
    await test.shard.sendMany(ids(200).map((id) => ({ to: id, event: { type: 'start' } as never })));
    const counts = await countsOf(() =>
      test.shard.sendMany(ids(200).map((id) => ({ to: id, event: { type: 'fail' } as never }))),
    );
    expect(counts).toMatchObject({ epochs: 1, deltas: 800, rows: { b: 200 } });
    expect(counts.journalBytes / 200).toBeLessThan(535);
  });
});
