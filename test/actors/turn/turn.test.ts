/** The turn: whole or not at all (P1), and the handling of a message that crashes its agent (P6). */
import {
  type AnyActorRef,
  assign,
  createMachine,
  emit,
  fromPromise,
  fromTransition,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { DELIVERIES_MAX, MICROSTEPS_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX } from '../../../src/limits.ts';
import { contextOf, startSubject, tell, valueOf } from '../../support/actors/subject.ts';

const broken = (): never => {
  throw new Error('broken');
};

/** Everything a turn can do, before something throws. */
const doings = [
  assign({ count: 100 }),
  sendTo(({ system }) => system.get('log') as AnyActorRef, { type: 'SAY' }),
  raise({ type: 'LATER' }, { delay: 10, id: 'later' }),
  spawnChild('kid', { id: 'kid', systemId: 'kid' }),
  emit({ type: 'DONE' }),
  () => acted.push('acted'),
] as const;

const acted: string[] = [];

function throwing(throwAt: object) {
  return setup({
    types: {} as { context: { count: number; later: number } },
    actors: { log: fromTransition((said: number) => said + 1, 0), kid: fromTransition((n: number) => n, 0) },
    guards: { broken },
    delays: { broken },
    actions: { withParams: (_, _params: unknown) => {} },
  }).createMachine({
    context: { count: 0, later: 0 },
    invoke: { src: 'log', id: 'log', systemId: 'log' },
    initial: 'start',
    on: {
      LATER: { actions: assign({ later: ({ context }) => context.later + 1 }) },
      OK: { actions: assign({ count: ({ context }) => context.count + 1 }) },
    },
    states: {
      start: { on: { GO: throwAt as never } },
      breaking: { entry: broken1 as never },
      over: { type: 'final', output: broken },
    },
    output: broken,
  });
}

const broken1 = assign(() => broken());

describe('a throw leaves nothing of the turn', () => {
  it.each<[string, object]>([
    ['in a guard', { guard: 'broken', actions: doings }],
    ['in an assign behind other actions', { actions: [...doings, broken1] }],
    ['in the entry of the next state', { target: 'breaking', actions: doings }],
    ['in a delay', { actions: [...doings, raise({ type: 'LATER' }, { delay: 'broken' as never })] }],
    ['in params', { actions: [...doings, { type: 'withParams', params: broken }] }],
    ['in an emitted event', { actions: [...doings, emit(() => broken() as { type: string })] }],
    ['in the input of a child', { actions: [...doings, spawnChild('kid', { id: 'two', input: broken as never })] }],
    ['in the output', { target: 'over', actions: doings }],
    ['in the target of a send', { actions: [...doings, sendTo('nobody', { type: 'X' })] }],
    [
      'by a send to a value that is no actor',
      { actions: [...doings, sendTo((() => ({ address: 'x' })) as () => never, { type: 'X' } as never)] },
    ],
    ['by a delay that is not a number', { actions: [...doings, raise({ type: 'LATER' }, { delay: NaN })] }],
    ['by an event without a type', { actions: [...doings, sendTo(({ self }) => self, (() => ({})) as never)] }],
    ['by sending xstate.stop to a child', { actions: [...doings, sendTo('log', { type: 'xstate.stop' })] }],
    ['by a system id that is taken', { actions: [...doings, spawnChild('kid', { id: 'two', systemId: 'log' })] }],
  ])('%s', async (_, throwAt) => {
    acted.length = 0;
    const test = await startSubject(throwing(throwAt), { events: ['GO', 'OK'] });
    const emitted: string[] = [];
    test.shard.actor('subject').on('*', ({ type }) => emitted.push(type));
    await tell(test, 'GO');
    await tell(test, 'OK');
    await test.advance(100);
    expect(contextOf(test)).toEqual({ count: 1, later: 0 });
    expect(contextOf(test, 'subject/log')).toBe(0);
    expect(test.shard.tree('subject').children.map(({ address }) => address)).toEqual(['subject/log']);
    expect([emitted, acted]).toEqual([[], []]);
    // The name is free: the next turn that asks for it gets it.
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
    await test.crash();
    await test.restart();
    expect(contextOf(test)).toEqual({ count: 1, later: 0 });
    await test.shard.stop();
  });

  it('a throw in the initial context leaves nothing: the agent is not born until its context succeeds', async () => {
    let failures = 2;
    const machine = createMachine({
      context: () => {
        if (failures-- > 0) broken();
        return { ok: true };
      },
      initial: 'a',
      states: { a: {} },
    });
    const test = await startSubject(machine);
    expect(contextOf(test)).toEqual({ ok: true });
    expect(test.shard.tree('subject').restarts).toBe(2);
    await test.shard.stop();
  });

  it('a throw in the initial entry leaves no child, no timer, no message of the failed attempts', async () => {
    let failures = 2;
    const machine = setup({ actors: { kid: fromTransition((n: number) => n + 1, 0) } }).createMachine({
      context: { later: 0 },
      entry: [
        spawnChild('kid', { id: 'kid', systemId: 'kid' }),
        sendTo(({ system }) => system.get('kid') as AnyActorRef, { type: 'SAY' }),
        raise({ type: 'LATER' }, { delay: 10 }),
        assign(() => (failures-- > 0 ? broken() : {})),
      ],
      on: { LATER: { actions: assign({ later: ({ context }) => (context as { later: number }).later + 1 }) } },
    });
    const test = await startSubject(machine);
    await test.advance(100);
    expect([contextOf(test), contextOf(test, 'subject/kid')]).toEqual([{ later: 1 }, 1]);
    await test.shard.stop();
  });
});

describe('an endless loop of transitions without events', () => {
  it('is stopped, and makes its turn throw', async () => {
    const machine = createMachine({
      initial: 'still',
      states: { still: { on: { GO: 'a', OK: 'fine' } }, a: { always: 'b' }, b: { always: 'a' }, fine: {} },
    });
    const test = await startSubject(machine, { events: ['GO', 'OK'] });
    await tell(test, 'GO');
    await tell(test, 'OK');
    expect(valueOf(test)).toBe('fine');
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { message: expect.stringContaining(`${MICROSTEPS_MAX} microsteps`) as string } },
    ]);
    await test.shard.stop();
  });
});

