/**
 * Promises of user code that nobody awaits. Where a value is due they are refused with their place; where none is due
 * they are watched, and a rejection is the failure of the actor. None ends the process: the runner fails by any
 * unhandled rejection.
 */
import {
  and,
  assign,
  cancel,
  enqueueActions,
  fromCallback,
  fromObservable,
  fromTransition,
  not,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { started } from '../../support/actors/started.ts';

const ENGINES = ['plan', 'xstate'] as const;
const down = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error('mail is down');
};
/** A function that gives a promise and does not look so. */
const promising = (value: unknown) => (): unknown => Promise.resolve(value);
const rejecting = (): unknown => down();

const count = assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 } as never);

function agentOf(name: string, config: { on?: object }, implementations: object = {}): AnyAgent {
  const machine = setup(implementations as never).createMachine({
    context: { n: 0 },
    ...config,
    on: { COUNT: { actions: count }, GO: {}, ...config.on },
  } as never);
  return defineAgent({
    name,
    machine,
    events: { GO: z.object({}), COUNT: z.object({}) },
    internal: ['BACK'],
  } as never);
}

const peer = agentOf('peer', {});

function startWith(config: object, implementations: object = {}, options: object = {}): Promise<TestSystem> {
  const children = [
    { id: 's', agent: 'subject' },
    { id: 'peer', agent: 'peer' },
  ];
  const agents = [agentOf('subject', config, implementations), peer];
  return started({ agents, tree: { intensity: 1_000, children }, ...options });
}

async function go(test: TestSystem): Promise<void> {
  await test.shard.send('s', { type: 'GO' });
  await test.settle();
}

/** The places of machines that owe a value, each with a config that owes it on GO. */
const OWED: Readonly<Record<string, (give: () => unknown) => readonly [config: object, implementations?: object]>> = {
  'a guard': (give) => [{ on: { GO: { guard: give, actions: count } } }],
  'a named guard': (give) => [{ on: { GO: { guard: 'g', actions: count } } }, { guards: { g: give } }],
  'a guard within `and` and `not`': (give) => [{ on: { GO: { guard: and([not(give as never)]), actions: count } } }],
  'an eventless guard': (give) => [
    { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { always: { guard: give, target: 'c' } }, c: {} } },
  ],
  'params of a guard': (give) => [
    { on: { GO: { guard: { type: 'g', params: give }, actions: count } } },
    { guards: { g: () => true } },
  ],
  'an assign': (give) => [{ on: { GO: { actions: assign(give as never) } } }],
  'an assign of a key': (give) => [{ on: { GO: { actions: assign({ n: give } as never) } } }],
  'an assign in an entry': (give) => [
    { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { entry: assign(give as never) } } },
  ],
  'params of an action': (give) => [{ on: { GO: { actions: { type: 'a', params: give } } } }, { actions: { a() {} } }],
  'a delay': (give) => [
    { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { after: { later: 'a' } } } },
    { delays: { later: give } },
  ],
  'a delay of raise': (give) => [
    { on: { GO: { actions: raise({ type: 'BACK' } as never, { delay: give as never }) } } },
  ],
  'an event of raise': (give) => [{ on: { GO: { actions: raise(give as never) } } }],
  'a target of sendTo': (give) => [{ on: { GO: { actions: sendTo(give as never, { type: 'BACK' } as never) } } }],
  'an event of sendTo': (give) => [
    { on: { GO: { actions: sendTo((({ self }: { self: object }) => self) as never, give as never) } } },
  ],
  'an id of cancel': (give) => [{ on: { GO: { actions: cancel(give as never) } } }],
  'a child of stopChild': (give) => [{ on: { GO: { actions: stopChild(give as never) } } }],
  'the input of spawnChild': (give) => [
    { on: { GO: { actions: spawnChild('kid' as never, { input: give } as never) } } },
    { actors: { kid: fromTransition(() => 0, 0) } },
  ],
  'an output': (give) => [{ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } }, output: give }],
  enqueueActions: (give) => [{ on: { GO: { actions: enqueueActions(give as never) } } }],
  'a guard that enqueueActions checks': (give) => [
    {
      on: {
        GO: {
          actions: enqueueActions((({
            check,
            enqueue,
          }: {
            check: (guard: unknown) => boolean;
            enqueue: (a: unknown) => void;
          }) => {
            if (check(give)) enqueue(count);
          }) as never),
        },
      },
    },
  ],
  'an assign that enqueueActions enqueues': (give) => [
    {
      on: {
        GO: {
          actions: enqueueActions(
            (({ enqueue }: { enqueue: { assign: (by: unknown) => void } }) => void enqueue.assign(give)) as never,
          ),
        },
      },
    },
  ],
};

