/**
 * P4: timers are records with a deadline in kernel time. They survive restarts, fire once, never early, in deadline
 * order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type AnyActorRef, assign, cancel, createMachine, emit, enqueueActions, raise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { newTimer, type Timer, TimerQueue } from '../../../../src/actors/model/timers.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { LONG } from '../../../support/effort.ts';
import { agentOf, contextOf, startSubject, tell, valueOf } from '../../../support/actors/subject.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

type Command =
  | { type: 'ARM'; id?: string; delay: number; name: string }
  | { type: 'ARM_OTHER'; delay: number; name: string }
  | { type: 'CANCEL'; id: string }
  | { type: 'ARM_AND_CANCEL'; delay: number };

/** Arms timers on command and notes those that fire, with their lateness. */
const clockwork = (now: () => number) =>
  setup({
    types: {} as { context: { fired: string[] }; events: Command | { type: 'FIRED'; name: string; atMs: number } },
    actors: { other: noting(now) },
  }).createMachine({
    context: { fired: [] },
    invoke: { src: 'other', id: 'other' },
    on: {
      ARM: {
        actions: enqueueActions(({ event, enqueue }) => {
          const { id, delay, name } = event;
          enqueue.raise({ type: 'FIRED', name, atMs: now() + delay }, { delay, ...(id !== undefined && { id }) });
        }),
      },
      ARM_OTHER: {
        actions: sendTo('other', ({ event }) => ({ type: 'FIRED', name: event.name, atMs: now() + event.delay }), {
          delay: ({ event }) => event.delay,
        }),
      },
      CANCEL: { actions: cancel(({ event }) => event.id) },
      ARM_AND_CANCEL: {
        actions: [raise({ type: 'FIRED', name: 'never', atMs: 0 }, { delay: 1, id: 'gone' }), cancel('gone')],
      },
      FIRED: { actions: assign({ fired: ({ context, event }) => [...context.fired, noteOf(event, now())] }) },
    },
  });

function noting(now: () => number) {
  return setup({
    types: {} as { context: { fired: string[] }; events: { type: 'FIRED'; name: string; atMs: number } },
  }).createMachine({
    context: { fired: [] },
    on: { FIRED: { actions: assign({ fired: ({ context, event }) => [...context.fired, noteOf(event, now())] }) } },
  });
}

function noteOf({ name, atMs }: { name: string; atMs: number }, nowMs: number): string {
  const lateMs = nowMs - atMs;
  return lateMs === 0 ? name : `${name} ${lateMs < 0 ? 'EARLY' : 'late'} ${Math.abs(lateMs)}`;
}

async function startClockwork() {
  const clock = new VirtualClock();
  const now = () => clock.monotonicMs();
  const test = await startSubject(clockwork(now), { events: ['ARM', 'ARM_OTHER', 'CANCEL', 'ARM_AND_CANCEL'], clock });
  return {
    test,
    arm: (delay: number, name: string, id?: string) =>
      tell(test, 'ARM', { delay, name, ...(id !== undefined && { id }) }),
    fired: (address?: string) => (contextOf(test, address) as { fired: string[] }).fired,
  };
}

