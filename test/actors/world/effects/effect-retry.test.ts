/** P7: retry, timeout and heartbeat of invoked effects as declared by their agent. */
import { assign, type EventObject, fromCallback, fromObservable, fromPromise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../../src/actors/model/ref.ts';
import { BosunError } from '../../../../src/errors.ts';
import { type HeldWrite } from '../../../../src/testing/faulty-store.ts';
import { type Declared, declaredAgent, SECOND, startDeclared } from '../../../support/actors/declared.ts';
import { observable } from '../../../support/actors/observable.ts';
import { atEveryWrite, type Story, tellStory } from '../../../support/actors/power-cut.ts';
import { asking, promised, settle } from '../../../support/actors/promised.ts';
import { contextOf, tell, valueOf } from '../../../support/actors/subject.ts';

const RETRY = { retry: { attempts: 3, backoff: SECOND } };
const KEEP_ERROR = {
  onError: {
    target: 'left',
    actions: assign({ got: ({ event }: { event: unknown }) => [(event as { error: unknown }).error] }),
  },
};
const EVENTS = ['AGAIN', 'LEAVE', 'BREAK'];

/** Starts a promise that the test settles, under effect options, in a machine that keeps its error. */
async function start(options: NonNullable<Declared['effects']>[string], machine: object = KEEP_ERROR) {
  const { starts, aborted, logic } = promised();
  const test = await startDeclared(asking(logic, machine), { effects: { logic: options }, events: EVENTS });
  const fail = (n: number, error: Error = new Error(`no ${n}`)) => settle(test, () => starts[n - 1]!.reject(error));
  return { test, starts, aborted, fail };
}

/** Starts a callback in a machine: TO sends to the callback, and the events that it sends back are counted. */
function startHearing(logic: ReturnType<typeof fromCallback>) {
  const machine = setup({ types: {} as { context: { heard: number } }, actors: { logic } }).createMachine({
    context: { heard: 0 },
    invoke: { src: 'logic', id: 'call' },
    on: {
      BACK: { actions: assign({ heard: ({ context }) => context.heard + 1 }) },
      TO: { actions: sendTo('call', { type: 'X' }) },
    },
  });
  return startDeclared(machine, { effects: { logic: RETRY }, events: ['TO'] });
}

describe('an effect that fails', () => {
  it('is started again after its backoff as the same effect; its machine gets the last failure only', async () => {
    const { test, starts, fail } = await start(RETRY);
    await fail(1);
    await test.advance(999);
    expect([starts.length, valueOf(test)]).toEqual([1, 'asking']);
    await test.advance(1);
    await fail(2);
    await test.advance(1_999);
    expect(starts).toHaveLength(2);
    await test.advance(1);
    expect(valueOf(test)).toBe('asking');
    await fail(3);
    expect([valueOf(test), contextOf(test)]).toMatchObject(['left', { got: [{ message: 'no 3' }] }]);
    await test.advance(600_000);
    expect(starts.map(({ attempt, input }) => [attempt, input])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, { question: 'why' }]),
    );
    expect(new Set(starts.map(({ effectId }) => effectId)).size).toBe(1);
    await test.shard.stop();
  });

  it('may succeed at a later attempt', async () => {
    const { test, starts, fail } = await start(RETRY);
    await fail(1);
    await test.advance(1_000);
    await settle(test, () => starts[1]!.resolve('because'));
    expect([valueOf(test), contextOf(test)]).toEqual(['answered', { got: ['because'] }]);
    await test.shard.stop();
  });

  it('waits for the rest of its backoff after a crash in the middle, and keeps its count of failures', async () => {
    const { test, starts, fail } = await start(RETRY);
    await fail(1);
    await test.advance(1_000);
    await fail(2);
    await test.advance(500);
    await test.crash();
    await test.restart();
    await test.advance(1_499);
    expect(starts).toHaveLength(2);
    await test.advance(1);
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await fail(3);
    expect(valueOf(test)).toBe('left');
    await test.shard.stop();
  });

  it('counts its failures, not its starts: a start that ended with the process does not count', async () => {
    const { test, starts, fail } = await start(RETRY);
    await fail(1);
    await test.advance(1_000);
    for (let crash = 0; crash < 3; crash++) {
      await test.crash();
      await test.restart();
    }
    await fail(5);
    await test.advance(2_000);
    expect([starts.map(({ attempt }) => attempt), valueOf(test)]).toEqual([[1, 2, 3, 4, 5, 6], 'asking']);
    await fail(6);
    expect(valueOf(test)).toBe('left');
    await test.shard.stop();
  });

  it('is ignored when it sends from a start that has failed', async () => {
    const backs: ((event: EventObject) => void)[] = [];
    const logic = fromCallback(({ sendBack, receive }) => {
      backs.push(sendBack);
      receive(() => {
        throw new Error('broken');
      });
    });
    const test = await startHearing(logic);
    await tell(test, 'TO');
    await tell(test, 'TO');
    await settle(test, () => backs[0]!({ type: 'BACK' }));
    await test.advance(1_000);
    await settle(test, () => backs[0]!({ type: 'BACK' }));
    expect([backs.length, contextOf(test)]).toEqual([2, { heard: 0 }]);
    await settle(test, () => backs[1]!({ type: 'BACK' }));
    expect(contextOf(test)).toEqual({ heard: 1 });
    await test.shard.stop();
  });

  it('is ignored from the moment of its failure on, even before the failure is durable', async () => {
    let back: (event: EventObject) => void = () => {};
    let hold = (): void => {};
    const logic = fromCallback(({ sendBack, receive }) => {
      back = sendBack;
      receive(() => {
        hold();
        throw new Error('broken');
      });
    });
    const test = await startHearing(logic);
    const held = new Promise<HeldWrite>((resolve) => (hold = () => resolve(test.store.hold('before'))));
    await test.shard.send('subject', { type: 'TO' });
    const { reached, release } = await held;
    await reached;
    back({ type: 'BACK' });
    release();
    await test.settle();
    expect(contextOf(test)).toEqual({ heard: 0 });
    await test.shard.stop();
  });

  it('counts one failure if one start fails twice', async () => {
    let starts = 0;
    const logic = fromCallback(({ receive }) => {
      starts += 1;
      receive(() => {
        throw new Error('broken');
      });
    });
    const machine = setup({ actors: { logic } }).createMachine({
      invoke: { src: 'logic', id: 'call' },
      on: { TO: { actions: [sendTo('call', { type: 'X' }), sendTo('call', { type: 'X' })] } },
    });
    const test = await startDeclared(machine, { effects: { logic: RETRY }, events: ['TO'] });
    await tell(test, 'TO');
    await test.advance(1_000);
    expect(starts).toBe(2);
    await test.shard.stop();
  });

  it('is not started again if its state is left during the backoff', async () => {
    const { test, starts, fail } = await start(RETRY);
    await fail(1);
    await tell(test, 'LEAVE');
    await test.advance(5_000);
    await test.crash();
    await test.restart();
    await test.advance(5_000);
    expect(starts).toHaveLength(1);
    await test.shard.stop();
  });

  it('is started again at once if its backoff is 0 ms', async () => {
    const { test, starts, fail } = await start({ retry: { attempts: 2, backoff: { ...SECOND, minMs: 0 } } });
    await fail(1);
    expect([starts.map(({ attempt }) => attempt), valueOf(test)]).toEqual([[1, 2], 'asking']);
    await test.shard.stop();
  });

  it('has its count of failures reset by a restart of its machine, and stays the same effect', async () => {
    const { test, starts, fail } = await start({ retry: { attempts: 2, backoff: SECOND } }, {});
    await fail(1);
    await test.advance(1_000);
    await fail(2);
    await test.advance(1_200);
    expect([test.shard.tree('subject').restarts, starts.length]).toEqual([1, 3]);
    await fail(3);
    await test.advance(1_000);
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(new Set(starts.map(({ effectId }) => effectId)).size).toBe(1);
    await test.shard.stop();
  });

  it('ends the same wherever the power is cut, after at most one extra start', async () => {
    const writes = await atEveryWrite(async (cut) => {
      const ids = new Set<string>();
      let starts = 0;
      const logic = fromPromise(({ self }) => {
        ids.add(effectOf(self).effectId);
        starts += 1;
        return Promise.reject(new Error(`no ${starts}`));
      });
      const agents = [declaredAgent(asking(logic as never, KEEP_ERROR), { effects: { logic: RETRY } })];
      const story: Story = [(test) => test.advance(1_000), (test) => test.advance(2_000)];
      const told = await tellStory(story, { agents, tree: { children: [{ id: 'subject', agent: 'subject' }] } }, cut);
      const place = `power cut ${cut.point} write ${cut.write}`;
      expect(valueOf(told.test), place).toBe('left');
      // The failure that the cut took with it was not counted.
      expect([[3, 4].includes(starts), ids.size], place).toEqual([true, 1]);
      await told.test.shard.stop();
      return told.writes;
    });
    expect(writes).toBeGreaterThan(5);
  });
});

