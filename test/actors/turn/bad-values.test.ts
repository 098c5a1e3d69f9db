/**
 * An agent with a value that is not data harms itself only: its turn is undone, and the epoch of all other actors is
 * committed.
 */
import { assign, emit, fromPromise, fromTransition, raise, sendTo, setup, spawnChild } from 'xstate';
import { describe, expect, it } from 'vitest';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, contextOf } from '../../support/actors/subject.ts';

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const BAD: Readonly<Record<string, () => unknown>> = {
  'a symbol': () => Symbol('s'),
  'a function': () => () => 1,
  'an object of 5,000 levels': () => deep(5_000),
  'a key __proto__': () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
  'a key that the codec reserves': () => ({ __keys__: 1 }),
  'half a surrogate pair': () => 'x\ud83d',
  'an error with a function as code': () => Object.assign(new Error('e'), { code: () => {} }),
  'a getter': () => ({
    get now() {
      return 1;
    },
  }),
};

type Taking = { type: 'TAKE'; what: string } | { type: 'COUNT' } | { type: 'GOT' };

/** One agent with a way for every kind of place that a value can enter. */
const taker = setup({
  types: {} as { context: { count: number; held: unknown; error: string }; events: Taking; input: { way: string } },
  actors: {
    promise: fromPromise(async ({ input }: { input: string }) => BAD[input]!()),
    sink: fromTransition((count: number) => count + 1, 0),
  },
}).createMachine({
  context: { count: 0, held: null, error: '' },
  initial: 'waiting',
  on: { COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  states: {
    waiting: { on: { TAKE: [{ guard: ({ event }) => event.what.startsWith('promise '), target: 'asking' }] } },
    asking: {
      invoke: {
        src: 'promise',
        input: ({ event }) => (event as { what: string }).what.slice('promise '.length),
        onDone: 'waiting',
        onError: { target: 'waiting', actions: assign({ error: ({ event }) => (event.error as Error).message }) },
      },
    },
  },
});

function badOf(event: unknown): unknown {
  return BAD[(event as { what: string }).what]!();
}

/** Per place, the actions that put a value there. */
const PLACES = {
  key: assign({ held: ({ event }) => badOf(event) }),
  whole: assign(({ event }) => badOf(event) as object),
  event: sendTo(
    ({ system }) => system.get('sink'),
    ({ event }) => ({ type: 'GOT', it: badOf(event) }),
  ),
  input: spawnChild('sink', {
    id: 'other',
    input: ((args: { event: unknown }) => badOf(args.event)) as never,
  } as never),
  emitted: emit(({ event }) => ({ type: 'GOT', it: badOf(event) })),
  timer: raise(({ event }) => ({ type: 'GOT', it: badOf(event) }), { delay: 5 }),
} as const;

/** Values that do no harm as a whole context: XState copies the keys of what an assign returns. */
const HARMLESS_AS_CONTEXT = new Set(['a symbol', 'a function', 'half a surrogate pair', 'a getter']);

function placing(place: keyof typeof PLACES) {
  return setup({
    types: {} as { context: { count: number; held: unknown }; events: Taking },
    actors: { sink: fromTransition((count: number) => count + 1, 0) },
  }).createMachine({
    context: { count: 0, held: null },
    invoke: { src: 'sink', id: 'sink', systemId: 'sink' },
    on: {
      TAKE: { actions: [assign({ count: ({ context }) => context.count + 100 }), PLACES[place] as never] },
      COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) },
    },
  });
}

const others = agentOf(
  'other',
  setup({ types: {} as { context: { count: number } } }).createMachine({
    context: { count: 0 },
    on: { COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  }),
  ['COUNT'],
);

const OTHERS = ['other1', 'other2', 'other3', 'other4'];

async function startAmongOthers(machine: Parameters<typeof agentOf>[1]): Promise<TestSystem> {
  const children = OTHERS.map((id) => ({ id, agent: 'other' }));
  return startTestSystem({
    agents: [agentOf('subject', machine, ['TAKE', 'COUNT']), others],
    tree: { intensity: 100, children: [...children, { id: 'subject', agent: 'subject' }] },
  });
}

/** Sends everything in one epoch: the bad value between the events of the other actors. */
async function takeAmongOthers(test: TestSystem, what: string): Promise<void> {
  const before = test.shard.epoch;
  await Promise.all([
    ...OTHERS.slice(0, 2).map((id) => test.shard.send(id, { type: 'COUNT' })),
    test.shard.send('subject', { type: 'TAKE', what }),
    ...OTHERS.slice(2).map((id) => test.shard.send(id, { type: 'COUNT' })),
    test.shard.send('subject', { type: 'COUNT' }),
  ]);
  await test.settle();
  expect(test.shard.epoch).toBeGreaterThan(before);
}

describe.each(Object.keys(PLACES) as (keyof typeof PLACES)[])(
  'a turn with a value that is not data (place: %s)',
  (place) => {
    it.each(Object.keys(BAD).filter((what) => place !== 'whole' || !HARMLESS_AS_CONTEXT.has(what)))(
      'is undone, and the turns of other actors stand: %s',
      async (what) => {
        const test = await startAmongOthers(placing(place));
        await takeAmongOthers(test, what);
        const expected = { subject: { count: 1, held: null }, others: [1, 1, 1, 1], quarantined: 1 };
        const seen = () => ({
          subject: contextOf(test),
          others: OTHERS.map((id) => (contextOf(test, id) as { count: number }).count),
          quarantined: test.shard.deadLetters.list({ reason: 'quarantined' }).length,
        });
        expect(seen()).toEqual(expected);
        await test.crash();
        await test.restart();
        expect(seen()).toEqual(expected);
        await test.shard.stop();
      },
    );
  },
);

describe('a promise that resolves with a value that is not data', () => {
  it.each(Object.keys(BAD))('fails: %s', async (what) => {
    const test = await startAmongOthers(taker);
    await takeAmongOthers(test, `promise ${what}`);
    expect(contextOf(test)).toMatchObject({
      count: 1,
      error: expect.stringContaining('only data can be stored') as string,
    });
    expect(OTHERS.map((id) => (contextOf(test, id) as { count: number }).count)).toEqual([1, 1, 1, 1]);
    await test.shard.stop();
  });
});

describe('a machine output that is not data', () => {
  it.each(Object.keys(BAD))('crashes the turn that ends the machine: %s', async (what) => {
    const ending = setup({ types: {} as { context: { what: string }; events: Taking } }).createMachine({
      context: { what: '' },
      initial: 'going',
      states: {
        going: { on: { TAKE: { target: 'over', actions: assign({ what: ({ event }) => event.what }) }, COUNT: {} } },
        over: { type: 'final' },
      },
      output: ({ context }) => BAD[context.what]!(),
    });
    const test = await startAmongOthers(ending);
    await takeAmongOthers(test, what);
    expect(test.shard.snapshot('subject')).toMatchObject({ status: 'active', value: 'going', context: { what: '' } });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
    expect(OTHERS.map((id) => (contextOf(test, id) as { count: number }).count)).toEqual([1, 1, 1, 1]);
    await test.shard.stop();
  });
});
