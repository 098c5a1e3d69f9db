/**
 * References: wherever they are in a context, they come back from disk and still reach the same actor, never another.
 * Every test goes through power cuts.
 */
import {
  type AnyActorRef,
  type AnyStateMachine,
  assign,
  createMachine,
  enqueueActions,
  fromPromise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { contextOf, startSubject, tell, valueOf } from '../../support/actors/subject.ts';

const counter = createMachine({
  context: { n: 0 },
  on: { UP: { actions: assign({ n: ({ context }) => (context.n as number) + 1 }) } },
});

async function cut(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

function countOf(test: TestSystem, id: string): unknown {
  return (contextOf(test, `subject/${id}`) as { n: number } | undefined)?.n;
}

describe('a reference in a context', () => {
  interface Refs {
    readonly list: unknown[][];
    readonly map: Map<unknown, unknown>;
    readonly set: Set<unknown>;
    readonly deep: { a: { b: unknown }[] };
  }
  const anywhere = ({ list, map, set, deep }: Refs) =>
    [...list.flat(), ...map.values(), ...map.keys(), ...set, deep.a[0]!.b].filter(
      (item) => typeof item === 'object',
    ) as AnyActorRef[];
  const machine = setup({ types: {} as { context: { refs: Refs | null } }, actors: { counter } }).createMachine({
    context: { refs: null },
    on: {
      SPAWN: {
        actions: assign({
          refs: ({ spawn }) => ({
            list: [[spawn('counter', { id: 'in-list' })]],
            map: new Map<unknown, unknown>([
              ['key', spawn('counter', { id: 'in-map' })],
              [spawn('counter', { id: 'as-key' }), 'value'],
            ]),
            set: new Set([spawn('counter', { id: 'in-set' })]),
            deep: { a: [{ b: spawn('counter', { id: 'deep' }) }] },
          }),
        }),
      },
      UP: {
        actions: enqueueActions(({ context, enqueue }) => {
          for (const ref of anywhere(context.refs!)) enqueue.sendTo(ref, { type: 'UP' });
        }),
      },
      SHUFFLE: {
        actions: assign({ refs: ({ context: { refs } }) => ({ ...refs!, deep: { a: [{ b: [...refs!.set][0] }] } }) }),
      },
    },
  });
  const ids = ['in-list', 'in-map', 'as-key', 'in-set', 'deep'];

  it('reaches its child from arrays, objects, Maps and Sets, over restarts', async () => {
    const test = await startSubject(machine, { events: ['SPAWN', 'UP', 'SHUFFLE'] });
    await tell(test, 'SPAWN');
    for (let round = 1; round <= 3; round++) {
      await tell(test, 'UP');
      expect(ids.map((id) => countOf(test, id))).toEqual(ids.map(() => round));
      await cut(test);
    }
    await tell(test, 'SHUFFLE');
    await cut(test);
    await tell(test, 'UP');
    expect(ids.map((id) => countOf(test, id))).toEqual([4, 4, 4, 5, 3]);
    await test.shard.stop();
  });
});

describe('a reference in an event', () => {
  it('reaches its actor after a restart, from the mailbox and from a timer', async () => {
    const machine = setup({ actors: { counter } }).createMachine({
      invoke: { src: 'counter', id: 'kid' },
      on: {
        ARM: {
          actions: sendTo(
            ({ self }) => self,
            ({ self }) => ({
              type: 'TELL',
              who: (self.getSnapshot() as unknown as { children: { kid: AnyActorRef } }).children.kid,
            }),
            { delay: 10 },
          ),
        },
        TELL: { actions: sendTo(({ event }) => event['who'] as AnyActorRef, { type: 'UP' }) },
      },
    });
    const test = await startSubject(machine, { events: ['ARM'] });
    await tell(test, 'ARM');
    await cut(test);
    await test.advance(10);
    expect(countOf(test, 'kid')).toBe(1);
    await test.shard.stop();
  });
});

describe('a reference to an actor that has ended', () => {
  const machine = setup({ types: {} as { context: { old: AnyActorRef | null } }, actors: { counter } }).createMachine({
    context: { old: null },
    on: {
      SPAWN: { actions: assign({ old: ({ context, spawn }) => context.old ?? spawn('counter', { id: 'kid' }) }) },
      STOP: { actions: stopChild('kid') },
      ANEW: { actions: spawnChild('counter', { id: 'kid' }) },
      OLD: { actions: sendTo(({ context }) => context.old!, { type: 'UP' }) },
      LATE: { actions: sendTo(({ context }) => context.old!, { type: 'UP' }, { delay: 5 }) },
      NEW: { actions: sendTo('kid', { type: 'UP' }) },
    },
  });
  const events = ['SPAWN', 'STOP', 'ANEW', 'OLD', 'LATE', 'NEW'];

  it.each([false, true])(
    'never reaches a new actor born later under the same address, not after a restart either (power cuts: %s)',
    async (cuts) => {
      const test = await startSubject(machine, { events });
      for (const type of ['SPAWN', 'OLD', 'LATE', 'STOP', 'ANEW', 'OLD', 'NEW', 'OLD']) {
        await tell(test, type);
        if (cuts) await cut(test);
      }
      await test.advance(10);
      expect(countOf(test, 'kid')).toBe(1);
      await test.shard.stop();
    },
  );

  it('still has its id, and no snapshot, after a restart too', async () => {
    const told: unknown[] = [];
    const asking = machine.provide({}) as AnyStateMachine;
    const config = {
      ...asking.config,
      on: {
        ...(asking.config.on as object),
        ASK: {
          actions: ({ context }: { context: { old: AnyActorRef } }) =>
            told.push([context.old.id, context.old.getSnapshot()]),
        },
      },
    };
    const test = await startSubject(
      createMachine(config as never).provide(asking.implementations as never) as AnyStateMachine,
      { events: [...events, 'ASK'] },
    );
    await tell(test, 'SPAWN');
    await tell(test, 'STOP');
    await tell(test, 'ASK');
    await cut(test);
    await tell(test, 'ASK');
    expect(told).toEqual([
      ['kid', undefined],
      ['kid', undefined],
    ]);
    await test.shard.stop();
  });
});

describe('a reference', () => {
  it('has id, sessionId, send and getSnapshot, but not start, stop, subscribe or on', async () => {
    const seen: unknown[] = [];
    const machine = createMachine({
      on: {
        ASK: {
          actions: ({ self }) =>
            seen.push(
              ...['id', 'sessionId', 'send', 'getSnapshot', 'subscribe', 'on', 'start', 'stop'].map(
                (name) => typeof (self as unknown as { [key: string]: unknown })[name],
              ),
            ),
        },
      },
    });
    const test = await startSubject(machine, { events: ['ASK'] });
    await tell(test, 'ASK');
    expect(seen).toEqual([
      'string',
      'string',
      'function',
      'function',
      'undefined',
      'undefined',
      'undefined',
      'undefined',
    ]);
    await test.shard.stop();
  });
});

describe('a child that is stopped in the step that spawns it', () => {
  it('is never born, and a kept reference to it reaches no actor', async () => {
    const machine = setup({ types: {} as { context: { ref: AnyActorRef | null } }, actors: { counter } }).createMachine(
      {
        context: { ref: null },
        on: {
          GO: { actions: [assign({ ref: ({ spawn }) => spawn('counter', { id: 'kid' }) }), stopChild('kid')] },
          USE: { actions: sendTo(({ context }) => context.ref!, { type: 'UP' }) },
          ANEW: { actions: spawnChild('counter', { id: 'kid' }) },
        },
      },
    );
    const test = await startSubject(machine, { events: ['GO', 'USE', 'ANEW'] });
    await tell(test, 'GO');
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await tell(test, 'USE');
    await cut(test);
    await tell(test, 'ANEW');
    await tell(test, 'USE');
    expect(countOf(test, 'kid')).toBe(0);
    await test.shard.stop();
  });
});

describe('a system id', () => {
  const machine = setup({ types: {} as { context: { refused: boolean } }, actors: { counter } }).createMachine({
    context: { refused: false },
    initial: 'a',
    on: { UP: { actions: sendTo(({ system }) => system.get('the-counter') as AnyActorRef, { type: 'UP' }) } },
    states: {
      a: {
        invoke: { src: 'counter', id: 'one', systemId: 'the-counter' },
        on: {
          GO: 'b',
          AGAIN: { target: 'a', reenter: true },
          TWICE: { actions: spawnChild('counter', { id: 'thief', systemId: 'the-counter' }) },
        },
      },
      b: { on: { TAKE: { actions: spawnChild('counter', { id: 'two', systemId: 'the-counter' }) }, BACK: 'a' } },
    },
  });

  it('is found after restarts, is freed when its actor ends, and can be taken again', async () => {
    const test = await startSubject(machine, { events: ['UP', 'GO', 'AGAIN', 'TWICE', 'TAKE', 'BACK'] });
    await cut(test);
    await tell(test, 'UP');
    await cut(test);
    await tell(test, 'UP');
    expect(countOf(test, 'one')).toBe(2);
    await tell(test, 'AGAIN');
    await cut(test);
    await tell(test, 'UP');
    expect(countOf(test, 'one')).toBe(1);
    await tell(test, 'GO');
    await cut(test);
    await tell(test, 'TAKE');
    await cut(test);
    await tell(test, 'UP');
    expect(countOf(test, 'two')).toBe(1);
    await test.shard.stop();
  });

  it('is refused to a second actor while it is taken, after a restart too', async () => {
    const test = await startSubject(machine, { events: ['TWICE', 'UP'] });
    await cut(test);
    await tell(test, 'TWICE');
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { message: "Actor with system ID 'the-counter' already exists." } },
    ]);
    await tell(test, 'UP');
    expect([countOf(test, 'one'), countOf(test, 'thief')]).toEqual([1, undefined]);
    await test.shard.stop();
  });
});