describe('a failure without retry', () => {
  it('is one with retryable: false', async () => {
    const { test, fail } = await start(RETRY);
    await fail(1, Object.assign(new Error('never'), { retryable: false }));
    expect(valueOf(test)).toBe('left');
    await test.shard.stop();
  });

  it('is one whose error, with its class intact, retryIf of the agent declines', async () => {
    class Refused extends Error {}
    const { test, starts, fail } = await start({
      retry: { ...RETRY.retry, retryIf: (error) => !(error instanceof Refused) },
    });
    await fail(1);
    await test.advance(1_000);
    await fail(2, new Refused('no'));
    expect([starts.length, valueOf(test)]).toEqual([2, 'left']);
    await test.shard.stop();
  });

  it('stays final if the host crashes between the failure and its turn', async () => {
    const { test, starts } = await start(RETRY);
    // Only the turn of the failure can be missing: it is recorded in the epoch under way when its machine is busy.
    const held = test.store.hold('before');
    starts[0]!.reject(Object.assign(new Error('never'), { retryable: false }));
    await held.reached;
    await test.crash();
    await test.restart();
    expect([starts.length, valueOf(test)]).toEqual([2, 'asking']);
    await settle(test, () => starts[1]!.reject(Object.assign(new Error('never'), { retryable: false })));
    await test.crash();
    await test.restart();
    expect([starts.length, valueOf(test)]).toEqual([2, 'left']);
    await test.shard.stop();
  });

  it('is one for which retryIf throws, and that error is logged', async () => {
    const retryIf = () => {
      throw new Error('predicate');
    };
    const { test, fail } = await start({ retry: { ...RETRY.retry, retryIf } });
    await fail(1);
    expect([valueOf(test), test.logged]).toEqual(['left', [['retryIf threw: predicate']]]);
    await test.shard.stop();
  });

  it('is a result that is not data', async () => {
    const { test, starts } = await start(RETRY);
    await settle(test, () => starts[0]!.resolve(() => {}));
    expect(contextOf(test)).toMatchObject({ got: [{ code: 'BOSUN_VALUE_REFUSED' }] });
    await test.shard.stop();
  });
});

