/**
 * The PauseManager at work under the Lead Coordinator: its states, its days, its orders, its memory. On virtual time,
 * across power cuts.
 */
import { resultsOf } from '../../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type OrderReply, TAKEN } from '../../../../src/machines/rules/turn.ts';
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { type MemoryInput, type PauseState } from '../../../../src/machines/coordination/pauses/pause-messages.ts';
import { pauseManagerAgent } from '../../../../src/machines/coordination/pauses/pause-manager.ts';
import { FAILED_PLANS_MAX, PAUSE_FAILURES_MAX } from '../../../../src/machines/limits.ts';
import {
  noticeOfDay,
  extended,
  newRecord,
  withFailedPlan,
  withFurther,
} from '../../../../src/machines/coordination/pauses/pause-record.ts';
import { pauseCalls } from '../../../../src/machines/coordination/messages/wire-names.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';
import {
  type Crew,
  type CrewOptions,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  startCrew,
  stated,
} from '../../../support/machines/crew-subject.ts';

const plan = planOf({
  stages: { draft: { agent: 'writer' }, print: { agent: 'printer', after: ['draft'] } },
  items: ['A', 'B'],
});

/** A crew in which B is paused because its draft fails, until `mend` is called. */
async function pausedCrew(options: CrewOptions = {}): Promise<{ crew: Crew; mend(): void }> {
  let broken = true;
  const crew = await startCrew(plan, {
    desks: ['alerts', 'batches', 'correlator'],
    ...options,
    work: ({ task }) => {
      if (broken && task.id === 'B/draft') throw stated('no ink', { errorType: 'dependency_failure' });
      return 'done';
    },
  });
  return { crew, mend: () => (broken = false) };
}

/**
 * Lets time pass in two halves with a power cut between them, so that every timer in between is armed before it and
 * fires after it.
 */
async function passOverCrash(crew: Crew, ms: number): Promise<void> {
  const first = Math.floor(ms / 2);
  await crew.test.advance(first);
  await crew.crashAndRestart();
  await crew.test.advance(ms - first);
}

describe('the states of a pause', () => {
  it('CA-016, CN-007: go from RUNNING through PAUSING, PAUSED and RESUMING back to RUNNING', async () => {
    const ends = new Map<string, () => void>();
    const crew = await startCrew(plan, {
      work: ({ task }) => new Promise((resolve) => ends.set(task.id, () => resolve('text'))),
    });
    await crew.send({ type: 'plan.pause', item: 'A' });
    expect(crew.pause('A')).toBe('PAUSING');
    ends.get('A/draft')!();
    await crew.test.settle();
    expect(crew.pause('A')).toBe('PAUSED');
    await crew.send({ type: 'plan.resume', item: 'A' });
    expect(crew.pause('A')).toBe('RESUMING');
    ends.get('A/print')!();
    await crew.test.settle();
    expect(crew.pause('A')).toBe('RUNNING');
  });

  it('CA-017: PAUSED becomes STALE after 14 days and EXPIRED after 30, across power cuts', async () => {
    const { crew } = await pausedCrew();
    await passOverCrash(crew, 14 * DAY_MS - 1);
    expect(crew.pause('B')).toBe('PAUSED');
    await crew.test.advance(1);
    expect(crew.pause('B')).toBe('STALE');
    await passOverCrash(crew, 16 * DAY_MS - 2);
    expect([crew.pause('B'), crew.phase('B')]).toEqual(['STALE', 'paused']);
    await crew.test.advance(2);
    expect([crew.pause('B'), crew.phase('B'), crew.state()]).toEqual(['EXPIRED', 'expired', 'failed']);
  });

  it('CA-017: PAUSED becomes EXPIRED by hand', async () => {
    const { crew } = await pausedCrew();
    const given = crew.ask<OrderReply>({ type: 'pause.expire', item: 'B', reason: 'not wanted any more' });
    await crew.test.settle();
    expect(await given).toEqual(TAKEN);
    expect([crew.pause('B'), crew.phase('B'), crew.item('B').reason]).toEqual([
      'EXPIRED',
      'expired',
      'not wanted any more',
    ]);
  });

  it('CA-017: RESUMING goes back to PAUSING and PAUSED when the resumed task fails', async () => {
    const { crew } = await pausedCrew();
    await crew.send({ type: 'plan.resume', item: 'B' });
    expect(crew.pause('B')).toBe('PAUSED');
    expect(crew.manager('B')).toMatchObject({ pauses: 2, record: { id: 'B#2' } });
  });

  it('CA-017: further failures during PAUSING are queued in the record of the pause', async () => {
    const ends = new Map<string, () => void>();
    const parallel = planOf({ stages: { a: { agent: 'x' }, b: { agent: 'y' }, c: { agent: 'z' } }, items: ['A'] });
    const fail = stated('bad', { errorType: 'data_quality' });
    const crew = await startCrew(parallel, {
      work: ({ task }) =>
        new Promise((resolve, reject) => ends.set(task.id, () => (task.id === 'A/c' ? resolve('c') : reject(fail)))),
    });
    ends.get('A/a')!();
    await crew.test.settle();
    ends.get('A/b')!();
    await crew.test.settle();
    expect(crew.pause('A')).toBe('PAUSING');
    expect(crew.manager('A').record).toMatchObject({
      failedTask: 'A/a',
      furtherFailures: [{ failedTask: 'A/b', reason: 'A/b failed: bad' }],
    });
    ends.get('A/c')!();
    await crew.test.settle();
    expect(crew.pause('A')).toBe('PAUSED');
    expect(crew.manager('A').checkpoint).toMatchObject({ completed: ['A/c'], failed: ['A/a', 'A/b'] });
  });

  it('CA-016: a task that has not ended after a day of PAUSING is stopped, and starts again on resume', async () => {
    const crew = await startCrew(plan, {
      work: ({ task }) => (task.id === 'A/draft' ? new Promise(() => {}) : 'done'),
    });
    await crew.send({ type: 'plan.pause', item: 'A' });
    await passOverCrash(crew, DAY_MS - 1);
    expect(crew.pause('A')).toBe('PAUSING');
    await crew.test.advance(1);
    expect(crew.pause('A')).toBe('PAUSED');
    const before = crew.starts.filter((id) => id === 'A/draft').length;
    await crew.send({ type: 'plan.resume', item: 'A' });
    expect(crew.starts.filter((id) => id === 'A/draft')).toHaveLength(before + 1);
  });

  it('CA-028: the pause of one item does not affect other items', async () => {
    const { crew } = await pausedCrew();
    expect([crew.phase('B'), crew.item('A').done, crew.item('A').manager]).toEqual([
      'paused',
      ['A/draft', 'A/print'],
      null,
    ]);
  });
});

