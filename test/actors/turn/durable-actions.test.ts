/**
 * P3: custom actions that are declared durable run at least once, with one effect id, in order; others at most once.
 */
import { assign, setup, emit } from 'xstate';
import { describe, expect, it } from 'vitest';
import { actionOf } from '../../../src/actors/model/ref.ts';
import { DURABLE_ACTIONS_MAX } from '../../../src/limits.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { type Declared, declaredAgent, SECOND, startDeclared } from '../../support/actors/declared.ts';
import { atEveryWrite, tellStory } from '../../support/actors/power-cut.ts';
import { contextOf, tell, valueOf } from '../../support/actors/subject.ts';

type Run = (info: { event: unknown; self: object }, params: { n: number }) => unknown;

/** `MAIL` has the action run with the event's `n`; `TWO` with 1 and 2; `END` with 9, and ends the machine. */
function mailing(run: Run) {
  const mail = (n: number | ((event: { n: number }) => number)) => ({
    type: 'mail' as const,
    params: ({ event }: { event: unknown }) => ({ n: typeof n === 'number' ? n : n(event as { n: number }) }),
  });
  return setup({
    types: {} as { context: { sent: number[] } },
    actions: { mail: run as never, note: () => {} },
  }).createMachine({
    context: { sent: [] },
    initial: 'on',
    states: { on: { on: { END: { target: 'over', actions: mail(9) as never } } }, over: { type: 'final' } },
    on: {
      MAIL: { actions: mail(({ n }) => n) as never },
      TWO: { actions: [mail(1), mail(2)] as never },
      SENT: { actions: ({ context: _ }) => {} },
    },
  });
}

const EVENTS = ['MAIL', 'TWO', 'END', 'SENT'];

async function start(
  run: Run,
  mail: Partial<NonNullable<Declared['actions']>[string]> = {},
  declared: Partial<Declared> = {},
): Promise<TestSystem> {
  return startDeclared(mailing(run), { events: EVENTS, actions: { mail: { durable: true, ...mail } }, ...declared });
}

/** An action whose runs the test settles. */
function settled() {
  const runs: {
    n: number;
    effectId: string;
    attempt: number;
    signal: AbortSignal;
    resolve: () => void;
    reject: (error: unknown) => void;
  }[] = [];
  const run: Run = ({ self }, { n }) =>
    new Promise<void>((resolve, reject) => void runs.push({ n, ...actionOf(self), resolve, reject }));
  return { runs, run };
}