describe('timeoutMs', () => {
  it('aborts a start that takes longer, and counts it as failed', async () => {
    const { test, starts, aborted } = await start({ ...RETRY, timeoutMs: 30_000 });
    await test.advance(29_999);
    expect(aborted).toEqual([]);
    await test.advance(1);
    expect(aborted).toEqual([1]);
    await settle(test, () => starts[0]!.resolve('late'));
    await test.advance(1_000);
    expect([starts.length, valueOf(test)]).toEqual([2, 'asking']);
    await test.advance(29_999);
    await settle(test, () => starts[1]!.resolve('because'));
    expect(contextOf(test)).toEqual({ got: ['because'] });
    await test.shard.stop();
  });

  it('fails an effect without retries with BOSUN_EFFECT_TIMEOUT', async () => {
    const { test, aborted } = await start({ timeoutMs: 10 });
    await test.advance(10);
    expect([aborted, contextOf(test)]).toMatchObject([[1], { got: [{ code: 'BOSUN_EFFECT_TIMEOUT' }] }]);
    await test.shard.stop();
  });

  it('begins again with each start, after a crash too', async () => {
    const { test, aborted } = await start({ timeoutMs: 10 });
    await test.advance(9);
    await test.crash();
    await test.restart();
    await test.advance(9);
    expect(valueOf(test)).toBe('asking');
    await test.advance(1);
    // In a test the timeout of the start in the dead process fires too, without effect.
    expect([valueOf(test), aborted]).toEqual(['left', [2]]);
    await test.shard.stop();
  });

  it('has no effect once the effect has ended', async () => {
    const { test, starts, aborted } = await start({ timeoutMs: 10 });
    await settle(test, () => starts[0]!.resolve('because'));
    await test.advance(100);
    expect([valueOf(test), aborted, test.logged]).toEqual(['answered', [], []]);
    await test.shard.stop();
  });
});

describe('heartbeatMs', () => {
  it('fails a start that gives no sign for that long', async () => {
    const { test, aborted } = await start({ heartbeatMs: 5_000 });
    await test.advance(5_000);
    expect([aborted, contextOf(test)]).toMatchObject([[1], { got: [{ code: 'BOSUN_EFFECT_HUNG' }] }]);
    await test.shard.stop();
  });

  const signs: readonly (readonly [string, (self: object) => unknown])[] = [
    ['beat()', (self) => effectOf(self).beat()],
    ['a checkpoint', (self) => effectOf(self).checkpoint(1)],
    ['a memo result', (self) => effectOf(self).memo('name', () => 1)],
    ['an event to its machine', (self) => effectOf(self).tellParent({ type: 'X' })],
  ];
  it.each(signs)('is reset by %s', async (_, sign) => {
    const selves: object[] = [];
    const logic = fromPromise(({ self }) => {
      selves.push(self);
      return new Promise<unknown>(() => {});
    });
    const test = await startDeclared(asking(logic as never, KEEP_ERROR), {
      effects: { logic: { heartbeatMs: 5_000 } },
    });
    await test.advance(4_000);
    await settle(test, () => void sign(selves[0]!));
    await test.advance(4_999);
    expect(valueOf(test)).toBe('asking');
    await test.advance(1);
    expect(valueOf(test)).toBe('left');
    await test.shard.stop();
  });
});