/** Cuts the power, and starts the system again days later. */
async function beDown(crew: Crew, days: number): Promise<void> {
  await crew.test.crash();
  await crew.test.clock.advance(days * DAY_MS, async () => {});
  await crew.test.restart({ trustWallClock: true });
  await crew.test.settle();
}

describe('alerts of a pause', () => {
  it('CA-018, CA-019: come on day 0, 3, 7, 14 and 30, each once, across power cuts', async () => {
    const { crew } = await pausedCrew();
    const days = crew
      .alerts('item.paused')
      .map(({ priority }): [number, string, string] => [0, 'item.paused', priority]);
    for (let day = 1; day <= 31; day += 1) {
      const before = crew.alerts().length;
      await passOverCrash(crew, DAY_MS);
      for (const { kind, priority } of crew.alerts().slice(before)) days.push([day, kind, priority]);
    }
    expect(days).toEqual([
      [0, 'item.paused', 'HIGH'],
      [3, 'pause.day3', 'MEDIUM'],
      [7, 'pause.day7', 'HIGH'],
      [14, 'pause.day14', 'HIGH'],
      [30, 'pause.day30', 'HIGH'],
    ]);
  });

  it.each([
    { days: 5, news: ['pause.day3'], sent: [true, false] },
    { days: 10, news: ['pause.day7'], sent: [false, true] },
    { days: 20, news: ['pause.day14'], sent: [false, false] },
    { days: 40, news: ['pause.day30'], sent: [false, false] },
  ])('come once after $days days of downtime: $news', async ({ days, news, sent }) => {
    const { crew } = await pausedCrew();
    const before = crew.alerts().length;
    await beDown(crew, days);
    expect(
      crew
        .alerts()
        .slice(before)
        .map(({ kind }) => kind),
    ).toEqual(news);
    const { alertDay3Sent, alertDay7Sent, status } = crew.manager('B').record!;
    expect([alertDay3Sent, alertDay7Sent]).toEqual(sent);
    expect(status).toBe(days < 14 ? 'PAUSED' : days < 30 ? 'STALE' : 'EXPIRED');
  });

  it('say nothing of an extension whose end passed in the same downtime as day 30', async () => {
    const { crew } = await pausedCrew();
    const untilMs = crew.test.clock.wallMs() + 20 * DAY_MS;
    await crew.send({ type: 'pause.extend', item: 'B', untilMs, reason: 'the press is repaired' });
    const before = crew.alerts().length;
    await beDown(crew, 40);
    expect(
      crew
        .alerts()
        .slice(before)
        .map(({ kind }) => kind),
    ).toEqual(['pause.day30']);
  });

  it('CA-019: name the day and what happens next', () => {
    const record = newRecord(
      'AAPL',
      1,
      { reason: 'no quota', trigger: 'AUTO_TIER2', failedTask: null, batchId: null, createdBy: 'x' },
      0,
    );
    const titles = ([0, 3, 7, 14, 30] as const).map((day) => noticeOfDay(record, day).title);
    expect(titles).toEqual([
      'AAPL paused - no quota',
      'AAPL has been paused for 3 days: reminder',
      'AAPL has been paused for 7 days and will be stale on day 14',
      'AAPL is STALE after 14 days and will be purged on day 30',
      'AAPL has EXPIRED after 30 days: purged, its record is kept',
    ]);
  });

  it('CA-019: stop once the item is resumed', async () => {
    const { crew, mend } = await pausedCrew();
    await crew.test.advance(4 * DAY_MS);
    mend();
    await crew.send({ type: 'plan.resume', item: 'B' });
    const before = crew.alerts().length;
    await passOverCrash(crew, 40 * DAY_MS);
    expect(crew.alerts().slice(before)).toEqual([]);
  });

  it('CA-020: are raised at the start of a pause, as a reminder, and when an item resumes by itself', async () => {
    const { crew, mend } = await pausedCrew();
    expect(crew.alerts('item.paused')).toHaveLength(1);
    await crew.test.advance(3 * DAY_MS);
    mend();
    await crew.send({ type: 'cause.cleared', items: ['B'], cause: 'quota' });
    expect(crew.alerts().map(({ kind }) => kind)).toEqual(['item.failed', 'item.paused', 'pause.day3', 'item.resumed']);
  });
});

