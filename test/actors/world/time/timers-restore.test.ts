/** P4: restore policies: what a start does to the timers of the run before, by the name of their delay. */
import fc from 'fast-check';
import { assign, cancel, enqueueActions, raise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, type EventSchemas } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { restoredDeadline, type RestorePolicy, timerFromRow, timerRow } from '../../../../src/actors/model/timers.ts';
import { HEARTBEAT_MS } from '../../../../src/limits.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { SECOND } from '../../../support/actors/declared.ts';
import { prefixesOf } from '../../../support/actors/prefixes.ts';
import { asking, promised, settle } from '../../../support/actors/promised.ts';
import { agentOf } from '../../../support/actors/subject.ts';

const POLICIES: readonly RestorePolicy[] = ['deadline', 'remaining', 'restart', 'skip'];

/** The events fired so far, with this one. */
function noted({ context, event }: { context: { fired: string[] }; event: { type: string; name?: string } }): string[] {
  return [...context.fired, event.name ?? event.type];
}

const note = setup({
  types: {} as { context: { fired: string[] }; events: { type: 'NOTE'; name: string } },
}).createMachine({
  context: { fired: [] },
  on: { NOTE: { actions: assign({ fired: noted }) } },
});

/** Every way of naming a delay, and two delays without a name, each of 1,000 ms. */
const machine = setup({
  types: {} as { context: { fired: string[]; ms: number }; events: { type: 'AGAIN' } | { type: 'NOTE'; name: string } },
  actors: { note },
  delays: { number: 1_000, computed: ({ context }) => context.ms, raised: 1_000, sent: 1_000, other: 1_000 },
}).createMachine({
  id: 'm',
  type: 'parallel',
  context: { fired: [], ms: 1_000 },
  invoke: { src: 'note', id: 'note' },
  entry: [
    raise({ type: 'NOTE', name: 'raised' }, { delay: 'raised' }),
    raise({ type: 'NOTE', name: 'unnamed' }, { delay: 1_000 }),
    sendTo('note', { type: 'NOTE', name: 'sent' }, { delay: 'sent' }),
    enqueueActions(({ enqueue }) => enqueue.raise({ type: 'NOTE', name: 'enqueued' }, { delay: 'other' })),
  ],
  states: {
    a: {
      initial: 'x',
      states: {
        x: {
          after: { number: { target: 'y', actions: assign({ fired: ({ context }) => [...context.fired, 'number'] }) } },
        },
        y: {},
      },
    },
    b: {
      initial: 'x',
      states: {
        x: {
          after: {
            computed: { target: 'y', actions: assign({ fired: ({ context }) => [...context.fired, 'computed'] }) },
          },
        },
        y: {},
      },
    },
    c: {
      initial: 'x',
      states: {
        x: {
          after: { 1_000: { target: 'y', actions: assign({ fired: ({ context }) => [...context.fired, 'literal'] }) } },
        },
        y: {},
      },
    },
  },
  on: { NOTE: { actions: assign({ fired: noted }) } },
});

const NAMED = ['number', 'computed', 'raised', 'sent', 'enqueued'];
const UNNAMED = ['unnamed', 'literal'];

type Timers = NonNullable<AgentOptions<typeof machine, EventSchemas>['timers']>;

function agentWith(timers: Timers) {
  return defineAgent({ name: 'subject', machine, events: { NOTE: z.object({ name: z.string() }) }, timers });
}

function allNamed(policy: RestorePolicy): Timers {
  return { restore: { number: policy, computed: policy, raised: policy, sent: policy, other: policy } };
}

const TREE = { children: [{ id: 'subject', agent: 'subject' }] };

async function startWith(timers: Timers): Promise<TestSystem> {
  return startTestSystem({ agents: [agentWith(timers)], tree: TREE });
}

function fired(test: TestSystem): string[] {
  return ['subject', 'subject/note']
    .flatMap((address) => (test.shard.snapshot(address)?.context as { fired: string[] }).fired)
    .sort();
}

/** Lets time pass while no system runs. */
async function down(test: TestSystem, ms: number): Promise<void> {
  await test.clock.advance(ms, async () => {});
}

/**
 * Times after the start at which named timers come up, by policy, in ms: they had run 400 of 1,000 ms when the system
 * went down for 250 ms. Null: never.
 */
const AFTER_MS = { deadline: 350, remaining: 600, restart: 1_000, skip: null } as const;