describe('a callback that throws', () => {
  it('is cleaned up and started again', async () => {
    const lines: string[] = [];
    const logic = fromCallback(({ self }) => {
      const { attempt } = effectOf(self);
      lines.push(`start ${attempt}`);
      if (attempt === 1) throw new Error('no');
      return () => lines.push(`cleanup ${attempt}`);
    });
    const machine = setup({ actors: { logic } }).createMachine({ invoke: { src: 'logic', id: 'call' } });
    const test = await startDeclared(machine, { effects: { logic: RETRY } });
    await test.advance(1_000);
    await test.shard.stop();
    expect(lines).toEqual(['start 1', 'start 2', 'cleanup 2']);
  });
});

describe('an observable that fails', () => {
  it('is subscribed to again, and unsubscribed from once', async () => {
    const lines: string[] = [];
    const fails: ((error: unknown) => void)[] = [];
    const logic = fromObservable(() =>
      observable<number>(({ next, error }) => {
        lines.push('subscribed');
        fails.push(error);
        next(fails.length);
        return () => lines.push('unsubscribed');
      }),
    );
    const machine = setup({ types: {} as { context: { seen: unknown[] } }, actors: { logic } }).createMachine({
      context: { seen: [] },
      initial: 'on',
      states: {
        on: {
          invoke: {
            src: 'logic',
            onSnapshot: {
              actions: assign({ seen: ({ context, event }) => [...context.seen, event.snapshot.context] }),
            },
          },
          on: { LEAVE: 'off' },
        },
        off: {},
      },
    });
    const test = await startDeclared(machine, { effects: { logic: RETRY }, events: ['LEAVE'] });
    await settle(test, () => fails[0]!(new Error('no')));
    await test.advance(1_000);
    await tell(test, 'LEAVE');
    await test.shard.stop();
    expect(lines).toEqual(['subscribed', 'unsubscribed', 'subscribed', 'unsubscribed']);
    expect(contextOf(test)).toMatchObject({ seen: expect.arrayContaining([1, 2]) as unknown });
  });
});

describe('an observable whose second subscription fails', () => {
  it('is not unsubscribed from a second time', async () => {
    const lines: string[] = [];
    const logic = fromObservable(() => {
      if (lines.length > 0) throw new Error('no more');
      return observable<number>(({ error }) => {
        lines.push('subscribed');
        queueMicrotask(() => error(new Error('no')));
        return () => lines.push('unsubscribed');
      });
    });
    const machine = setup({ actors: { logic } }).createMachine({
      initial: 'on',
      states: { on: { invoke: { src: 'logic', onError: 'off' } }, off: {} },
    });
    const test = await startDeclared(machine, { effects: { logic: { retry: { attempts: 2, backoff: SECOND } } } });
    await test.advance(1_000);
    expect([valueOf(test), lines]).toEqual(['off', ['subscribed', 'unsubscribed']]);
    await test.shard.stop();
  });
});

describe('defineAgent refuses', () => {
  const { logic } = promised();
  const machine = setup({
    actors: { logic, sub: setup({}).createMachine({}) },
    actions: { note: () => {}, set: assign({}) },
  }).createMachine({});
  const wrong: readonly (readonly [string, Partial<Declared>, RegExp])[] = [
    [
      'options of an actor that the machine does not have',
      { effects: { lgoic: {} } },
      /"lgoic" is not a promise, callback or observable/,
    ],
    ['options of a machine', { effects: { sub: {} } }, /"sub" is not a promise/],
    [
      'a number of attempts below 1',
      { effects: { logic: { retry: { attempts: 0 } } } },
      /effects\.logic: retry\.attempts must be a whole number from 1/,
    ],
    ['a timeout of 0 ms', { effects: { logic: { timeoutMs: 0 } } }, /effects\.logic: timeoutMs/],
    [
      'a backoff factor below 1',
      { effects: { logic: { retry: { attempts: 2, backoff: { factor: 0.5 } } } } },
      /retry\.backoff\.factor/,
    ],
    ['a negative heartbeat', { effects: { logic: { heartbeatMs: -1 } } }, /heartbeatMs/],
    [
      'an action that the machine does not have',
      { actions: { nto: { durable: true } } },
      /"nto" is not a custom action/,
    ],
    ['an action that XState performs', { actions: { set: { durable: true } } }, /"set" is not a custom action/],
    [
      'an action that is declared and not durable',
      { actions: { note: { durable: false as true } } },
      /actions\.note: durable must be true/,
    ],
  ];
  it.each(wrong)('%s', (_, declared, message) => {
    expect(() => declaredAgent(machine, declared)).toThrow(message);
    expect(() => declaredAgent(machine, declared)).toThrow(BosunError);
  });
});
