/**
 * P7: invoked effects are not durable: each is started again with the same input and effect id, and a stale completion
 * is ignored.
 */
import {
  type ActorLogic,
  type AnyActorScope,
  assign,
  createMachine,
  type EventObject,
  fromCallback,
  fromObservable,
  fromTransition,
  sendTo,
  setup,
  type Snapshot,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../../src/actors/model/ref.ts';
import { observable } from '../../../support/actors/observable.ts';
import { asking, promised, settle } from '../../../support/actors/promised.ts';
import { agentOf, contextOf, startSubject, tell, valueOf } from '../../../support/actors/subject.ts';

const EVENTS = { events: ['AGAIN', 'LEAVE', 'BREAK'] };

describe('a promise', () => {
  it('is started again after a restart of the host, with its input and effect id, as the next attempt', async () => {
    const { starts, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await test.crash();
    await test.restart();
    await test.crash();
    await test.restart();
    expect(starts.map(({ attempt, input }) => [attempt, input])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, { question: 'why' }]),
    );
    expect(new Set(starts.map(({ effectId }) => effectId)).size).toBe(1);
    await settle(test, () => starts[2]!.resolve('because'));
    expect([valueOf(test), contextOf(test)]).toEqual(['answered', { got: ['because'] }]);
    await test.shard.stop();
  });

  it('a promise of an earlier process is ignored when it settles', async () => {
    const { starts, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await test.crash();
    await test.restart();
    await settle(test, () => starts[0]!.resolve('stale'));
    expect(valueOf(test)).toBe('asking');
    await test.shard.stop();
  });

  it('a promise whose state is entered again is a new effect, and the old one is ignored when it settles', async () => {
    const { starts, aborted, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await tell(test, 'AGAIN');
    expect(starts[0]!.effectId).not.toBe(starts[1]!.effectId);
    expect([starts.map(({ attempt }) => attempt), aborted]).toEqual([[1, 1], [1]]);
    await settle(test, () => starts[0]!.resolve('stale'));
    expect(valueOf(test)).toBe('asking');
    await settle(test, () => starts[1]!.resolve('fresh'));
    expect(contextOf(test)).toEqual({ got: ['fresh'] });
    await test.shard.stop();
  });

  it('is aborted when its state is left, and not started again by a restart', async () => {
    const { starts, aborted, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await tell(test, 'LEAVE');
    await test.crash();
    await test.restart();
    expect([starts.length, aborted]).toEqual([1, [1]]);
    await test.shard.stop();
  });

  it('a promise that settled is not aborted', async () => {
    const { starts, aborted, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await settle(test, () => starts[0]!.resolve('because'));
    await test.shard.stop();
    expect(aborted).toEqual([]);
  });

  it('goes on undisturbed when its machine is restarted from its last state', async () => {
    const { starts, aborted, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await tell(test, 'BREAK');
    expect(test.shard.tree('subject').restarts).toBe(1);
    await settle(test, () => starts[0]!.resolve('because'));
    expect([starts.length, aborted, contextOf(test)]).toEqual([1, [], { got: ['because'] }]);
    await test.shard.stop();
  });

  it('is aborted when its machine is restarted from its initial state, and a new effect is started', async () => {
    const { starts, aborted, logic } = promised();
    const test = await startSubject(asking(logic), { ...EVENTS, resume: 'initial' });
    await tell(test, 'BREAK');
    await settle(test, () => starts[0]!.resolve('stale'));
    expect([aborted, valueOf(test), new Set(starts.map(({ effectId }) => effectId)).size]).toEqual([[1], 'asking', 2]);
    await test.shard.stop();
  });
});

describe('a promise that rejects', () => {
  it('fails its machine if no state handles it, and is started again after a wait as the same effect', async () => {
    const { starts, logic } = promised();
    const test = await startSubject(asking(logic), EVENTS);
    await settle(test, () => starts[0]!.reject(new Error('no')));
    expect(test.shard.tree('subject')).toMatchObject({ restarts: 1, lastError: new Error('no') });
    expect(starts.map(({ attempt }) => attempt)).toEqual([1]);
    await test.advance(1_200);
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(starts[0]!.effectId).toBe(starts[1]!.effectId);
    await test.crash();
    await test.restart();
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await settle(test, () => starts[2]!.resolve('at last'));
    expect(contextOf(test)).toEqual({ got: ['at last'] });
    await test.shard.stop();
  });

  it('is not started again once handled, neither by a crash of its machine nor of the host', async () => {
    const { starts, logic } = promised();
    const onError = {
      onError: {
        actions: assign({ got: ({ context }: { context: { got: unknown[] } }) => [...context.got, 'handled'] }),
      },
    };
    const test = await startSubject(asking(logic, onError), EVENTS);
    await settle(test, () => starts[0]!.reject(new Error('no')));
    await tell(test, 'BREAK');
    await test.crash();
    await test.restart();
    await tell(test, 'BREAK');
    expect([starts.length, contextOf(test), valueOf(test)]).toEqual([1, { got: ['handled'] }, 'asking']);
    await test.shard.stop();
  });

  it('is handled after the restart if its machine was in restart backoff', async () => {
    const { starts, logic } = promised();
    const child = { id: 'subject', agent: 'subject', backoff: { minMs: 1_000, jitter: 0 } };
    const test = await startSubject(asking(logic, { onError: 'left' }), {
      ...EVENTS,
      tree: { intensity: 100, children: [child] },
    });
    // The machine is in backoff after the first crash of the message; the promise rejects meanwhile.
    await tell(test, 'BREAK');
    expect(test.shard.snapshot('subject')?.status).toBe('error');
    await settle(test, () => starts[0]!.reject(new Error('no')));
    await test.advance(1_000);
    expect([valueOf(test), starts.length]).toEqual(['left', 1]);
    await test.shard.stop();
  });
});

describe('a callback', () => {
  /** A callback that notes its starts and ends in `lines`; `send` sends back from its latest start. */
  function calling() {
    const lines: string[] = [];
    const backs: ((event: EventObject) => void)[] = [];
    const logic = fromCallback(({ sendBack, self, receive }) => {
      const { attempt } = effectOf(self);
      lines.push(`start ${attempt}`);
      backs.push(sendBack);
      receive(({ type }) => {
        lines.push(`received ${type}`);
        if (type === 'THROW') throw new Error('broken');
      });
      return () => lines.push(`cleanup ${attempt}`);
    });
    const machine = setup({ types: {} as { context: { got: string[] } }, actors: { logic } }).createMachine({
      context: { got: [] },
      initial: 'on',
      states: { on: { invoke: { src: 'logic', id: 'call' }, on: { LEAVE: 'off' } }, off: {} },
      on: {
        BACK: {
          actions: assign({
            got: ({ context, event }) => [...context.got, (event as unknown as { what: string }).what],
          }),
        },
        TO: { actions: sendTo('call', ({ event }) => ({ type: (event as unknown as { what: string }).what })) },
      },
    });
    const send = (what: unknown, start = backs.length - 1) => backs[start]!({ type: 'BACK', what } as EventObject);
    return { lines, machine, send };
  }
  const events = ['LEAVE', 'TO'];

  it('is started again after a restart of the host, and events of the earlier start are ignored', async () => {
    const { lines, machine, send } = calling();
    const test = await startSubject(machine, { events });
    await settle(test, () => send('one'));
    await test.crash();
    await test.restart();
    await settle(test, () => send('stale', 0));
    await settle(test, () => send('two'));
    expect([lines, contextOf(test)]).toEqual([['start 1', 'start 2'], { got: ['one', 'two'] }]);
    await test.shard.stop();
  });

  it('is cleaned up once, when its state is left or the system stops', async () => {
    const { lines, machine } = calling();
    const test = await startSubject(machine, { events });
    await test.shard.stop();
    expect(lines).toEqual(['start 1', 'cleanup 1']);
    await test.restart();
    await tell(test, 'LEAVE');
    await test.shard.stop();
    expect(lines).toEqual(['start 1', 'cleanup 1', 'start 2', 'cleanup 2']);
  });

  it('is cleaned up once if the system stops while the exit of its state is being written', async () => {
    const { lines, machine } = calling();
    const test = await startSubject(machine, { events });
    const held = test.store.hold('before');
    const left = test.shard.send('subject', { type: 'LEAVE' });
    await held.reached;
    const stopped = test.shard.stop();
    held.release();
    await Promise.all([left, stopped]);
    expect([lines, test.logged]).toEqual([['start 1', 'cleanup 1'], []]);
  });

  it('a callback that throws while it receives fails, is cleaned up, and its later events are ignored', async () => {
    const { lines, machine, send } = calling();
    const test = await startSubject(machine, { events });
    await tell(test, 'TO', { what: 'THROW' });
    await test.advance(1_200);
    expect(lines).toEqual(['start 1', 'received THROW', 'cleanup 1', 'start 2']);
    expect(test.shard.tree('subject').restarts).toBe(1);
    await settle(test, () => send('stale', 0));
    expect(contextOf(test)).toEqual({ got: [] });
    await test.shard.stop();
  });

  it('a callback that sends something other than data fails, and its call to send back throws nothing', async () => {
    const { lines, machine, send } = calling();
    const test = await startSubject(machine, { events });
    await settle(test, () => send(Symbol('s')));
    expect(test.shard.tree('subject').lastError).toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    await test.advance(1_200);
    expect(lines.at(-1)).toBe('start 2');
    await test.shard.stop();
  });

  it('a callback that throws at its start, and whose onError leaves the state, is stopped once', async () => {
    const broken = fromCallback(() => {
      throw new Error('no');
    });
    const machine = setup({ actors: { broken } }).createMachine({
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'broken', onError: 'c' } }, c: {} },
    });
    const test = await startSubject(machine, { events: ['GO'] });
    await tell(test, 'GO');
    expect([valueOf(test), test.logged]).toEqual(['c', []]);
    await test.shard.stop();
  });

  it('a callback whose cleanup throws is logged', async () => {
    const logic = fromCallback(() => () => {
      throw new Error('stuck');
    });
    const machine = setup({ actors: { logic } }).createMachine({ invoke: { src: 'logic', id: 'call' } });
    const test = await startSubject(machine);
    await test.shard.stop();
    expect(test.logged).toEqual([['subject/call failed after its end: stuck']]);
  });
});

describe('an observable', () => {
  it('is unsubscribed when its state is left, and not when it has completed', async () => {
    const lines: string[] = [];
    let end = () => {};
    const logic = fromObservable(() =>
      observable<number>(({ complete }) => {
        end = complete;
        lines.push('subscribed');
        return () => lines.push('unsubscribed');
      }),
    );
    const machine = setup({ actors: { logic } }).createMachine({
      initial: 'on',
      states: {
        on: { invoke: { src: 'logic', onDone: 'done' }, on: { LEAVE: 'off' } },
        off: { on: { AGAIN: 'on' } },
        done: {},
      },
    });
    const test = await startSubject(machine, { events: ['LEAVE', 'AGAIN'] });
    await tell(test, 'LEAVE');
    await tell(test, 'AGAIN');
    await settle(test, () => end());
    await test.shard.stop();
    expect(lines).toEqual(['subscribed', 'unsubscribed', 'subscribed']);
    expect([valueOf(test), test.logged]).toEqual(['done', []]);
  });
});

describe('a reducer', () => {
  it('keeps its state over a restart and is not started again', async () => {
    const sum = fromTransition((total: number, event: EventObject & { n?: number }) => total + (event.n ?? 0), 0);
    const machine = setup({ actors: { sum } }).createMachine({
      invoke: { src: 'sum', id: 'sum' },
      on: { ADD: { actions: sendTo('sum', ({ event }) => event) } },
    });
    const test = await startSubject(machine, { events: ['ADD'] });
    await tell(test, 'ADD', { n: 2 });
    await test.crash();
    await test.restart();
    await tell(test, 'ADD', { n: 3 });
    expect(contextOf(test, 'subject/sum')).toBe(5);
    await test.shard.stop();
  });

  it('a reducer that throws gives its machine an error event', async () => {
    const logic = fromTransition(() => {
      throw new Error('broken');
    }, 0);
    const machine = setup({ actors: { logic } }).createMachine({
      initial: 'with',
      on: { ADD: { actions: sendTo('logic', ({ event }) => event) } },
      states: { with: { invoke: { src: 'logic', id: 'logic', onError: 'without' } }, without: {} },
    });
    const test = await startSubject(machine, { events: ['ADD'] });
    await tell(test, 'ADD');
    expect(valueOf(test)).toBe('without');
    await test.shard.stop();
  });
});

describe('custom actor logic with a start function', () => {
  type Counting = Snapshot<undefined> & { total: number };

  function counting(starts: number[]): ActorLogic<Counting, { type: 'ADD'; n: number }, undefined> {
    return {
      getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined, total: 0 }),
      transition: (snapshot, { n }) => {
        if (n < 0) throw new Error('negative');
        return { ...snapshot, total: snapshot.total + n };
      },
      getPersistedSnapshot: ({ total }) => ({ kept: total }) as unknown as Snapshot<unknown>,
      restoreSnapshot: (persisted) => ({
        status: 'active',
        output: undefined,
        error: undefined,
        total: (persisted as unknown as { kept: number }).kept,
      }),
      start: (snapshot, { self }: AnyActorScope) => void starts.push(effectOf(self).attempt, snapshot.total),
    };
  }

  it('takes events in turns, and is started again from its last state', async () => {
    const starts: number[] = [];
    const machine = setup({ actors: { logic: counting(starts) } }).createMachine({
      invoke: { src: 'logic', id: 'logic' },
      on: { ADD: { actions: sendTo('logic', ({ event }) => event as never) } },
    });
    const test = await startSubject(machine, { events: ['ADD'] });
    await tell(test, 'ADD', { n: 2 });
    await tell(test, 'ADD', { n: 3 });
    await test.crash();
    await test.restart();
    expect(starts).toEqual([1, 0, 2, 5]);
    await tell(test, 'ADD', { n: -1 });
    expect(test.shard.tree('subject')).toMatchObject({ restarts: 1, lastError: new Error('negative') });
    await test.shard.stop();
  });
});

describe('a stop of the system', () => {
  it('prevents the start of an effect whose epoch is being written', async () => {
    const { starts, logic } = promised();
    const test = await startSubject(createMachine({}), { agents: [agentOf('asking', asking(logic))] });
    const held = test.store.hold('before');
    const spawned = test.shard.spawn(agentOf('asking', asking(logic)), 'asking');
    await held.reached;
    const stopped = test.shard.stop();
    held.release();
    await Promise.all([spawned, stopped]);
    expect(starts).toEqual([]);
    await test.restart();
    expect(starts.map(({ attempt }) => attempt)).toEqual([2]);
    await test.shard.stop();
  });
});