describe('a timer of a named delay', () => {
  it.each(POLICIES)(
    'a timer of a named delay under "%s" fires as the policy says after a clean stop',
    async (policy) => {
      const test = await startWith(allNamed(policy));
      await test.advance(400);
      await test.shard.stop();
      await down(test, 250);
      await test.restart();
      const afterMs = AFTER_MS[policy];
      await test.advance((afterMs ?? 5_000) - 1);
      expect(fired(test).filter((name) => NAMED.includes(name))).toEqual([]);
      await test.advance(1);
      expect(fired(test).filter((name) => NAMED.includes(name))).toEqual(afterMs === null ? [] : [...NAMED].sort());
      await test.advance(5_000);
      expect(fired(test)).toEqual([...(afterMs === null ? [] : NAMED), ...UNNAMED].sort());
      await test.shard.stop();
    },
  );

  it.each(POLICIES)(
    'a timer of a named delay under "%s" fires as the policy says after a crash behind any epoch',
    async (policy) => {
      const first = await startWith(allNamed(policy));
      const begun = first.store.writes;
      await first.advance(400);
      await first.shard.stop();
      await down(first, 250);
      await first.restart();
      await first.advance(700);
      await first.shard.stop();
      const stores = await prefixesOf(first.store, begun);
      expect(stores.length).toBeGreaterThan(2);
      for (const store of stores) {
        const test = await startTestSystem({ agents: [agentWith(allNamed(policy))], tree: TREE, store });
        await test.advance(10_000);
        expect(fired(test)).toEqual([...(policy === 'skip' ? [] : NAMED), ...UNNAMED].sort());
        await test.shard.stop();
      }
    },
  );

  it('a timer of a named delay that came due before the last epoch has its turn under every policy', async () => {
    for (const policy of POLICIES) {
      const slow = setup({ types: {} as { context: { fired: string[] } }, delays: { soon: 10 } }).createMachine({
        context: { fired: [] },
        entry: raise({ type: 'DUE' }, { delay: 'soon' }),
        on: {
          DUE: { actions: assign({ fired: noted }) },
          FAIL: {
            actions: () => {
              throw new Error('failed');
            },
          },
        },
      });
      const agent = defineAgent({
        name: 'subject',
        machine: slow,
        events: { FAIL: z.object({}) },
        timers: { restore: { soon: policy } },
      });
      const child = { id: 'subject', agent: 'subject', backoff: { minMs: 1_000, maxMs: 1_000, factor: 1, jitter: 0 } };
      const test = await startTestSystem({
        agents: [agent, agentOf('other', note, ['NOTE'])],
        tree: { intensity: 9, children: [child, { id: 'other', agent: 'other' }] },
      });
      // The subject is in backoff while its timer comes up; the epoch of another actor's turn writes that time.
      await test.shard.send('subject', { type: 'FAIL' });
      await test.advance(20);
      expect(test.shard.snapshot('subject')?.status).toBe('error');
      await test.shard.send('other', { type: 'NOTE', name: 'x' });
      await test.settle();
      await test.crash();
      await test.restart();
      await test.advance(5_000);
      expect([policy, (test.shard.snapshot('subject')?.context as { fired: string[] }).fired]).toEqual([
        policy,
        ['DUE'],
      ]);
      await test.shard.stop();
    }
  });

  it('a delay that is not listed, or has no name, follows the default policy of the agent', async () => {
    const test = await startWith({ restore: { number: 'skip' }, restoreDefault: 'restart' });
    await test.advance(400);
    await test.shard.stop();
    await test.restart();
    await test.advance(999);
    expect(fired(test)).toEqual([]);
    await test.advance(1);
    expect(fired(test)).toEqual(['computed', 'enqueued', 'literal', 'raised', 'sent', 'unnamed']);
    await test.shard.stop();
  });

  it('keeps its remaining time over each of several starts under "remaining"', async () => {
    const test = await startWith({ restoreDefault: 'remaining' });
    for (let start = 0; start < 9; start++) {
      await test.advance(100);
      await test.shard.stop();
      await down(test, 10_000);
      await test.restart();
    }
    await test.advance(99);
    expect(fired(test)).toEqual([]);
    await test.advance(1);
    expect(fired(test)).toEqual([...NAMED, ...UNNAMED].sort());
    await test.shard.stop();
  });

  it('follows the policy in the code at the start, not the policy at the time it was armed', async () => {
    const test = await startWith(allNamed('deadline'));
    await test.shard.stop();
    await test.restart({ agents: [agentWith(allNamed('skip'))] });
    await test.advance(5_000);
    expect(fired(test)).toEqual([...UNNAMED].sort());
    await test.shard.stop();
  });

  it('ignores its restore policy when its Boss restarts the actor while the host goes on', async () => {
    const broken = setup({ delays: { soon: 1_000 } }).createMachine({
      initial: 'waiting',
      states: { waiting: { after: { soon: 'over' } }, over: {} },
      on: {
        BREAK: {
          actions: assign(() => {
            throw new Error('broken');
          }),
        },
      },
    });
    const agent = defineAgent({
      name: 'subject',
      machine: broken,
      events: { BREAK: z.object({}) },
      timers: { restore: { soon: 'skip' } },
    });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    await test.shard.send('subject', { type: 'BREAK' });
    await test.advance(1_000);
    expect(test.shard.snapshot('subject')?.value).toBe('over');
    await test.shard.stop();
  });
});