describe('a timer', () => {
  it('fires once, at its time, to its owner or to another actor', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(10, 'own');
    await tell(test, 'ARM_OTHER', { delay: 12, name: 'sent' });
    await test.advance(9);
    expect(fired()).toEqual([]);
    await test.advance(1);
    expect([fired(), fired('subject/other')]).toEqual([['own'], []]);
    await test.advance(100);
    expect([fired(), fired('subject/other')]).toEqual([['own'], ['sent']]);
    await test.shard.stop();
  });

  it('does not fire once it is cancelled, in the same turn or later', async () => {
    const { test, arm, fired } = await startClockwork();
    await tell(test, 'ARM_AND_CANCEL', { delay: 5 });
    await arm(10, 'cancelled', 'x');
    await test.advance(5);
    await tell(test, 'CANCEL', { id: 'x' });
    await test.advance(100);
    expect(fired()).toEqual([]);
    await test.crash();
    await test.restart();
    await test.advance(100);
    expect(fired()).toEqual([]);
    await test.shard.stop();
  });

  it('a timer armed again under its id counts from the second arming, and fires once', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(10, 'first', 'x');
    await test.advance(9);
    await arm(10, 'second', 'x');
    await test.advance(100);
    expect(fired()).toEqual(['second']);
    await test.shard.stop();
  });

  it('a timer without an id does not replace other timers without an id', async () => {
    const { test, arm, fired } = await startClockwork();
    for (const name of ['a', 'b', 'c']) await arm(10, name);
    await test.advance(10);
    expect(fired()).toEqual(['a', 'b', 'c']);
    await test.shard.stop();
  });

  it('a timer of zero or negative delay fires at once, after the turn that armed it', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(0, 'zero');
    await arm(-5, 'past');
    await test.advance(0);
    expect(fired()).toEqual(['zero', 'past late 5']);
    await test.shard.stop();
  });

  it('a timer that is due but unread can still be cancelled by an earlier turn', async () => {
    const machine = setup({ types: {} as { context: { fired: string[] } } }).createMachine({
      context: { fired: [] },
      entry: [raise({ type: 'FIRST' }, { delay: 10 }), raise({ type: 'SECOND' }, { delay: 10, id: 'second' })],
      on: {
        FIRST: { actions: cancel('second') },
        SECOND: { actions: assign({ fired: ({ context }) => [...context.fired, 'second'] }) },
      },
    });
    const test = await startSubject(machine);
    await test.advance(100);
    await test.crash();
    await test.restart();
    await test.advance(100);
    expect(contextOf(test)).toEqual({ fired: [] });
    await test.shard.stop();
  });

  it('a timer whose turn throws is delivered again, over restarts too, and quarantined in the end', async () => {
    let throws = 0;
    const machine = createMachine({
      context: { n: 0 },
      after: {
        10: {
          actions: assign({
            n: () => {
              throws += 1;
              throw new Error('broken');
            },
          }),
        },
      },
      on: { OK: { actions: assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 }) } },
    });
    const test = await startSubject(machine, { events: ['OK'], intensity: 0 });
    for (let start = 0; start < 5; start++) {
      await test.advance(10);
      await test.crash();
      await test.restart();
    }
    await tell(test, 'OK');
    expect([throws, contextOf(test), test.shard.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([
      3,
      { n: 1 },
      1,
    ]);
    await test.shard.stop();
  });

  it('a timer of 30 days fires after 30 days and not before, though timeouts of Node are shorter', async () => {
    const machine = createMachine({
      initial: 'waiting',
      states: { waiting: { after: { [30 * DAY_MS]: 'over' } }, over: {} },
    });
    const test = await startSubject(machine);
    await test.advance(30 * DAY_MS - 1);
    expect(valueOf(test)).toBe('waiting');
    await test.advance(1);
    expect(valueOf(test)).toBe('over');
    await test.shard.stop();
  });

  it('CN-002: a timer of 30 days keeps its deadline over restarts', async () => {
    const machine = createMachine({
      initial: 'waiting',
      states: { waiting: { after: { [30 * DAY_MS]: 'over' } }, over: {} },
    });
    const test = await startSubject(machine);
    for (const days of [10, 10]) {
      await test.advance(days * DAY_MS);
      await test.crash();
      await test.restart();
    }
    await test.advance(10 * DAY_MS - 1);
    expect(valueOf(test)).toBe('waiting');
    await test.advance(1);
    expect(valueOf(test)).toBe('over');
    await test.shard.stop();
  });

  it('a timer of infinite delay never fires', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(Infinity, 'never');
    await test.advance(100 * DAY_MS);
    await test.crash();
    await test.restart();
    await test.advance(100 * DAY_MS);
    expect(fired()).toEqual([]);
    await test.shard.stop();
  });
});

