/** Cron schedules: durable timers of an actor, once per planned time wherever the power is cut. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { assign, cancel, raise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { Calendar } from '../../../../src/actors/model/calendar.ts';
import { type ScheduledFacts, type ScheduleOptions } from '../../../../src/actors/model/schedules.ts';
import { SCHEDULE_CATCH_UP_MAX, SCHEDULE_MISSED_MAX, SCHEDULES_PER_AGENT_MAX } from '../../../../src/limits.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { type FaultyStore } from '../../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { prefixesOf } from '../../../support/actors/prefixes.ts';
import { byEffort, LONG } from '../../../support/effort.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** The origin of virtual time. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);

type Ran = readonly [type: string, hours: number, missed: number];

/** Notes every run: its hours since the origin, and the count of missed times. */
const machine = setup({
  types: {} as {
    context: { ran: Ran[] };
    events: ({ type: 'run' | 'other'; kind?: string } & ScheduledFacts) | { type: 'BREAK' | 'FAIL' | 'LOCK' | 'FORGE' };
  },
}).createMachine({
  context: { ran: [] },
  on: {
    '*': {
      actions: assign({
        ran: ({ context, event }) => {
          const { type, scheduledForMs, missed } = event as { type: string } & ScheduledFacts;
          return [...context.ran, [type, (scheduledForMs - ORIGIN_MS) / HOUR_MS, missed] as const];
        },
      }),
    },
    BREAK: {
      actions: assign(() => {
        throw new Error('broken');
      }),
    },
    FAIL: {
      actions: () => {
        throw new Error('failed');
      },
    },
    LOCK: { actions: cancel('bosun.schedule.nightly') },
    FORGE: { actions: raise({ type: 'BREAK' }, { delay: 1, id: 'bosun.schedule.nightly' }) },
  },
});

const EVENTS = { BREAK: z.object({}), FAIL: z.object({}), LOCK: z.object({}), FORGE: z.object({}) };

const nightly = (more: Partial<ScheduleOptions> = {}): Record<string, ScheduleOptions> => ({
  nightly: { cron: '0 3 * * *', event: { type: 'run' }, ...more },
});

function agentWith(schedules: Record<string, ScheduleOptions>): AnyAgent {
  return defineAgent({ name: 'subject', machine, events: EVENTS, schedules });
}

const TREE = { intensity: 100, children: [{ id: 'subject', agent: 'subject' }] };

function startWith(
  schedules: Record<string, ScheduleOptions>,
  more: { store?: FaultyStore; clock?: VirtualClock } = {},
): Promise<TestSystem> {
  return startTestSystem({ agents: [agentWith(schedules)], tree: TREE, ...more });
}

function ran(test: TestSystem): readonly Ran[] {
  return (test.shard.snapshot('subject')?.context as { ran: Ran[] }).ran;
}

/** Timers on disk. */
async function storedTimers(store: FaultyStore): Promise<number> {
  const journal = createJournal(store);
  const { rows } = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: (fields) => fields,
  });
  await journal.close();
  return rows.get(KEYSPACE.timers)!.size;
}

async function down(test: TestSystem, ms: number): Promise<void> {
  await test.clock.advance(ms, async () => {});
}