describe('an extension', () => {
  const untilOf = (crew: Crew, day: number): number => crew.manager('B').record!.pausedAtMs + day * DAY_MS;

  it('CA-019: postpones STALE to its end, across power cuts, and is granted once', async () => {
    const { crew } = await pausedCrew();
    await crew.test.advance(DAY_MS);
    const extend = (day: number) =>
      crew.ask<OrderReply>({ type: 'pause.extend', item: 'B', untilMs: untilOf(crew, day), reason: 'vendor is away' });
    expect(await extend(20)).toEqual(TAKEN);
    expect(await extend(25)).toEqual({ taken: false, problems: ['B was extended before'] });
    await passOverCrash(crew, 19 * DAY_MS - 1);
    expect(crew.pause('B')).toBe('PAUSED');
    expect(crew.alerts('pause.day14')).toHaveLength(1);
    await crew.test.advance(1);
    expect(crew.pause('B')).toBe('STALE');
    expect(crew.manager('B').record).toMatchObject({
      extendedUntilMs: untilOf(crew, 20),
      extensionReason: 'vendor is away',
    });
    await passOverCrash(crew, 10 * DAY_MS);
    expect(crew.pause('B')).toBe('EXPIRED');
  });

  it('CA-019: ends on day 30 at the latest, whatever was asked for', async () => {
    const { crew } = await pausedCrew();
    await crew.ask({ type: 'pause.extend', item: 'B', untilMs: untilOf(crew, 90), reason: 'much to do' });
    await passOverCrash(crew, 30 * DAY_MS - 2);
    expect(crew.pause('B')).toBe('PAUSED');
    await crew.test.advance(2);
    expect(crew.pause('B')).toBe('EXPIRED');
  });

  it('CA-019: is refused if it would end before day 14', () => {
    const record = newRecord(
      'A',
      1,
      { reason: 'x', trigger: 'MANUAL', failedTask: null, batchId: null, createdBy: 'x' },
      0,
    );
    expect(extended(record, { untilMs: 14 * DAY_MS, reason: 'y' })).toEqual({
      problem: 'an extension must end after day 14',
    });
  });
});