describe('a custom action that throws', () => {
  const machine = () =>
    setup({ types: {} as { context: { count: number } } }).createMachine({
      context: { count: 0 },
      initial: 'a',
      states: {
        a: {
          on: {
            GO: {
              actions: [
                assign({ count: ({ context }) => context.count + 1 }),
                () => acted.push('first'),
                broken,
                () => acted.push('behind'),
              ],
            },
            END: { target: 'over', actions: broken },
          },
        },
        over: { type: 'final' },
      },
    });

  it('is reported to the Boss as a failure; its turn stands, and the later actions are not run', async () => {
    acted.length = 0;
    const test = await startSubject(machine(), { events: ['GO'] });
    await tell(test, 'GO');
    expect(contextOf(test)).toEqual({ count: 1 });
    expect(test.shard.tree('subject')).toMatchObject({
      status: 'active',
      restarts: 1,
      lastError: new Error('broken'),
    });
    expect(acted).toEqual(['first']);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.shard.stop();
  });

  it('a custom action that throws after its agent has ended is logged', async () => {
    const test = await startSubject(machine(), { events: ['END'], restart: 'transient' });
    await tell(test, 'END');
    expect(test.shard.snapshot('subject')).toBeUndefined();
    expect(test.logged).toEqual([['an action of subject failed after its end: broken']]);
    await test.shard.stop();
  });
});

describe('a message that crashes its agent', () => {
  const fragile = setup({
    types: {} as { context: { got: number[] }; events: { type: 'GET'; n: number } },
  }).createMachine({
    context: { got: [] },
    on: {
      GET: { actions: assign({ got: ({ context, event }) => (event.n < 0 ? broken() : [...context.got, event.n]) }) },
    },
  });

  it(`is quarantined after ${DELIVERIES_MAX} deliveries, and the agent goes on with the next`, async () => {
    const test = await startSubject(fragile, { events: ['GET'] });
    await Promise.all([1, -1, 2].map((n) => test.shard.send('subject', { type: 'GET', n })));
    await test.settle();
    expect(contextOf(test)).toEqual({ got: [1, 2] });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: 'subject', error: new Error('broken') },
    ]);
    expect(test.shard.tree('subject').restarts).toBe(1);
    await test.shard.stop();
  });

  it('counts its deliveries over a crash of the host', async () => {
    const test = await startSubject(fragile, { events: ['GET'], intensity: 0 });
    for (let start = 1; start <= DELIVERIES_MAX; start++) {
      if (start === 1) await test.shard.send('subject', { type: 'GET', n: -1 });
      await test.settle();
      await test.crash();
      await test.restart();
    }
    await test.settle();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
    await test.shard.stop();
  });

  it('fails a child machine at the first delivery, as in XState, and the parent handles that', async () => {
    const machine = setup({ actors: { kid: fragile } }).createMachine({
      initial: 'with',
      on: { GET: { actions: sendTo('kid', ({ event }) => event) } },
      states: { with: { invoke: { src: 'kid', id: 'kid', onError: 'without' } }, without: {} },
    });
    const test = await startSubject(machine, { events: ['GET'] });
    await tell(test, 'GET', { n: -1 });
    expect(valueOf(test)).toBe('without');
    expect(test.shard.tree('subject')).toMatchObject({ restarts: 0, children: [] });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.shard.stop();
  });
});