describe('a schedule', () => {
  it('runs at its planned times, not early, with scheduledForMs and missed in its event', async () => {
    const test = await startWith(nightly({ event: { type: 'run', kind: 'full' } }));
    await test.advance(3 * HOUR_MS - 1);
    expect(ran(test)).toEqual([]);
    await test.advance(1);
    expect(ran(test)).toEqual([['run', 3, 0]]);
    await test.advance(2 * DAY_MS);
    expect(ran(test)).toEqual([
      ['run', 3, 0],
      ['run', 27, 0],
      ['run', 51, 0],
    ]);
    await test.shard.stop();
  });

  it('runs exactly once per planned time after a crash behind any epoch', async () => {
    const schedules = {
      ...nightly({ catchUp: 'each' }),
      hourly: { cron: '30 */6 * * *', event: { type: 'other' }, catchUp: 'each' } as const,
    };
    const first = await startWith(schedules);
    const begun = first.store.writes;
    await first.advance(2 * DAY_MS);
    await first.shard.stop();
    const expected = [...ran(first)].sort((a, b) => a[1] - b[1]);
    expect(expected).toHaveLength(2 + 8);
    for (const store of await prefixesOf(first.store, begun)) {
      const test = await startWith(schedules, { store, clock: new VirtualClock(ORIGIN_MS + 2 * DAY_MS) });
      await test.settle();
      expect([...ran(test)].sort((a, b) => a[1] - b[1])).toEqual(expected);
      await test.shard.stop();
    }
  });

  it('is planned in the epoch of the first turn of its actor', async () => {
    const test = await startWith(nightly());
    for (const store of await prefixesOf(test.store, 0)) {
      const again = await startWith(nightly(), { store });
      await again.advance(DAY_MS);
      expect(ran(again)).toEqual([['run', 3, 0]]);
      await again.shard.stop();
    }
    await test.shard.stop();
  });

  it('a schedule whose turn throws is delivered again, then quarantined, and runs at its next time', async () => {
    let throws = 0;
    const failing = setup({ types: {} as { context: { ok: number } } }).createMachine({
      context: { ok: 0 },
      on: {
        run: {
          actions: assign({
            ok: ({ context, event }) => {
              if ((event as unknown as ScheduledFacts).scheduledForMs === ORIGIN_MS + 3 * HOUR_MS) {
                throws += 1;
                throw new Error('broken');
              }
              return context.ok + 1;
            },
          }),
        },
      },
    });
    const agent = defineAgent({ name: 'subject', machine: failing, events: {}, schedules: nightly() });
    const test = await startTestSystem({ agents: [agent], tree: TREE });
    await test.advance(3 * HOUR_MS);
    await test.crash();
    await test.restart();
    await test.advance(DAY_MS);
    expect([
      throws,
      test.shard.deadLetters.list({ reason: 'quarantined' }).length,
      test.shard.snapshot('subject')?.context,
    ]).toEqual([3, 1, { ok: 1 }]);
    await test.shard.stop();
  });

  it('survives a restart of its actor, both from the last state and from the initial one', async () => {
    for (const resume of ['committed', 'initial'] as const) {
      const test = await startTestSystem({
        agents: [agentWith(nightly())],
        tree: { intensity: 9, children: [{ id: 'subject', agent: 'subject', resume }] },
      });
      await test.shard.send('subject', { type: 'BREAK' });
      await test.advance(2 * DAY_MS);
      expect(ran(test)).toEqual([
        ['run', 3, 0],
        ['run', 27, 0],
      ]);
      await test.shard.stop();
    }
  });

  it('is not lost if it comes due while its actor is in restart backoff', async () => {
    const backoff = { minMs: 12 * HOUR_MS, maxMs: 12 * HOUR_MS, factor: 1, jitter: 0 };
    const test = await startTestSystem({
      agents: [agentWith(nightly())],
      tree: { intensity: 9, children: [{ id: 'subject', agent: 'subject', resume: 'initial', backoff }] },
    });
    await test.shard.send('subject', { type: 'FAIL' });
    await test.advance(13 * HOUR_MS);
    expect(ran(test)).toEqual([['run', 3, 0]]);
    await test.shard.stop();
  });

  it('waits at most once in the mailbox of an actor that cannot run, and counts the missed times', async () => {
    const backoff = { minMs: 12 * HOUR_MS, maxMs: 12 * HOUR_MS, factor: 1, jitter: 0 };
    const hourly = { hourly: { cron: '0 * * * *', event: { type: 'run' } } };
    const test = await startTestSystem({
      agents: [agentWith(hourly)],
      tree: { intensity: 9, children: [{ id: 'subject', agent: 'subject', backoff }] },
    });
    await test.shard.send('subject', { type: 'FAIL' });
    await test.advance(11.5 * HOUR_MS);
    expect([test.shard.tree('subject').status, test.shard.tree('subject').mailbox, ran(test)]).toEqual([
      'error',
      1,
      [],
    ]);
    await test.advance(HOUR_MS);
    // The first event was made after one hour; the hours since then are overdue when its turn ends.
    expect(ran(test)).toEqual([
      ['run', 1, 0],
      ['run', 12, 10],
    ]);
    await test.advance(HOUR_MS);
    expect(ran(test).at(-1)).toEqual(['run', 13, 0]);
    await test.shard.stop();
  });

  it('ends with its actor', async () => {
    const test = await startWith(nightly());
    await test.shard.stop();
    expect(await storedTimers(test.store)).toBe(1);
    await test.restart({ tree: { children: [] } });
    await test.shard.stop();
    expect(await storedTimers(test.store)).toBe(0);
  });

  it('cannot be cancelled or forged by its machine: the names of its timers are reserved', async () => {
    const test = await startWith(nightly());
    await test.shard.send('subject', { type: 'LOCK' });
    await test.shard.send('subject', { type: 'FORGE' });
    await test.settle();
    // Two messages quarantined in a row have suspended it.
    await test.shard.resume('subject');
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual([['run', 3, 0]]);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_VALUE_REFUSED' } },
      { error: { code: 'BOSUN_VALUE_REFUSED' } },
    ]);
    await test.shard.stop();
  });
});