describe('checkpoints and calls', () => {
  it('CA-021: the checkpoint is saved on pause and loaded on resume: completed tasks stay completed', async () => {
    const crew = await startCrew(plan, {
      work: ({ task }) => (task.id === 'B/print' ? Promise.reject(stated('jam', { errorType: 'crash' })) : 'text'),
    });
    expect(crew.manager('B').checkpoint).toMatchObject({
      checkpointId: 'B#1',
      completed: ['B/draft'],
      failed: ['B/print'],
    });
    await crew.crashAndRestart();
    await crew.send({ type: 'plan.resume', item: 'B' });
    expect(crew.starts.filter((id) => id === 'B/draft')).toHaveLength(1);
    expect(crew.starts.filter((id) => id === 'B/print')).toHaveLength(2);
  });

  it("CA-022, CA-023, CA-024: pause_analysis, resume_analysis, get_pause_state take the seed's arguments", async () => {
    const crew = await startCrew(plan, {
      work: ({ task }) => (task.id === 'A/draft' ? new Promise(() => {}) : 'done'),
      desks: [],
    });
    const { pause_analysis, resume_analysis, get_pause_state } = pauseCalls(crew.test.shard);
    expect(await get_pause_state('A')).toEqual({
      status: 'RUNNING',
      reason: null,
      checkpoint_id: null,
      paused_at: null,
      resume_dependencies: null,
    });
    expect(await pause_analysis('A', 'under review', null, 'MANUAL')).toEqual(TAKEN);
    await crew.test.settle();
    expect(await get_pause_state('A')).toMatchObject({
      status: 'PAUSING',
      reason: 'under review',
      checkpoint_id: null,
    });
    await crew.test.advance(DAY_MS);
    expect(await get_pause_state('A')).toEqual({
      status: 'PAUSED',
      reason: 'under review',
      checkpoint_id: 'A#1',
      paused_at: '2026-01-01T00:00:00.000Z',
      resume_dependencies: { restart: ['A/draft', 'A/print'], skip: [], wait: [] },
    });
    expect(await resume_analysis('A', null, false)).toEqual(TAKEN);
    expect(await get_pause_state('A')).toMatchObject({ status: 'RESUMING' });
  });

  it('CA-023: a resume plan that breaks the rules is refused, a valid one is carried out', async () => {
    const done = planOf({
      stages: { a: { agent: 'x' }, b: { agent: 'x', after: ['a'] }, c: { agent: 'x', after: ['b'] } },
      items: ['I'],
    });
    let broken = true;
    const crew = await startCrew(done, {
      work: ({ task }) => (broken && task.id === 'I/c' ? Promise.reject(stated('no', { errorType: 'crash' })) : 'text'),
    });
    broken = false;
    const resume = (lists: object) =>
      crew.ask<OrderReply>({ type: 'resume.command', item: 'I', resumePlan: lists, notify: false });
    expect(await resume({ restart: ['I/a', 'I/c'], skip: ['I/b'], wait: [] })).toEqual({
      taken: false,
      problems: ['I/b waits for a task that runs again'],
    });
    expect(await resume({ restart: ['I/b'], skip: ['I/a', 'I/c'], wait: [] })).toEqual({
      taken: false,
      problems: ['I/c is not complete and cannot be skipped'],
    });
    expect(await resume({ restart: ['I/b', 'I/c'], skip: ['I/a'], wait: [] })).toEqual(TAKEN);
    await crew.test.settle();
    expect([crew.state(), crew.starts]).toEqual(['completed', ['I/a', 'I/b', 'I/c', 'I/b', 'I/c']]);
  });

  it(
    'CA-046: a resume plan takes completed tasks from the checkpoint; coordinator and PauseManager get ' + 'it',
    async () => {
      const crew = await startCrew(plan, {
        work: ({ task }) => (task.id === 'B/print' ? Promise.reject(stated('jam', { errorType: 'crash' })) : 'text'),
      });
      const lists = { restart: ['B/print'], skip: ['B/draft'], wait: [] };
      expect(crew.manager('B').record!.resumeDependencies).toEqual(lists);
      expect(crew.told('alerts', 'pause.complete')).toMatchObject([{ item: 'B', resumeDependencies: lists }]);
      await crew.send({ type: 'plan.resume', item: 'B' });
      expect([crew.manager('B').failedPlans[0]!.plan, crew.starts.slice(-1)]).toEqual([lists, ['B/print']]);
    },
  );

  it('CA-024: calls about an unknown item, or about one that is not paused, are refused', async () => {
    const { crew } = await pausedCrew();
    expect(await crew.ask<OrderReply>({ type: 'pause.state', item: 'Z' })).toEqual({
      taken: false,
      problems: ['no item "Z" in the plan'],
    });
    expect(await crew.ask<OrderReply>({ type: 'resume.command', item: 'A', resumePlan: null, notify: false })).toEqual({
      taken: false,
      problems: ['A is not paused'],
    });
  });

  it('CA-025: the record keeps who asked for the pause, one of five triggers', async () => {
    const { crew } = await pausedCrew();
    expect(crew.manager('B').record).toMatchObject({ trigger: 'AUTO_TIER2', createdBy: 'lead-coordinator' });
    await expect(
      crew.ask({ type: 'pause.request', item: 'A', reason: 'x', checkpointId: null, trigger: 'WHIM' }),
    ).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
  });

  it('CA-029: the record has every field of a pause', async () => {
    const { crew } = await pausedCrew();
    await crew.test.advance(8 * DAY_MS);
    expect(crew.manager('B').record).toEqual({
      id: 'B#1',
      item: 'B',
      reason: 'B/draft failed: no ink',
      trigger: 'AUTO_TIER2',
      pausedAtMs: Date.parse('2026-01-01T00:00:00Z'),
      resumedAtMs: null,
      checkpointId: 'B#1',
      failedTask: 'B/draft',
      resumeDependencies: { restart: ['B/draft', 'B/print'], skip: [], wait: [] },
      status: 'PAUSED',
      createdBy: 'lead-coordinator',
      batchId: null,
      alertDay3Sent: true,
      alertDay7Sent: true,
      extendedUntilMs: null,
      extensionReason: null,
      furtherFailures: [],
    });
  });

  it('CA-029: the record marks each of the two alerts as sent when it is sent, and not before', async () => {
    const { crew } = await pausedCrew();
    const sent = () => {
      const { alertDay3Sent, alertDay7Sent } = crew.manager('B').record!;
      return [alertDay3Sent, alertDay7Sent];
    };
    expect(sent()).toEqual([false, false]);
    await crew.test.advance(3 * DAY_MS);
    expect(sent()).toEqual([true, false]);
    await crew.test.advance(4 * DAY_MS - 1);
    expect(sent()).toEqual([true, false]);
    await crew.test.advance(1);
    expect(sent()).toEqual([true, true]);
  });

  it('CA-026: a paused item is reported to the coordinator, the alert desk and the batches', async () => {
    const { crew } = await pausedCrew();
    const said = {
      item: 'B',
      trigger: 'AUTO_TIER2',
      resumeDependencies: { restart: ['B/draft', 'B/print'], skip: [], wait: [] },
    };
    expect(crew.told('alerts', 'pause.complete')).toMatchObject([said]);
    expect(crew.told('batches', 'pause.complete')).toMatchObject([said]);
    expect(crew.emitted).toContainEqual({
      type: 'item.paused',
      item: 'B',
      reason: 'B/draft failed: no ink',
      task: 'B/draft',
    });
  });

  it('CA-026: a paused item that a batch asks to pause is reported as paused again', async () => {
    const { crew } = await pausedCrew();
    await crew.send({
      type: 'pause.request',
      item: 'B',
      reason: 'quota',
      checkpointId: null,
      trigger: 'AUTO_BATCH_CORRELATION',
      batchId: 'batch-1',
    });
    expect(crew.told('batches', 'pause.complete')).toHaveLength(2);
    expect(crew.manager('B').record).toMatchObject({ batchId: 'batch-1', id: 'B#1' });
  });
});