describe('timers over a restart of the host', () => {
  it('timers keep their deadlines, and overdue ones fire in the order of their deadlines', async () => {
    const { test, arm, fired } = await startClockwork();
    for (const [delay, name] of [
      [30, 'c'],
      [10, 'a'],
      [20, 'b'],
      [20, 'b2'],
      [50, 'd'],
    ] as const)
      await arm(delay, name);
    await test.crash();
    // Time passes while no system runs.
    await test.clock.advance(40, async () => {});
    await test.restart();
    expect(fired()).toEqual(['a late 30', 'b late 20', 'b2 late 20', 'c late 10']);
    await test.advance(9);
    expect(fired()).toHaveLength(4);
    await test.advance(1);
    expect(fired().at(-1)).toBe('d');
    await test.shard.stop();
  });

  it('a timer fires once, wherever the power is cut', async () => {
    for (const point of ['before', 'durable'] as const) {
      const { test, arm, fired } = await startClockwork();
      await arm(10, 'once');
      await tell(test, 'ARM_OTHER', { delay: 10, name: 'once' });
      const held = test.store.hold(point);
      void test.clock.advance(10, async () => {});
      await held.reached;
      await test.crash();
      await test.restart();
      await test.advance(100);
      expect([fired(), fired('subject/other')]).toEqual([['once'], ['once']]);
      await test.shard.stop();
    }
  });

  it('no timer fires early or is lost if the wall clock is set back', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(1_000, 'a');
    await test.advance(400);
    await arm(1_000, 'b');
    await test.crash();
    test.clock.jumpWallMs(-DAY_MS);
    await test.restart();
    await test.advance(599);
    expect(fired()).toEqual([]);
    await test.advance(1);
    expect(fired()).toEqual(['a']);
    await test.advance(400);
    expect(fired()).toEqual(['a', 'b']);
    await test.shard.stop();
  });

  it('timers fire that came due by a jump of the wall clock ahead', async () => {
    const { test, arm, fired } = await startClockwork();
    await arm(DAY_MS, 'a');
    await test.crash();
    test.clock.jumpWallMs(2 * DAY_MS);
    await test.restart();
    expect(fired()).toEqual([`a EARLY ${DAY_MS}`]);
    await test.shard.stop();
  });

  it('timers survive restarts on LevelDB', LONG, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bosun-timers-'));
    const clock = new VirtualClock();
    const machine = createMachine({
      initial: 'a',
      context: {},
      states: {
        a: { after: { 100: 'b' } },
        b: { entry: sendTo(({ self }) => self, { type: 'ON' }, { delay: 50 }), on: { ON: 'c' } },
        c: {},
      },
    });
    const agent = agentOf('subject', machine);
    const start = async () =>
      new Shard({
        agents: [agent],
        tree: { children: [{ id: 'subject', agent: 'subject' }] },
        store: levelStore(directory),
        clock,
        log: () => {},
      }).start();
    const values: unknown[] = [];
    for (const ms of [60, 60, 40, 40]) {
      const system = await start();
      const settle = async () => {
        await new Promise<void>((resolve) => setImmediate(resolve));
        await system.idle();
      };
      await settle();
      await clock.advance(ms, settle);
      values.push(system.snapshot('subject')?.value);
      await system.stop();
    }
    await rm(directory, { recursive: true });
    expect(values).toEqual(['a', 'b', 'c', 'c']);
  });
});