describe('times that passed while the system was down', () => {
  const cases: [ScheduleOptions['catchUp'], readonly Ran[]][] = [
    [
      'once',
      [
        ['run', 75, 3],
        ['run', 99, 0],
      ],
    ],
    [
      'each',
      [
        ['run', 3, 0],
        ['run', 27, 0],
        ['run', 51, 0],
        ['run', 75, 0],
        ['run', 99, 0],
      ],
    ],
    ['skip', [['run', 99, 4]]],
  ];
  it.each(cases)('are caught up by the policy "%s"', async (catchUp, expected) => {
    const test = await startWith(nightly({ ...(catchUp && { catchUp }) }));
    await test.crash();
    await down(test, 4 * DAY_MS);
    await test.restart();
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual(expected);
    await test.shard.stop();
  });

  it('stay skipped if a later start has a policy that catches up', async () => {
    const test = await startWith(nightly({ catchUp: 'skip' }));
    await test.shard.stop();
    await down(test, DAY_MS);
    await test.restart();
    await test.shard.stop();
    await test.restart({ agents: [agentWith(nightly({ catchUp: 'once' }))] });
    expect(ran(test)).toEqual([]);
    await test.advance(3 * HOUR_MS);
    expect(ran(test)).toEqual([['run', 27, 1]]);
    await test.shard.stop();
  });

  it('are counted over several starts without a run between them', async () => {
    const test = await startWith(nightly({ catchUp: 'skip' }));
    for (let n = 0; n < 3; n++) {
      await test.crash();
      await down(test, DAY_MS);
      await test.restart();
    }
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual([['run', 75, 3]]);
    await test.shard.stop();
  });

  it('get an event each up to the bound: the latest, oldest first, the first with the count of the rest', async () => {
    const test = await startWith(nightly({ catchUp: 'each', max: 2 }));
    await test.crash();
    await down(test, 4 * DAY_MS);
    await test.restart();
    expect(ran(test)).toEqual([
      ['run', 51, 2],
      ['run', 75, 0],
    ]);
    await test.shard.stop();
  });

  it(`are counted up to ${SCHEDULE_MISSED_MAX}, and the latest is found beyond that count`, LONG, async () => {
    const everySecond = (more: Partial<ScheduleOptions>) => ({
      often: { cron: '* * * * * *', event: { type: 'run' }, ...more },
    });
    const run = async (more: Partial<ScheduleOptions>, downMs: number) => {
      const test = await startWith(everySecond(more));
      await test.crash();
      await down(test, downMs);
      await test.restart();
      const seen = ran(test).map(([, hours, missed]) => [Math.round(hours * 3_600), missed]);
      await test.shard.stop();
      return seen;
    };
    const edge = SCHEDULE_MISSED_MAX + 1;
    expect(await run({}, edge * 1_000)).toEqual([[edge, SCHEDULE_MISSED_MAX]]);
    expect(await run({}, 100 * DAY_MS)).toEqual([[100 * 86_400, SCHEDULE_MISSED_MAX]]);
    const all = await run({ catchUp: 'each', max: SCHEDULE_CATCH_UP_MAX }, SCHEDULE_CATCH_UP_MAX * 1_000);
    expect([all.length, all[0], all.at(-1)]).toEqual([SCHEDULE_CATCH_UP_MAX, [1, 0], [SCHEDULE_CATCH_UP_MAX, 0]]);
    expect(await run({ catchUp: 'each', max: 3 }, 100 * DAY_MS)).toEqual([
      [8_639_998, 998],
      [8_639_999, 0],
      [8_640_000, 0],
    ]);
  });
});