describe('the remaining time of a timer', () => {
  it(`is known to within ${HEARTBEAT_MS} ms after a crash: the timer fires that late at most, not early`, async () => {
    const patient = setup({ delays: { long: 60 * 60_000 } }).createMachine({
      initial: 'waiting',
      states: { waiting: { after: { long: 'over' } }, over: {} },
    });
    const agent = defineAgent({
      name: 'subject',
      machine: patient,
      events: {},
      timers: { restore: { long: 'remaining' } },
    });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    const ranMs = 30 * 60_000 + 59_999;
    await test.advance(ranMs);
    await test.crash();
    await down(test, 100 * 60_000);
    await test.restart();
    await test.advance(60 * 60_000 - ranMs - 1);
    expect(test.shard.snapshot('subject')?.value).toBe('waiting');
    await test.advance(HEARTBEAT_MS);
    expect(test.shard.snapshot('subject')?.value).toBe('over');
    await test.shard.stop();
  });

  it('is not spent during a start on hold', async () => {
    const test = await startWith({ restoreDefault: 'remaining' });
    await test.advance(400);
    await test.shard.stop();
    await down(test, 10_000);
    await test.restart({ hold: true });
    await test.shard.send('subject', { type: 'NOTE', name: 'held' });
    await test.shard.stop();
    await down(test, 10_000);
    await test.restart();
    await test.advance(599);
    expect(fired(test)).toEqual(['held']);
    await test.advance(1);
    expect(fired(test)).toEqual(['held', ...NAMED, ...UNNAMED].sort());
    await test.shard.stop();
  });

  it('costs no epochs once its timer has fired or was cancelled, over a restart too', async () => {
    const once = setup({ delays: { soon: 100, later: 100 } }).createMachine({
      entry: [raise({ type: 'A' }, { delay: 'soon' }), raise({ type: 'B' }, { delay: 'later', id: 'b' })],
      on: { A: { actions: cancel('b') } },
    });
    const agent = defineAgent({ name: 'subject', machine: once, events: {}, timers: { restoreDefault: 'remaining' } });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    for (const isRestarted of [true, false]) {
      if (isRestarted) {
        await test.shard.stop();
        await test.restart();
      }
      await test.advance(100);
      const before = test.shard.epoch;
      await test.advance(10 * HEARTBEAT_MS);
      expect(test.shard.epoch).toBe(before);
    }
    await test.shard.stop();
  });

  it('costs no epochs if no timer has the policy "remaining"', async () => {
    const test = await startWith({});
    const before = test.shard.epoch;
    await test.advance(900);
    expect(test.shard.epoch).toBe(before);
    await test.advance(10_000);
    const after = test.shard.epoch;
    await test.advance(60 * HEARTBEAT_MS);
    expect(test.shard.epoch).toBe(after);
    await test.shard.stop();
  });

  it('is written as soon as the store can be written again after an outage', async () => {
    const unhurried = setup({ delays: { day: 86_400_000 } }).createMachine({
      initial: 'on',
      states: { on: { after: { day: 'off' } }, off: {} },
    });
    const agent = defineAgent({
      name: 'subject',
      machine: unhurried,
      events: {},
      timers: { restoreDefault: 'remaining' },
    });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    test.store.failWrites(Infinity);
    await test.advance(10 * HEARTBEAT_MS);
    expect(test.shard.outage).toMatchObject({ code: 'BOSUN_STORE_UNAVAILABLE' });
    test.store.failWrites(0);
    await test.advance(5_000);
    expect(test.shard.outage).toBeUndefined();
    await test.crash();
    await down(test, 3_600_000);
    await test.restart();
    // Ten minutes and five seconds of the day are over, of which a few seconds may not have been written down.
    await test.advance(86_400_000 - 10 * HEARTBEAT_MS - 5_000 - 1);
    expect(test.shard.snapshot('subject')?.value).toBe('on');
    await test.advance(5_000 + 1);
    expect(test.shard.snapshot('subject')?.value).toBe('off');
    await test.shard.stop();
  });
});