describe.each(ENGINES)('a promise where a value is due (%s)', (stepEngine) => {
  it.each(Object.keys(OWED))('fails the turn as %s, and its message is put aside (class A)', async (place) => {
    for (const give of [promising(1), rejecting]) {
      const [config, implementations] = OWED[place]!(give);
      const test = await startWith(config, implementations, { stepEngine });
      await go(test);
      const [letter] = test.shard.deadLetters.list({ reason: 'quarantined' });
      expect(letter).toMatchObject({ address: 's' });
      // XState words errors of guards anew, without their code.
      expect((letter!.error as Error).message).toMatch(/gives a promise|is a promise/);
      // The turn has left no trace, and the actor goes on.
      await test.shard.send('s', { type: 'COUNT' });
      await test.settle();
      expect(test.shard.snapshot('s')!.context).toEqual({ n: 1 });
      await test.shard.stop();
    }
  });

  it('names the guard in the error', async () => {
    const test = await startWith(
      { on: { GO: { guard: 'isPaid', actions: count } } },
      { guards: { isPaid: promising(false) } },
      { stepEngine },
    );
    await go(test);
    const [letter] = test.shard.deadLetters.list();
    expect((letter!.error as Error).message).toContain('the guard isPaid of (machine) gives a promise');
  });

  it('fails the first start as a context, and no other actor', async () => {
    const promised = agentOf('promised', { context: rejecting } as object);
    const children = [{ id: 'peer', agent: 'peer' }];
    const test = await started({ agents: [peer, promised], stepEngine, tree: { children } });
    await expect(test.shard.spawn(promised, 'p', { input: {} as never })).rejects.toMatchObject({
      message: expect.stringMatching(/promise/),
    });
    await test.shard.send('peer', { type: 'COUNT' });
    await test.settle();
    expect(test.shard.snapshot('peer')!.context).toEqual({ n: 1 });
  });
});

describe('a function that was written with `async`', () => {
  it.each(Object.keys(OWED).filter((place) => !place.includes('checks') && !place.includes('enqueues')))(
    'is refused by defineAgent as %s (class A)',
    (place) => {
      const [config, implementations] = OWED[place]!(async () => 1);
      expect(() => agentOf('x', config, implementations)).toThrow(
        expect.objectContaining({
          code: 'BOSUN_AGENT_INVALID',
          message: expect.stringContaining('is an async function, and nobody waits for it there'),
        }),
      );
    },
  );

  it('is refused as a reducer and as the creator of an observable', () => {
    const asked = { invoke: { src: 'kid' } } as object;
    for (const kid of [fromTransition((async () => 0) as never, 0), fromObservable((async () => ({})) as never)])
      expect(() => agentOf('x', asked, { actors: { kid } })).toThrow(/is an async function/);
  });

  it('is no fault as an action', () => {
    expect(() => agentOf('x', { on: { GO: { actions: async () => {} } } })).not.toThrow();
  });
});