describe('schedules under random conditions', () => {
  const what = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const), hours: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), hours: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), hours: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep' as const), hours: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), hours: fc.nat(3) }) },
  );
  const story = fc.record({
    steps: fc.array(what, { maxLength: 12 }),
    catchUp: fc.constantFrom('once' as const, 'each' as const, 'skip' as const),
  });

  it('each planned time gets an event or is counted, once and in order, and none comes early', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ steps, catchUp }) => {
        const test = await startWith({
          often: { cron: '0 */5 * * *', timezone: 'Europe/Berlin', event: { type: 'run' }, catchUp, max: 1_000 },
        });
        for (const { kind, hours } of steps) {
          if (kind === 'fail') await test.shard.send('subject', { type: 'FAIL' });
          if (kind === 'run' || kind === 'fail') await test.advance(hours * HOUR_MS);
          else if (kind === 'sleep') {
            test.clock.suspend(hours * HOUR_MS);
            await test.advance(0);
          } else {
            await (kind === 'crash' ? test.crash() : test.shard.stop());
            await down(test, hours * HOUR_MS);
            await test.restart();
          }
        }
        await test.advance(DAY_MS);
        const nowHours = test.clock.monotonicMs() / HOUR_MS;
        const calendar = new Calendar('0 */5 * * *', 'Europe/Berlin');
        const planned: number[] = [];
        for (let ms = calendar.after(ORIGIN_MS); ms <= ORIGIN_MS + nowHours * HOUR_MS; ms = calendar.after(ms))
          planned.push((ms - ORIGIN_MS) / HOUR_MS);
        let covered = 0;
        for (const [, hours, missed] of ran(test)) {
          covered += missed + 1;
          if (catchUp !== 'skip') expect(hours).toBe(planned[covered - 1]);
          if (catchUp === 'each') expect(missed).toBe(0);
        }
        expect(covered).toBe(planned.length);
        expect(ran(test).at(-1)![1]).toBe(planned.at(-1));
        await test.shard.stop();
      }),
      { numRuns: byEffort({ quick: 2, ci: 25 }) },
    );
  });
});

describe('schedules on LevelDB', () => {
  it('schedules, and a timer with the policy "remaining", go on over starts', LONG, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bosun-schedules-'));
    const clock = new VirtualClock();
    const both = setup({ types: {} as { context: { ran: Ran[] } }, delays: { long: 10 * HOUR_MS } }).createMachine({
      context: { ran: [] },
      initial: 'waiting',
      states: { waiting: { after: { long: 'over' } }, over: {} },
      on: {
        run: {
          actions: assign({
            ran: ({ context, event }) => [
              ...context.ran,
              [
                'run',
                (event as unknown as ScheduledFacts).scheduledForMs,
                (event as unknown as ScheduledFacts).missed,
              ] as const,
            ],
          }),
        },
      },
    });
    const agent = defineAgent({
      name: 'subject',
      machine: both,
      events: {},
      schedules: nightly(),
      timers: { restore: { long: 'remaining' } },
    });
    const seen: unknown[] = [];
    for (let start = 0; start < 3; start++) {
      const system = await new Shard({
        agents: [agent],
        tree: TREE,
        store: levelStore(directory),
        clock,
        log: () => {},
      }).start();
      const settle = async () => {
        await new Promise<void>((resolve) => setImmediate(resolve));
        await system.idle();
      };
      await settle();
      await clock.advance(4 * HOUR_MS, settle);
      const snapshot = system.snapshot('subject')!;
      seen.push([snapshot.value, (snapshot.context as { ran: Ran[] }).ran.length]);
      await system.stop();
      await clock.advance(DAY_MS, async () => {});
    }
    await rm(directory, { recursive: true });
    expect(seen).toEqual([
      ['waiting', 1],
      ['waiting', 2],
      ['over', 3],
    ]);
  });
});