describe('a durable action', () => {
  it('runs once if nothing fails, after its epoch, with its event and params', async () => {
    const seen: unknown[] = [];
    const test = await start(({ event, self }, params) => void seen.push([event, params, actionOf(self).attempt]));
    await tell(test, 'MAIL', { n: 7 });
    await test.crash();
    await test.restart();
    expect(seen).toEqual([[{ type: 'MAIL', n: 7 }, { n: 7 }, 1]]);
    await test.shard.stop();
  });

  it('runs again after each crash until it completes, with the same effect id', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'MAIL', { n: 1 });
    await test.crash();
    await test.restart();
    await test.crash();
    await test.restart();
    expect(runs.map(({ n, attempt }) => [n, attempt])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(new Set(runs.map(({ effectId }) => effectId)).size).toBe(1);
    runs[2]!.resolve();
    await test.settle();
    await test.crash();
    await test.restart();
    expect(runs).toHaveLength(3);
    await test.shard.stop();
  });

  it('waits for earlier durable actions to settle, and has an effect id of its own', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'TWO');
    await tell(test, 'MAIL', { n: 3 });
    expect(runs.map(({ n }) => n)).toEqual([1]);
    for (const next of [0, 1, 2]) {
      runs[next]!.resolve();
      await test.settle();
    }
    expect(runs.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(new Set(runs.map(({ effectId }) => effectId)).size).toBe(3);
    await test.shard.stop();
  });

  it('does not begin before its epoch is durable, even if no earlier action is left', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'MAIL', { n: 1 });
    const held = test.store.hold('before');
    const sent = test.shard.send('subject', { type: 'MAIL', n: 2 });
    await held.reached;
    runs[0]!.resolve();
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(runs).toHaveLength(1);
    held.release();
    await sent;
    await test.settle();
    expect(runs.map(({ n }) => n)).toEqual([1, 2]);
    await test.shard.stop();
  });

  it('does not wait for durable actions of other actors', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    const other = await test.shard.spawn(declaredAgent(mailing(run), { events: EVENTS }), 'other');
    await tell(test, 'MAIL', { n: 1 });
    await other.send({ type: 'MAIL', n: 2 });
    await test.settle();
    expect(runs.map(({ n }) => n)).toEqual([1, 2]);
    await test.shard.stop();
  });

  it('a durable action that fails is retried after its backoff; later actions wait', async () => {
    const { runs, run } = settled();
    const test = await start(run, { retry: { attempts: 3, backoff: SECOND } });
    await tell(test, 'TWO');
    runs[0]!.reject(new Error('no'));
    await test.advance(999);
    expect(runs).toHaveLength(1);
    await test.advance(1);
    runs[1]!.resolve();
    await test.settle();
    expect(runs.map(({ n, attempt }) => [n, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    await test.shard.stop();
  });

  it('waits for the rest of its backoff after a crash, and keeps its count of failures', async () => {
    const { runs, run } = settled();
    const test = await start(run, { retry: { attempts: 2, backoff: SECOND } });
    await tell(test, 'MAIL', { n: 1 });
    runs[0]!.reject(new Error('no'));
    await test.advance(400);
    await test.crash();
    await test.restart();
    await test.advance(599);
    expect(runs).toHaveLength(1);
    await test.advance(1);
    runs[1]!.reject(new Error('no, again'));
    await test.settle();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: 'subject', error: { message: 'no, again' } },
    ]);
    await test.shard.stop();
  });

  it('waits for the rest of its backoff after a start that sets kernel time back, and over later starts', async () => {
    const { runs, run } = settled();
    const test = await start(
      run,
      { retry: { attempts: 2, backoff: SECOND } },
      { clock: new VirtualClock(Date.UTC(2100, 0, 1)) },
    );
    await tell(test, 'MAIL', { n: 1 });
    runs[0]!.reject(new Error('no'));
    await test.settle();
    await test.shard.stop();
    test.clock.setWall(Date.UTC(2026, 0, 1));
    await test.restart({ trustWallClock: true });
    await test.advance(400);
    await test.crash();
    await test.restart();
    await test.advance(599);
    expect(runs).toHaveLength(1);
    await test.advance(1);
    expect(runs).toHaveLength(2);
    await test.shard.stop();
  });

  it('a durable action that fails too often is quarantined with its error; later actions go on', async () => {
    const run: Run = (_, { n }) => {
      if (n === 1) throw new Error('no');
    };
    const test = await start(run, { retry: { attempts: 3, backoff: { ...SECOND, minMs: 0 } } });
    await tell(test, 'TWO');
    const effectId = expect.stringMatching(/^\d+\/action\/\d+$/) as unknown;
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([
      {
        number: 1,
        reason: 'quarantined',
        address: 'subject',
        atMs: expect.any(Number) as unknown,
        error: new Error('no'),
        event: { type: 'TWO' },
        action: { name: 'mail', params: { n: 1 }, effectId },
      },
    ]);
    expect([test.shard.tree('subject').restarts, test.logged]).toEqual([
      0,
      [['durable action mail of subject was given up: no']],
    ]);
    await test.crash();
    await test.restart();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
    await test.shard.stop();
  });

  it(
    'a durable action that was given up keeps its effect id when it is redelivered, also over a crash, and refuses ' +
      'another event',
    async () => {
      const { runs, run } = settled();
      const test = await start(run, { retry: { attempts: 1 } });
      await tell(test, 'MAIL', { n: 1 });
      runs[0]!.reject(new Error('no'));
      await test.settle();
      await expect(test.shard.deadLetters.edit(1, { type: 'MAIL', n: 2 } as never)).rejects.toMatchObject({
        code: 'BOSUN_EVENT_REFUSED',
      });
      await test.shard.deadLetters.redeliver(1);
      await test.crash();
      await test.restart();
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
      expect(runs.length).toBeGreaterThan(1);
      expect(new Set(runs.map(({ effectId }) => effectId)).size).toBe(1);
      runs.at(-1)!.resolve();
      await test.settle();
      await test.crash();
      await test.restart();
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
      await test.shard.stop();
    },
  );

  it('is not retried after an error with retryable: false', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'MAIL', { n: 1 });
    runs[0]!.reject(Object.assign(new Error('never'), { retryable: false }));
    await test.advance(100_000);
    expect([runs.length, test.shard.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([1, 1]);
    await test.shard.stop();
  });

  it('a durable action that takes longer than its timeout is aborted, and its result is ignored', async () => {
    const { runs, run } = settled();
    const test = await start(run, { timeoutMs: 500, retry: { attempts: 2, backoff: SECOND } });
    await tell(test, 'MAIL', { n: 1 });
    await test.advance(500);
    expect(runs[0]!.signal.aborted).toBe(true);
    runs[0]!.resolve();
    await test.advance(1_000);
    expect(runs).toHaveLength(2);
    await test.advance(500);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_EFFECT_TIMEOUT' } },
    ]);
    await test.shard.stop();
  });

  it('outlives its actor', async () => {
    const { runs, run } = settled();
    const test = await start(run, {}, { restart: 'temporary' });
    await tell(test, 'END');
    expect(test.shard.snapshot('subject')).toBe(undefined);
    await test.crash();
    await test.restart();
    runs.at(-1)!.resolve();
    await test.settle();
    await test.crash();
    await test.restart();
    expect(runs.map(({ n }) => n)).toEqual([9, 9]);
    await test.shard.stop();
  });

  it('is quarantined with BOSUN_AGENT_INVALID if it reads the context', async () => {
    const test = await start((info) => (info as unknown as { context: unknown }).context);
    await tell(test, 'MAIL', { n: 1 });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_AGENT_INVALID' } },
    ]);
    await test.shard.stop();
  });

  it('a durable action with params that are not data makes the turn throw', async () => {
    const seen: unknown[] = [];
    const test = await start((_, params) => void seen.push(params));
    await tell(test, 'MAIL', { n: 1 });
    const machine = setup({ actions: { mail: () => void seen.push('ran') } }).createMachine({
      on: { MAIL: { actions: { type: 'mail', params: { f: () => {} } } as never } },
    });
    const other = await startDeclared(machine, { events: ['MAIL'], actions: { mail: { durable: true } } });
    await tell(other, 'MAIL');
    expect([seen, other.shard.tree('subject').lastError]).toMatchObject([[{ n: 1 }], { code: 'BOSUN_VALUE_REFUSED' }]);
    await test.shard.stop();
    await other.shard.stop();
  });

  it('a durable action that the agent no longer declares is quarantined', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'MAIL', { n: 1 });
    await test.crash();
    await test.restart({ agents: [declaredAgent(mailing(run), { events: EVENTS })] });
    expect([runs.length, test.shard.deadLetters.list({ reason: 'quarantined' })]).toMatchObject([
      1,
      [{ error: { code: 'BOSUN_AGENT_UNREADABLE' } }],
    ]);
    await test.shard.stop();
  });

  it('is aborted when the system stops, and run again by the next start', async () => {
    const { runs, run } = settled();
    const test = await start(run);
    await tell(test, 'MAIL', { n: 1 });
    await test.shard.stop();
    expect(runs[0]!.signal.aborted).toBe(true);
    runs[0]!.resolve();
    await test.restart();
    expect(runs).toHaveLength(2);
    await test.shard.stop();
  });

  it('sends to its actor by `self`', async () => {
    const run: Run = ({ self }, { n }) => {
      if (n === 1) (self as { send: (event: object) => void }).send({ type: 'END' });
    };
    const test = await start(run, {}, { restart: 'transient' });
    await tell(test, 'MAIL', { n: 1 });
    expect(test.shard.snapshot('subject')).toBe(undefined);
    await test.shard.stop();
  });

  it('is refused if too many durable actions of its actor wait already', async () => {
    const machine = setup({ actions: { mail: (() => new Promise<void>(() => {})) as () => void } }).createMachine({
      on: {
        // Actions that are not durable do not count.
        MANY: {
          actions: [emit({ type: 'many' }), ...Array.from({ length: DURABLE_ACTIONS_MAX / 4 }, () => 'mail' as const)],
        },
        ONE: { actions: 'mail' },
      },
    });
    const test = await startDeclared(machine, { events: ['MANY', 'ONE'], actions: { mail: { durable: true } } });
    for (let n = 0; n < 4; n++) await tell(test, 'MANY');
    expect(test.shard.tree('subject').restarts).toBe(0);
    await test.crash();
    await test.restart();
    await tell(test, 'ONE');
    expect(test.shard.tree('subject').lastError).toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    await test.shard.stop();
  });

  it('may be followed by ten thousand more in one turn without overflowing the stack', async () => {
    let ran = 0;
    const machine = setup({ actions: { mail: () => void ran++ } }).createMachine({
      on: { MANY: { actions: Array.from({ length: DURABLE_ACTIONS_MAX }, () => 'mail' as const) } },
    });
    const test = await startDeclared(machine, { events: ['MANY'], actions: { mail: { durable: true } } });
    await tell(test, 'MANY');
    expect(ran).toBe(DURABLE_ACTIONS_MAX);
    await test.shard.stop();
  });

  it.each([true, false])(
    'runs at least once, under one effect id, wherever the power is cut (asynchronous: %s)',
    async (isAsynchronous) => {
      const writes = await atEveryWrite(async (cut) => {
        const ids = new Map<number, Set<string>>();
        const order: number[] = [];
        let failures = 2;
        const run: Run = ({ self }, { n }) => {
          ids.set(n, (ids.get(n) ?? new Set()).add(actionOf(self).effectId));
          order.push(n);
          const fails = n === 2 && failures-- > 0;
          if (isAsynchronous) return fails ? Promise.reject(new Error('no')) : Promise.resolve();
          if (fails) throw new Error('no');
          return undefined;
        };
        const agents = [
          declaredAgent(mailing(run), {
            events: EVENTS,
            actions: { mail: { durable: true, retry: { attempts: 5, backoff: SECOND } } },
          }),
        ];
        const send = (event: { type: string; n?: number }, sequence: number) => async (test: TestSystem) => {
          await test.shard.send('subject', event, { session: { id: 's', sequence } });
          await test.settle();
        };
        const story = [
          send({ type: 'TWO' }, 1),
          send({ type: 'MAIL', n: 3 }, 2),
          (test: TestSystem) => test.advance(4_000),
        ];
        const told = await tellStory(story, { agents, tree: { children: [{ id: 'subject', agent: 'subject' }] } }, cut);
        const place = `power cut ${cut.point} write ${cut.write}`;
        expect([...ids.keys()].sort(), place).toEqual([1, 2, 3]);
        for (const [n, own] of ids) expect(own.size, `${place}: ids of ${n}`).toBe(1);
        // In order: none begins for the first time before all in front of it have succeeded.
        expect(order.indexOf(3) > order.lastIndexOf(2) || cut.write > 0, place).toBe(true);
        expect([order.indexOf(1) < order.indexOf(2), order.indexOf(2) < order.indexOf(3)], place).toEqual([true, true]);
        expect(
          [told.test.shard.deadLetters.list({ reason: 'quarantined' }), valueOf(told.test), contextOf(told.test)],
          place,
        ).toEqual([[], 'on', { sent: [] }]);
        await told.test.shard.stop();
        return told.writes;
      });
      expect(writes).toBeGreaterThan(6);
    },
  );
});