describe.each(ENGINES)('an action whose promise rejects (%s)', (stepEngine) => {
  it('is the failure of its actor, whose turn stands; others go on (01)', async () => {
    const test = await startWith({ on: { GO: { actions: [count, down] } } }, {}, { stepEngine });
    for (let round = 1; round <= 3; round++) {
      await go(test);
      await test.shard.send('peer', { type: 'COUNT' });
      await test.settle();
      expect(test.shard.tree('s')).toMatchObject({
        status: 'active',
        restarts: round,
        lastError: { message: 'mail is down' },
      });
      expect(test.shard.snapshot('s')!.context).toEqual({ n: round });
    }
    expect(test.shard.snapshot('peer')!.context).toEqual({ n: 3 });
  });

  it('is a line of the log if its actor has ended, and if the system has stopped', async () => {
    const lines: string[] = [];
    let fail!: () => void;
    const later = () => new Promise((_, reject) => (fail = () => reject(new Error('mail is down'))));
    const log = (line: unknown) => void lines.push(String(line));
    const test = await startWith({ on: { GO: { actions: later } } }, {}, { stepEngine, log });
    await go(test);
    await test.shard.boss('root').terminateChild('s');
    fail();
    await test.settle();
    expect(lines).toContain('an action of s failed after its end: mail is down');
    await test.shard.boss('root').restartChild('s');
    await go(test);
    await test.shard.stop();
    fail();
    await Promise.resolve().then(() => {});
    await test.settle();
    expect(lines.filter((line) => line.includes('after its end'))).toHaveLength(2);
  });
});

describe('a promise of an effect that nobody awaits', () => {
  const busy = {
    initial: 'idle',
    states: {
      idle: { on: { GO: 'busy' } },
      busy: {
        invoke: { src: 'kid', id: 'kid', onError: 'failed' },
        on: { BACK: 'idle', COUNT: { actions: sendTo('kid', { type: 'BACK' } as never) } },
      },
      failed: {},
    },
  };

  it.each([
    ['an async callback that rejects', fromCallback(down as never)],
    ['an async receiver of a callback that rejects', fromCallback(({ receive }) => void receive(down as never))],
    ['an observable that is a promise', fromObservable(rejecting as never)],
    ['a subscription that is a promise', fromObservable((() => ({ subscribe: rejecting })) as never)],
  ])('fails the effect: %s (class A)', async (_, kid) => {
    const test = await startWith({ ...busy, on: {} }, { actors: { kid } });
    await go(test);
    await test.shard.send('s', { type: 'COUNT' });
    await test.settle();
    expect(test.shard.snapshot('s')!.value).toBe('failed');
    expect(test.shard.tree('s').restarts).toBe(0);
  });

  it.each([
    ['a cleanup that rejects', fromCallback(() => down as never)],
    ['an unsubscribe that rejects', fromObservable((() => ({ subscribe: () => ({ unsubscribe: down }) })) as never)],
  ])('is a line of the log once the effect is over: %s (class A)', async (_, kid) => {
    const lines: string[] = [];
    const test = await startWith(
      { ...busy, on: { BACK: '.idle' } },
      { actors: { kid } },
      { log: (line: unknown) => void lines.push(String(line)) },
    );
    await go(test);
    await test.shard.boss('root').terminateChild('s');
    await test.settle();
    expect(lines).toContainEqual(expect.stringMatching(/^s\/kid failed after its end: mail is down/));
  });
});

it('an event with promises is refused, and none of them is forgotten', async () => {
  const test = await startWith({
    on: {
      GO: {
        actions: [
          assign({ n: 1 } as never),
          sendTo(
            (({ self }: { self: object }) => self) as never,
            (() => ({ type: 'BACK', a: Symbol('s'), b: [rejecting()] })) as never,
          ),
          raise((() => ({ type: 'BACK', c: rejecting() })) as never, { delay: 1 }),
        ],
      },
    },
  });
  await go(test);
  expect(test.shard.deadLetters.list()).toMatchObject([{ error: { code: 'BOSUN_VALUE_REFUSED' } }]);
});

it('an event of a host with promises is refused, or drops them with fields that no schema names', async () => {
  const test = await startWith({ on: { GO: { actions: count } } });
  const send = (event: unknown) => test.shard.send('s', event as never);
  await send({ type: 'GO', dropped: rejecting() });
  await expect(send(rejecting())).rejects.toMatchObject({ code: 'BOSUN_EVENT_REFUSED' });
  await test.settle();
  expect(test.shard.snapshot('s')!.context).toEqual({ n: 1 });
});