describe('a schedule that is changed in the code', () => {
  it('is planned again at the next start if its expression or time zone changed, and only then', async () => {
    const test = await startWith(nightly());
    await test.shard.stop();
    await test.restart({ agents: [agentWith(nightly({ cron: '0 5 * * *', event: { type: 'other' } }))] });
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual([['other', 5, 0]]);
    await test.shard.stop();
    await test.restart({
      agents: [agentWith(nightly({ cron: '0 5 * * *', timezone: 'Europe/Berlin', event: { type: 'other' } }))],
    });
    await test.advance(DAY_MS);
    expect(ran(test).at(-1)).toEqual(['other', 28, 0]);
    await test.shard.stop();
    // The same expression with another event keeps its time, also the missed one.
    await down(test, DAY_MS);
    await test.restart({
      agents: [agentWith(nightly({ cron: '0 5 * * *', timezone: 'Europe/Berlin', event: { type: 'run' } }))],
    });
    expect(ran(test).at(-1)).toEqual(['run', 52, 0]);
    await test.shard.stop();
  });

  it('is cancelled when removed, and begins when added, also for existing actors', async () => {
    const test = await startWith(nightly());
    await test.shard.stop();
    await test.restart({ agents: [agentWith({})] });
    await test.advance(2 * DAY_MS);
    expect(ran(test)).toEqual([]);
    await test.shard.stop();
    await test.restart();
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual([['run', 51, 0]]);
    await test.shard.stop();
  });

  it('begins, when added, also for an actor that is in restart backoff at that start', async () => {
    const backoff = { minMs: 12 * HOUR_MS, maxMs: 12 * HOUR_MS, factor: 1, jitter: 0 };
    const test = await startTestSystem({
      agents: [agentWith({})],
      tree: { intensity: 9, children: [{ id: 'subject', agent: 'subject', backoff }] },
    });
    await test.shard.send('subject', { type: 'FAIL' });
    await test.settle();
    await test.shard.stop();
    await test.restart({ agents: [agentWith(nightly())] });
    await test.advance(DAY_MS);
    expect(ran(test)).toEqual([['run', 3, 0]]);
    await test.shard.stop();
  });
});

describe('a schedule at a switch of daylight saving time', () => {
  const times = (cron: string, timezone: string, from: string, count: number) => {
    const calendar = new Calendar(cron, timezone);
    const found: string[] = [];
    for (let ms = Date.parse(from); found.length < count; found.push(new Date(ms).toISOString().slice(5, 16)))
      ms = calendar.after(ms);
    return found;
  };

  it('moves a local time that does not exist forward by the skipped time', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3)).toEqual([
      '03-28T01:30',
      '03-29T01:30',
      '03-30T00:30',
    ]);
    expect(times('30 2 * * *', 'America/New_York', '2026-03-07T00:00Z', 3)).toEqual([
      '03-07T07:30',
      '03-08T07:30',
      '03-09T06:30',
    ]);
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15Z', 5)).toEqual([
      '03-29T00:30',
      '03-29T01:00',
      '03-29T01:30',
      '03-29T02:00',
      '03-29T02:30',
    ]);
  });

  it('takes a local time that occurs twice once, at the first occurrence', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual(['10-25T00:30', '10-26T01:30']);
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:15Z', 3)).toEqual([
      '10-25T00:30',
      '10-25T02:00',
      '10-25T02:30',
    ]);
  });

  it('takes a repeated local time at its second occurrence in a zone that shifts by half an hour', () => {
    expect(times('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', 2)).toEqual(['04-04T15:15', '04-05T15:15']);
  });

  it('finds the next time from within the second pass of a repeated hour', () => {
    expect(times('*/10 * * * * *', 'Europe/Berlin', '2026-10-25T01:10Z', 2)).toEqual(['10-25T02:00', '10-25T02:00']);
    expect(times('0 3 * * *', 'Europe/Berlin', '2026-10-25T01:59:59.999Z', 1)).toEqual(['10-25T02:00']);
    expect(times('15 2 * * *', 'Australia/Lord_Howe', '2026-04-04T15:16Z', 1)).toEqual(['04-04T15:45']);
  });

  it('always finds a later time, in every tested zone, from any time around the switch', LONG, () => {
    for (const timezone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
      const calendar = new Calendar('*/20 * * * *', timezone);
      for (const from of [Date.UTC(2026, 1, 14), Date.UTC(2026, 2, 28), Date.UTC(2026, 9, 24)]) {
        for (let ms = from; ms < from + 2 * DAY_MS; ms += 7 * 60_000 + 1)
          expect(calendar.after(ms)).toBeGreaterThan(ms);
      }
    }
  });

  it('runs its actor once at each switch', async () => {
    for (const [from, expected] of [
      ['2026-03-28T12:00Z', ['03-29T01:30', '03-30T00:30']],
      ['2026-10-24T12:00Z', ['10-25T00:30', '10-26T01:30']],
    ] as const) {
      const test = await startWith(nightly({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }), {
        clock: new VirtualClock(Date.parse(from)),
      });
      await test.advance(2 * DAY_MS);
      expect(ran(test).map(([, hours]) => new Date(ORIGIN_MS + hours * HOUR_MS).toISOString().slice(5, 16))).toEqual(
        expected,
      );
      await test.shard.stop();
    }
  });
});