describe('an action that is not declared', () => {
  it('runs at most once: a crash after its epoch and before its run loses it', async () => {
    let ran = 0;
    const machine = setup({
      types: {} as { context: { mails: number } },
      actions: { mail: () => void ran++ },
    }).createMachine({
      context: { mails: 0 },
      on: { MAIL: { actions: [assign({ mails: ({ context }) => context.mails + 1 }), 'mail'] } },
    });
    const test = await startDeclared(machine, { events: ['MAIL'] });
    const held = test.store.hold('durable');
    void test.shard.send('subject', { type: 'MAIL' }).catch(() => {});
    await held.reached;
    await test.crash();
    await test.restart();
    expect(ran).toBe(0);
    await test.shard.stop();
  });

  it('has no facts: actionOf throws for it', async () => {
    const errors: unknown[] = [];
    const machine = setup({
      actions: {
        mail: ({ self }) => {
          try {
            actionOf(self);
          } catch (error) {
            errors.push(error);
          }
        },
      },
    }).createMachine({ on: { MAIL: { actions: 'mail' } } });
    const test = await startDeclared(machine, { events: ['MAIL'] });
    await tell(test, 'MAIL');
    expect(errors).toEqual([new TypeError('actionOf needs the `self` of a durable action')]);
    await test.shard.stop();
  });

  it('is also an inline function that has the name of a durable action by chance', async () => {
    const seen: unknown[] = [];
    const machine = setup({ actions: { mail: () => void seen.push('durable') } }).createMachine({
      on: {
        MAIL: {
          actions: function mail({ self }) {
            seen.push(self.id);
          },
        },
      },
    });
    const test = await startDeclared(machine, { events: ['MAIL'], actions: { mail: { durable: true } } });
    await tell(test, 'MAIL');
    expect(seen).toEqual(['subject']);
    await test.shard.stop();
  });
});