describe('the working memory of a paused item', () => {
  it('CA-027: is kept for 14 days on pause and for 24 hours after the resume', async () => {
    const told: MemoryInput[] = [];
    const port = fromPromise<void, MemoryInput>(async ({ input }) => void told.push(input));
    const { crew, mend } = await pausedCrew({ agents: [pauseManagerAgent(port)] });
    expect(crew.manager('B').memory).toBe('extended');
    mend();
    await crew.send({ type: 'plan.resume', item: 'B' });
    expect(told).toEqual([
      { item: 'B', ttlMs: 14 * DAY_MS },
      { item: 'B', ttlMs: 24 * HOUR_MS },
    ]);
    expect(crew.manager('B').memory).toBe('normal');
  });

  it('CA-027: has an unknown retention when its port fails, and the pause goes on', async () => {
    const port = fromPromise<void, MemoryInput>(async () => {
      throw new Error('no memory');
    });
    const { crew } = await pausedCrew({ agents: [pauseManagerAgent(port)] });
    await passOverCrash(crew, 10 * MINUTE_MS);
    expect([crew.pause('B'), crew.manager('B').memory]).toEqual(['PAUSED', 'unknown']);
  });
});

describe('retention', () => {
  it('CA-030: the record of a resumed pause is archived after 30 days, across power cuts', async () => {
    const { crew, mend } = await pausedCrew();
    mend();
    await crew.send({ type: 'plan.resume', item: 'B' });
    await passOverCrash(crew, 30 * DAY_MS - 2);
    expect(crew.manager('B')).toMatchObject({
      record: { status: 'RESUMED' },
      resumePlan: { restart: ['B/draft', 'B/print'] },
    });
    await crew.test.advance(2);
    expect(crew.manager('B')).toMatchObject({ record: null, resumePlan: null });
  });

  it('CA-030: failed resume plans are kept for 90 days', async () => {
    const { crew, mend } = await pausedCrew();
    await crew.send({ type: 'plan.resume', item: 'B' });
    mend();
    await crew.send({ type: 'plan.resume', item: 'B' });
    await passOverCrash(crew, 90 * DAY_MS - 2);
    expect(crew.manager('B').failedPlans).toHaveLength(1);
    await crew.test.advance(2);
    expect(crew.manager('B').failedPlans).toEqual([]);
  });

  it('CA-030: an expired item is purged, but its record stays', async () => {
    const { crew } = await pausedCrew();
    await crew.test.advance(30 * DAY_MS);
    expect(crew.manager('B')).toMatchObject({
      checkpoint: null,
      resumePlan: null,
      record: { status: 'EXPIRED', failedTask: 'B/draft' },
    });
    expect(resultsOf(crew.context(), 'B')).toEqual({});
    const state = await crew.ask<PauseState>({ type: 'pause.state', item: 'B' });
    expect(state.status).toBe('EXPIRED');
  });
});