describe('the definition of a schedule', () => {
  const define = (schedule: object) => () =>
    agentWith({ nightly: { cron: '0 3 * * *', event: { type: 'run' }, ...schedule } as ScheduleOptions });
  it.each([
    [{ cron: '61 * * * *' }, 'schedule "nightly": "61 * * * *" in UTC is not a schedule'],
    [{ cron: '' }, 'is not a schedule'],
    [{ cron: 5 }, 'cron and timezone must be strings'],
    [{ cron: '0 0 31 2 *' }, 'matches no time'],
    [{ cron: '2030-01-01T00:00:00' }, 'is not a cron expression'],
    [{ timezone: 'Mars/Olympus' }, 'in Mars/Olympus is not a schedule'],
    [{ event: { type: 'xstate.stop' } }, 'a reserved event type'],
    [{ event: { type: 'run*' } }, 'a pattern, not an event type'],
    [{ event: {} }, 'event has no type'],
    [{ event: { type: 'run', fn: () => 0 } }, 'schedule "nightly"'],
    [{ catchUp: 'all' }, 'catchUp must be one of once, each, skip'],
    [{ max: 0 }, `max must be a whole number from 1 to ${SCHEDULE_CATCH_UP_MAX}`],
    [{ max: SCHEDULE_CATCH_UP_MAX + 1 }, `max must be a whole number from 1 to ${SCHEDULE_CATCH_UP_MAX}`],
  ])('is refused with %j', (schedule, why) => {
    expect(define(schedule)).toThrow(
      expect.objectContaining({
        code: 'BOSUN_AGENT_INVALID',
        message: expect.stringContaining(why) as string,
      }) as Error,
    );
  });

  it('is refused with an event that no state handles', () => {
    const deaf = setup({}).createMachine({ on: { 'nightly.run': {} } });
    const wrong = () =>
      defineAgent({
        name: 'subject',
        machine: deaf,
        events: {},
        schedules: { n: { cron: '@daily', event: { type: 'nightlyRun' } } },
      });
    expect(wrong).toThrow('schedule "n": no state handles "nightlyRun"; did you mean "nightly.run"?');
  });

  it('may have an event whose name resembles one of the declared events', () => {
    const both = setup({}).createMachine({
      on: { 'report.run': {} },
      initial: 'a',
      states: { a: { on: { 'report.Run': {} } } },
    });
    const options = { name: 'subject', machine: both, events: { 'report.run': z.object({}) } };
    expect(() => defineAgent(options)).toThrow('did you mean "report.run"?');
    expect(() =>
      defineAgent({ ...options, schedules: { n: { cron: '@daily', event: { type: 'report.Run' } } } }),
    ).not.toThrow();
  });

  it(`is one of at most ${SCHEDULES_PER_AGENT_MAX} of its agent`, () => {
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`n${n}`, { cron: '@daily', event: { type: 'run' } }]),
      );
    expect(() => agentWith(many(SCHEDULES_PER_AGENT_MAX))).not.toThrow();
    expect(() => agentWith(many(SCHEDULES_PER_AGENT_MAX + 1))).toThrow(
      `more than ${SCHEDULES_PER_AGENT_MAX} schedules`,
    );
  });
});