describe('an invoke whose state is entered again', () => {
  it('ignores the completion of the earlier invoke, and of a start before a power cut', async () => {
    const open: ((value: string) => void)[] = [];
    const ask = fromPromise(() => new Promise<string>((resolve) => open.push(resolve)));
    const machine = setup({ types: {} as { context: { got: unknown[] } }, actors: { ask } }).createMachine({
      context: { got: [] },
      initial: 'asking',
      states: {
        asking: {
          invoke: {
            src: 'ask',
            id: 'ask',
            onDone: { actions: assign({ got: ({ context, event }) => [...context.got, event.output] }) },
          },
          on: { AGAIN: { target: 'asking', reenter: true }, LEAVE: 'left' },
        },
        left: { on: { BACK: 'asking' } },
      },
    });
    const test = await startSubject(machine, { events: ['AGAIN', 'LEAVE', 'BACK'] });
    const answer = async (start: number) => {
      open[start]!(`start ${start}`);
      await test.settle();
    };
    await tell(test, 'AGAIN');
    await answer(0);
    await cut(test);
    await answer(1);
    expect(contextOf(test)).toEqual({ got: [] });
    await tell(test, 'LEAVE');
    await answer(2);
    await tell(test, 'BACK');
    await cut(test);
    await answer(3);
    expect(contextOf(test)).toEqual({ got: [] });
    await answer(4);
    expect(contextOf(test)).toEqual({ got: ['start 4'] });
    expect(valueOf(test)).toBe('asking');
    await test.shard.stop();
  });
});