describe('a restore policy', () => {
  it('does not apply to the backoff of an effect, which keeps its deadline', async () => {
    const { starts, logic } = promised();
    const options = {
      effects: { logic: { retry: { attempts: 2, backoff: SECOND } } },
      timers: { restoreDefault: 'skip' as const },
    };
    const test = await startTestSystem({
      agents: [defineAgent({ name: 'subject', machine: asking(logic), events: {}, ...options })],
      tree: TREE,
    });
    await settle(test, () => starts[0]!.reject(new Error('no')));
    await test.shard.stop();
    await test.restart();
    await test.advance(999);
    expect(starts).toHaveLength(1);
    await test.advance(1);
    expect(starts).toHaveLength(2);
    await test.shard.stop();
  });

  it('never makes a timer fire earlier than it promises, nor a due timer wait', () => {
    const times = fc.record({
      lastMs: fc.nat(10_000),
      ranMs: fc.nat(10_000),
      downMs: fc.nat(10_000),
      delayMs: fc.nat(10_000),
      policy: fc.constantFrom(...POLICIES),
    });
    fc.assert(
      fc.property(times, ({ lastMs, ranMs, downMs, delayMs, policy }) => {
        const armedMs = Math.max(0, lastMs - ranMs);
        const deadlineMs = armedMs + delayMs;
        const nowMs = lastMs + downMs;
        const after = restoredDeadline({ deadlineMs, delayMs }, policy, { lastMs, nowMs, setBackMs: 0 });
        if (deadlineMs <= lastMs) expect(after).toBe(deadlineMs);
        else
          expect(after).toBe(
            { deadline: deadlineMs, remaining: deadlineMs + downMs, restart: nowMs + delayMs, skip: null }[policy],
          );
      }),
    );
  });

  it('applies to child machines as well if it is the default', async () => {
    const parent = setup({
      actors: {
        below: setup({ delays: { soon: 1_000 } }).createMachine({
          initial: 'waiting',
          states: { waiting: { after: { soon: 'over' } }, over: {} },
        }),
      },
    });
    const agent = defineAgent({
      name: 'subject',
      machine: parent.createMachine({ invoke: { src: 'below', id: 'below' } }),
      events: {},
      timers: { restoreDefault: 'remaining' },
    });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    await test.advance(400);
    await test.shard.stop();
    await down(test, 5_000);
    await test.restart();
    await test.advance(599);
    expect(test.shard.snapshot('subject/below')?.value).toBe('waiting');
    await test.advance(1);
    expect(test.shard.snapshot('subject/below')?.value).toBe('over');
    await test.shard.stop();
  });

  it('a row of a timer reads back as it was written, with and without a delay name', () => {
    const timer = timerFromRow(7, [1, 'x', 500, 1, { type: 'E' }, 2, 30]);
    expect(timer).toMatchObject({ number: 7, deadlineMs: 500, deliveries: 2, delay: null, delayMs: 30, stored: true });
    for (const delay of [null, 'soon']) {
      const named = { ...timer, delay };
      expect(timerFromRow(7, timerRow(named))).toEqual(named);
    }
  });

  it('is refused for a delay that the machine lacks, and under an unknown name', () => {
    const define = (timers: object) => () =>
      defineAgent({ name: 'subject', machine, events: {}, timers: timers as Timers });
    expect(define({ restore: { numbr: 'skip' } })).toThrow('a delay "numbr", which the machine lacks');
    expect(define({ restore: { number: 'never' } })).toThrow('one of deadline, remaining, restart, skip');
    expect(define({ restoreDefault: 'never' })).toThrow('one of deadline, remaining, restart, skip');
  });

  it('is checked by the compiler against the delays of the machine', () => {
    // @ts-expect-error A delay that the machine lacks.
    const wrong: Timers = { restore: { numbr: 'skip' } };
    expect(wrong).toBeDefined();
  });
});