describe('the failure of a child that its machine does not handle', () => {
  it('fails the machine, which goes on after a restart with a new start of the child', async () => {
    let starts = 0;
    const machine = setup({
      actors: {
        kid: fromPromise(async () => {
          starts += 1;
          if (starts === 1) broken();
        }),
      },
    }).createMachine({
      initial: 'with',
      states: { with: { invoke: { src: 'kid', onDone: 'over' } }, over: {} },
    });
    const test = await startSubject(machine);
    await test.settle();
    expect([starts, valueOf(test), test.shard.tree('subject').restarts]).toEqual([1, 'with', 1]);
    await test.advance(1_200);
    expect([starts, valueOf(test), test.shard.tree('subject').restarts]).toEqual([2, 'over', 1]);
    await test.shard.stop();
  });
});

describe('a restart from the initial state', () => {
  it('clears the memory of history states, also for a later restart of the host', async () => {
    const machine = createMachine({
      id: 'm',
      initial: 'out',
      states: {
        out: { on: { IN: 'in', HOME: 'in.last' } },
        in: { initial: 'a', states: { a: { on: { N: 'b' } }, b: {}, last: { type: 'history' } }, on: { OUT: 'out' } },
      },
      on: { BREAK: { actions: broken } },
    });
    const test = await startSubject(machine, { events: ['IN', 'N', 'OUT', 'HOME', 'BREAK'], resume: 'initial' });
    for (const type of ['IN', 'N', 'OUT', 'BREAK']) await tell(test, type);
    await test.crash();
    await test.restart();
    await tell(test, 'HOME');
    expect(valueOf(test)).toEqual({ in: 'a' });
    await test.shard.stop();
  });
});

describe('snapshots that a machine gets by onSnapshot', () => {
  it('may be as deep and as large as contexts', async () => {
    let deep: unknown = 'end';
    for (let level = 1; level < VALUE_DEPTH_MAX; level++) deep = [deep];
    const half = 'x'.repeat(VALUE_BYTES_MAX - 1_000);
    const kid = setup({ types: {} as { context: Record<string, unknown> } }).createMachine({
      context: { deep: null },
      on: { GROW: { actions: assign({ deep, one: half, two: half }) } },
    });
    const machine = setup({ types: {} as { context: { seen: string[] } }, actors: { kid } }).createMachine({
      context: { seen: [] },
      invoke: {
        src: 'kid',
        id: 'kid',
        onSnapshot: {
          actions: assign({
            seen: ({ context, event }) => [...context.seen, Object.keys(event.snapshot.context).join()],
          }),
        },
      },
      on: { GROW: { actions: sendTo('kid', { type: 'GROW' }) } },
    });
    const test = await startSubject(machine, { events: ['GROW'] });
    await tell(test, 'GROW');
    expect(contextOf(test)).toEqual({ seen: ['deep', 'deep,one,two'] });
    await test.shard.stop();
  });
});

describe('sends in the middle of a step', () => {
  it('take effect with the turn, after those of sendTo, if they are made by self.send in an assign', async () => {
    const machine = setup({ types: {} as { context: { got: string[] } } }).createMachine({
      context: { got: [] },
      on: {
        GO: {
          actions: [
            assign(({ self }) => {
              self.send({ type: 'STRAY' });
              return {};
            }),
            sendTo(({ self }) => self, { type: 'DESCRIBED' }),
          ],
        },
        BREAK: {
          actions: assign(({ self }) => {
            self.send({ type: 'STRAY' });
            return broken();
          }),
        },
        '*': { actions: assign({ got: ({ context, event }) => [...context.got, event.type] }) },
      },
    });
    const test = await startSubject(machine, { events: ['GO', 'BREAK'] });
    await tell(test, 'GO');
    await tell(test, 'BREAK');
    expect(contextOf(test)).toEqual({ got: ['DESCRIBED', 'STRAY'] });
    await test.shard.stop();
  });
});