describe('the timers of an actor', () => {
  const ticking = setup({ types: {} as { context: { ticks: number } } }).createMachine({
    context: { ticks: 0 },
    initial: 'on',
    states: {
      on: {
        after: {
          10: {
            target: 'on',
            reenter: true,
            actions: [assign({ ticks: ({ context }) => context.ticks + 1 }), emit({ type: 'TICK' })],
          },
        },
      },
    },
    on: {
      BREAK: {
        actions: assign(() => {
          throw new Error('broken');
        }),
      },
    },
  });

  it('end with the actor', async () => {
    const machine = setup({ actors: { ticking } }).createMachine({
      initial: 'with',
      states: { with: { invoke: { src: 'ticking', id: 'kid' }, on: { STOP: 'without' } }, without: {} },
    });
    const test = await startSubject(machine, { events: ['STOP'] });
    let ticks = 0;
    test.shard.onEmitted(() => (ticks += 1));
    await test.advance(25);
    await tell(test, 'STOP');
    await test.advance(100);
    expect(ticks).toBe(2);
    await test.shard.stop();
  });

  it('begin again when the actor is restarted from its initial state', async () => {
    const test = await startSubject(ticking, { events: ['BREAK'], resume: 'initial' });
    await test.advance(15);
    await tell(test, 'BREAK');
    await test.advance(9);
    expect(contextOf(test)).toEqual({ ticks: 0 });
    await test.advance(1);
    expect(contextOf(test)).toEqual({ ticks: 1 });
    await test.shard.stop();
  });

  it('go on when the actor is restarted from its last state', async () => {
    const test = await startSubject(ticking, { events: ['BREAK'] });
    await test.advance(15);
    await tell(test, 'BREAK');
    await test.advance(5);
    expect(contextOf(test)).toEqual({ ticks: 2 });
    await test.shard.stop();
  });

  it('the timers of an actor that are due and unread at its end leave no message in its mailbox', async () => {
    const ending = setup({}).createMachine({
      initial: 'on',
      entry: [raise({ type: 'END' }, { delay: 10 }), raise({ type: 'LATE' }, { delay: 10 })],
      states: { on: { on: { END: 'off' } }, off: { type: 'final' } },
    });
    const test = await startSubject(
      setup({ actors: { ending } }).createMachine({ invoke: { src: 'ending', id: 'kid' } }),
    );
    await test.advance(10);
    expect(test.shard.tree('subject/kid')).toMatchObject({ status: 'done', mailbox: 0 });
    await test.shard.stop();
  });

  it('the timers of an actor for a child that has ended have no effect', async () => {
    const machine = setup({ types: {} as { context: { kid: AnyActorRef } }, actors: { ticking } }).createMachine({
      context: ({ spawn }) => ({ kid: spawn('ticking', { id: 'kid' }) }),
      entry: sendTo(({ context }) => context.kid, { type: 'HELLO' }, { delay: 50 }),
      on: { STOP: { actions: enqueueActions(({ enqueue }) => enqueue.stopChild('kid')) } },
    });
    const test = await startSubject(machine, { events: ['STOP'] });
    await tell(test, 'STOP');
    await test.advance(100);
    expect(test.shard.snapshot('subject')?.status).toBe('active');
    await test.shard.stop();
  });
});

describe('the timer queue', () => {
  type Step = { kind: 'arm'; delayMs: number } | { kind: 'cancel'; pick: number } | { kind: 'pass'; ms: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('arm' as const), delayMs: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(30) }) },
  );

  it('returns timers like a sorted list', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => agreesWithModel(steps)));
  });

  it('stays correct after many timers are cancelled', LONG, () => {
    const many = Array.from({ length: 3_000 }, (_, i): Step => ({ kind: 'arm', delayMs: (i * 7) % 50 }));
    const cancels = Array.from({ length: 2_500 }, (_, i): Step => ({ kind: 'cancel', pick: i * 13 }));
    agreesWithModel([...many, ...cancels, { kind: 'pass', ms: 20 }, ...many.slice(0, 10), { kind: 'pass', ms: 100 }]);
  });

  function agreesWithModel(steps: readonly Step[]): void {
    const queue = new TimerQueue();
    let model: Timer[] = [];
    let nowMs = 0;
    let number = 1;
    for (const next of steps) {
      if (next.kind === 'arm') {
        const timer = timerAt(number++, nowMs + next.delayMs);
        queue.push(timer);
        model.push(timer);
      } else if (next.kind === 'cancel') {
        const timer = model[next.pick % (model.length || 1)];
        if (timer !== undefined) {
          queue.remove(timer);
          model = model.filter((other) => other !== timer);
        }
      } else {
        nowMs += next.ms;
        const due = model
          .filter(({ deadlineMs }) => deadlineMs <= nowMs)
          .sort((a, b) => a.deadlineMs - b.deadlineMs || a.number - b.number);
        for (const expected of due) expect(queue.popDue(nowMs)).toBe(expected);
        expect(queue.popDue(nowMs)).toBeUndefined();
        model = model.filter((timer) => !due.includes(timer));
      }
      expect(queue.size).toBe(model.length);
      expect(queue.nextDeadlineMs()).toBe(
        model.length === 0 ? undefined : Math.min(...model.map(({ deadlineMs }) => deadlineMs)),
      );
    }
  }

  function timerAt(number: number, deadlineMs: number): Timer {
    return newTimer({ number, owner: 1, id: String(number), deadlineMs, to: 1, event: { type: 'E' }, delayMs: 0 });
  }
});