describe('the record of a pause', () => {
  const request = (n: number) => ({
    reason: String(n),
    trigger: 'AUTO_TIER2' as const,
    failedTask: null,
    batchId: null,
    createdBy: 'x',
  });
  const plan = (atMs: number) => ({ atMs, plan: { restart: [], skip: [], wait: [] } });

  it('CA-017: keeps the first 100 further failures', () => {
    let record = newRecord('A', 1, request(0), 0);
    for (let n = 1; n <= PAUSE_FAILURES_MAX + 1; n += 1) record = withFurther(record, request(n));
    expect([record.furtherFailures.length, record.furtherFailures.at(-1)!.reason]).toEqual([
      PAUSE_FAILURES_MAX,
      String(PAUSE_FAILURES_MAX),
    ]);
  });

  it('CA-030: keeps the last 10 failed resume plans', () => {
    const plans = Array.from({ length: FAILED_PLANS_MAX + 1 }, (_, n) => plan(n)).reduce(
      withFailedPlan,
      [] as readonly ReturnType<typeof plan>[],
    );
    expect([plans.length, plans[0]!.atMs]).toEqual([FAILED_PLANS_MAX, 1]);
  });
});

describe('auto-resume', () => {
  const clear = { type: 'cause.cleared', items: ['A', 'B', 'Z'], cause: 'quota reset' };

  it('CA-032: resumes an item when its root cause clears, and raises an alert', async () => {
    const { crew, mend } = await pausedCrew();
    mend();
    await crew.send(clear);
    expect([crew.state(), crew.pause('B')]).toEqual(['completed', 'RUNNING']);
    expect(crew.alerts('item.resumed')).toMatchObject([{ priority: 'MEDIUM', title: 'B has resumed by itself' }]);
    expect(crew.told('batches', 'item.resumed')).toEqual([{ type: 'item.resumed', item: 'B' }]);
  });

  it('CA-032: stops after three failures until a person resumes the item, and reports each failure', async () => {
    const { crew, mend } = await pausedCrew();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await crew.send(clear);
      await crew.crashAndRestart();
      expect([crew.pause('B'), crew.manager('B').failedAutoResumes]).toEqual(['PAUSED', attempt]);
    }
    expect(crew.alerts('resume.failed').map(({ priority }) => priority)).toEqual(['CRITICAL', 'CRITICAL', 'CRITICAL']);
    mend();
    await crew.send(clear);
    expect(crew.pause('B')).toBe('PAUSED');
    expect(crew.alerts('resume.manual')).toHaveLength(1);
    await crew.send({ type: 'plan.resume', item: 'B' });
    expect([crew.state(), crew.manager('B').failedAutoResumes]).toEqual(['completed', 0]);
  });
});
