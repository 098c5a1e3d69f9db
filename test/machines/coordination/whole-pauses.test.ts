/** Pauses in the whole crew: how they age, who asks for them, what their record holds, and how long it is kept. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultsOf } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type PauseState } from '../../../src/machines/coordination/pauses/pause-messages.ts';
import { type ResumePlan } from '../../../src/machines/coordination/messages/messages.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { byEffort } from '../../support/effort.ts';
import { listedPlans, planOf } from '../../support/fixtures/plans/plans.ts';
import { MARGIN_CHALLENGE } from '../../support/machines/margin-challenge.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TAKEN = { taken: true, problems: [] };

/** Work whose tasks end at once, unless the test holds them or lets them fail. Sets are of ids of tasks. */
interface Works {
  readonly broken: Set<string>;
  readonly held: Set<string>;
  /** Tasks in the order of their starts. */
  readonly starts: string[];
  /** Ends a held task. */
  release(task: string): Promise<void>;
}

interface Setting {
  readonly broken?: readonly string[];
  readonly held?: readonly string[];
  /** Challenges by the task that makes one. */
  readonly says?: Readonly<Record<string, object>>;
}

interface Subject extends Works {
  readonly crew: WholeCrew;
}

async function atWork(plan: Plan, { broken = [], held = [], says }: Setting = {}): Promise<Subject> {
  const ends = new Map<string, () => void>();
  const works = { broken: new Set(broken), held: new Set(held), starts: [] as string[] };
  const work =
    (name: string): AgentFunction =>
    async (_, { item, say, signal }) => {
      const task = `${item}/${name}`;
      works.starts.push(task);
      if (says?.[task] !== undefined) await say({ kind: 'challenge', content: says[task] });
      if (works.held.has(task))
        await new Promise<void>((resolve, reject) => {
          ends.set(task, resolve);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      if (works.broken.has(task)) throw Object.assign(new Error(`${task} is broken`), { errorType: 'data_quality' });
      return task;
    };
  const types = new Set(plan.tasks.map(({ agent }) => agent));
  const crew = await startWholeCrew(plan, Object.fromEntries([...types].map((type) => [type, work(type)])));
  const release = async (task: string) => {
    works.held.delete(task);
    ends.get(task)!();
    await crew.test.settle();
  };
  return { ...works, release, crew };
}

async function stateOf(crew: WholeCrew, item: string): Promise<PauseState> {
  return crew.ask<PauseState>('coordinator', { type: 'pause.state', item });
}

async function statuses(crew: WholeCrew, items: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const item of items) found.push((await stateOf(crew, item)).status);
  return found;
}

function resumed(crew: WholeCrew, item: string, resumePlan: ResumePlan | null = null): Promise<unknown> {
  return crew.ask('coordinator', { type: 'resume.command', item, resumePlan, notify: true });
}

describe('the ages of a pause', () => {
  const plan = planOf({
    stages: {
      fetch: { agent: 'fetch' },
      read: { agent: 'read' },
      price: { agent: 'price' },
      print: { agent: 'print', after: ['fetch', 'read', 'price'] },
    },
    items: ['OLD', 'GONE'],
  });

  it('CA-017: PAUSED is STALE at 14 days and EXPIRED at 30, or EXPIRED by hand, across power cuts', async () => {
    const { crew } = await atWork(plan, { broken: ['OLD/fetch', 'GONE/read'] });
    expect(await statuses(crew, ['OLD', 'GONE'])).toEqual(['PAUSED', 'PAUSED']);
    await crew.test.advance(7 * DAY_MS);
    await crew.powerCut();
    expect(await crew.ask('coordinator', { type: 'pause.expire', item: 'GONE', reason: 'not wanted' })).toEqual(TAKEN);
    expect(await statuses(crew, ['OLD', 'GONE'])).toEqual(['PAUSED', 'EXPIRED']);
    expect(crew.item('GONE')).toMatchObject({ phase: 'expired', reason: 'not wanted' });
    await crew.test.advance(7 * DAY_MS - 1);
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSED']);
    await crew.test.advance(1);
    expect(await statuses(crew, ['OLD'])).toEqual(['STALE']);
    await crew.powerCut();
    await crew.test.advance(16 * DAY_MS - 1);
    expect(await statuses(crew, ['OLD'])).toEqual(['STALE']);
    await crew.test.advance(1);
    expect(await statuses(crew, ['OLD'])).toEqual(['EXPIRED']);
    expect(crew.item('OLD')).toMatchObject({ phase: 'expired' });
    expect(crew.state()).toBe('failed');
  });

  it('CA-017: PAUSING stays for further failures and queues them; RESUMING goes back on a failure', async () => {
    const two = ['OLD/fetch', 'OLD/read'];
    const { crew, held, broken, release } = await atWork(plan, { broken: two, held: ['OLD/read', 'OLD/price'] });
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSING']);
    await release('OLD/read');
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSING']);
    expect(crew.pauseOf('OLD').record).toMatchObject({
      failedTask: 'OLD/fetch',
      furtherFailures: [{ failedTask: 'OLD/read', reason: 'OLD/read failed: OLD/read is broken' }],
    });
    await crew.powerCut();
    await release('OLD/price');
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSED']);

    held.add('OLD/fetch').add('OLD/read');
    expect(await resumed(crew, 'OLD')).toEqual(TAKEN);
    expect(await statuses(crew, ['OLD'])).toEqual(['RESUMING']);
    broken.delete('OLD/read');
    await release('OLD/fetch');
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSING']);
    expect(crew.pauseOf('OLD').record).toMatchObject({ id: 'OLD#2', furtherFailures: [] });
    await release('OLD/read');
    expect(await statuses(crew, ['OLD'])).toEqual(['PAUSED']);
  });
});

it('CA-025: a pause names its trigger: a failure, a person, an unanswered or rejected gate, or a batch', async () => {
  const batched = ['B1', 'B2', 'B3'];
  const items = ['FAILS', 'BY-HAND', 'UNANSWERED', 'REJECTED', ...batched];
  const plan = planOf({
    stages: { draft: { agent: 'draft', gate: { preset: 'G3' } }, print: { agent: 'print', after: ['draft'] } },
    items,
  });
  const held = ['BY-HAND', ...batched].map((item) => `${item}/draft`);
  const { crew, release } = await atWork(plan, { broken: ['FAILS/draft'], held });
  const pause = { type: 'pause.request', item: 'BY-HAND', reason: 'audit', checkpointId: null };
  await expect(crew.test.shard.ask('coordinator', { ...pause, trigger: 'WHIM' })).rejects.toMatchObject({
    code: 'BOSUN_EVENT_INVALID',
  });
  expect(await crew.ask('coordinator', { ...pause, trigger: 'MANUAL' })).toEqual(TAKEN);
  const failure = { agentType: 'draft', errorType: 'quota', errorMessage: 'quota exceeded', dataSource: 'Koyfin' };
  for (const item of batched)
    await crew.ask('correlator', { type: 'agent.failure', item, ...failure, atMs: crew.test.clock.wallMs() });
  for (const task of held) await release(task);
  const gate = crew.gates().find(({ item }) => item === 'REJECTED')!.id;
  const answer = { decision: 'revise', comment: 'too bold' };
  await crew.ask('gates', { type: 'gate.answer', gate, by: 'ada', answer });
  await crew.test.advance(24 * HOUR_MS);
  await crew.powerCut();
  const record = (item: string) => crew.pauseOf(item).record!;
  expect(items.map((item) => [item, record(item).trigger, record(item).status])).toEqual([
    ['FAILS', 'AUTO_TIER2', 'PAUSED'],
    ['BY-HAND', 'MANUAL', 'PAUSED'],
    ['UNANSWERED', 'GATE_TIMEOUT', 'PAUSED'],
    ['REJECTED', 'GATE_REJECTION', 'PAUSED'],
    ...batched.map((item) => [item, 'AUTO_BATCH_CORRELATION', 'PAUSED']),
  ]);
});

describe('the record of a pause', () => {
  const plan = planOf({
    stages: {
      draft: { agent: 'draft' },
      review: { agent: 'review' },
      print: { agent: 'print', after: ['draft', 'review'] },
    },
    items: ['A', 'B'],
  });

  it('CA-029: has every field, as the pause begins, is reached, is reminded of, extended, and resumed', async () => {
    const { crew, broken, held, release } = await atWork(plan, { broken: ['A/draft'], held: ['A/review', 'B/review'] });
    const pausedAtMs = crew.test.clock.wallMs();
    const begun = {
      id: 'A#1',
      item: 'A',
      reason: 'A/draft failed: A/draft is broken',
      trigger: 'AUTO_TIER2',
      pausedAtMs,
      resumedAtMs: null,
      checkpointId: null,
      failedTask: 'A/draft',
      resumeDependencies: { restart: ['A/draft', 'A/print'], skip: [], wait: ['A/review'] },
      status: 'PAUSING',
      createdBy: 'lead-coordinator',
      batchId: null,
      alertDay3Sent: false,
      alertDay7Sent: false,
      extendedUntilMs: null,
      extensionReason: null,
      furtherFailures: [],
    };
    expect(crew.pauseOf('A').record).toEqual(begun);
    await release('A/review');
    const reached = {
      ...begun,
      status: 'PAUSED',
      checkpointId: 'A#1',
      resumeDependencies: { restart: ['A/draft', 'A/print'], skip: ['A/review'], wait: [] },
    };
    expect(crew.pauseOf('A').record).toEqual(reached);

    await crew.test.advance(3 * DAY_MS - 1);
    expect(crew.pauseOf('A').record).toEqual(reached);
    await crew.test.advance(1);
    expect(crew.pauseOf('A').record).toEqual({ ...reached, alertDay3Sent: true });
    await crew.powerCut();
    await crew.test.advance(4 * DAY_MS);
    const reminded = { ...reached, alertDay3Sent: true, alertDay7Sent: true };
    expect(crew.pauseOf('A').record).toEqual(reminded);

    await crew.ask('batches', { type: 'batch.pause', items: ['A', 'B'], reason: 'quota' });
    const extendedUntilMs = pausedAtMs + 20 * DAY_MS;
    const extension = { type: 'pause.extend', item: 'A', untilMs: extendedUntilMs, reason: 'the vendor is away' };
    expect(await crew.ask('coordinator', extension)).toEqual(TAKEN);
    await crew.test.advance(7 * DAY_MS);
    const extended = { ...reminded, batchId: 'batch-1', extendedUntilMs, extensionReason: 'the vendor is away' };
    expect(crew.pauseOf('A').record).toEqual(extended);
    await crew.test.advance(6 * DAY_MS);
    expect(crew.pauseOf('A').record).toEqual({ ...extended, status: 'STALE' });

    broken.clear();
    held.add('A/draft');
    await resumed(crew, 'A');
    expect(crew.pauseOf('A').record).toEqual({ ...extended, status: 'RESUMING' });
    await crew.test.advance(HOUR_MS);
    await release('A/draft');
    const resumedAtMs = pausedAtMs + 20 * DAY_MS + HOUR_MS;
    expect(crew.pauseOf('A').record).toEqual({ ...extended, status: 'RESUMED', resumedAtMs });
  });

  it(
    'CA-030: is archived 30 days after the resume with its resume plan; failed plans and records of batches stay ' +
      'for 90 days, and a stale pause is purged at day 30',
    async () => {
      const { crew, broken } = await atWork(plan, { broken: ['A/draft', 'B/review'] });
      const order = { type: 'batch.resume', items: ['A'] };
      expect(await crew.ask('batches', order)).toMatchObject({ taken: true, batchId: 'batch-1' });
      broken.clear();
      await resumed(crew, 'A');
      const restart = ['A/draft', 'A/print'];
      expect(crew.pauseOf('A')).toMatchObject({
        record: { id: 'A#2', status: 'RESUMED' },
        resumePlan: { restart },
        failedPlans: [{ plan: { restart } }],
      });
      expect(crew.batches()).toMatchObject([{ id: 'batch-1', phase: 'finished' }]);
      expect(resultsOf(crew.coordinator(), 'B')).toEqual({ draft: 'B/draft' });

      await crew.test.advance(15 * DAY_MS);
      await crew.powerCut();
      await crew.test.advance(15 * DAY_MS - 1);
      expect(crew.pauseOf('A')).toMatchObject({ record: { status: 'RESUMED' }, resumePlan: { restart } });
      expect(crew.pauseOf('B')).toMatchObject({ record: { status: 'STALE' }, checkpoint: { completed: ['B/draft'] } });
      await crew.test.advance(1);
      expect(crew.pauseOf('A')).toMatchObject({ record: null, resumePlan: null, failedPlans: [{ plan: { restart } }] });
      expect(crew.pauseOf('B')).toMatchObject({
        record: { id: 'B#1', status: 'EXPIRED', failedTask: 'B/review' },
        checkpoint: null,
      });
      expect(resultsOf(crew.coordinator(), 'B')).toEqual({});

      await crew.powerCut();
      await crew.test.advance(60 * DAY_MS - 1);
      expect(crew.pauseOf('A').failedPlans).toHaveLength(1);
      expect(crew.batches()).toHaveLength(1);
      await crew.test.advance(1);
      expect(crew.pauseOf('A').failedPlans).toEqual([]);
      expect(crew.batches()).toEqual([]);
    },
  );
});

it(
  'CA-E06: an unanswered gate 3 waits for 22 hours, warns in its last two, and pauses its item at 24; once people ' +
    'have validated it, the resumed item passes it',
  async () => {
    const plan = planOf({
      stages: { draft: { agent: 'draft', gate: { preset: 'G3' } }, print: { agent: 'print', after: ['draft'] } },
      items: ['AAPL', 'MSFT'],
    });
    const { crew, starts } = await atWork(plan);
    const phase = () => crew.gates()[0]!.phase;
    const warnings = () => crew.told('gate.reminded').length;
    const msft = crew.gates()[1]!.id;
    await crew.ask('gates', { type: 'gate.answer', gate: msft, by: 'ada', answer: { decision: 'approve' } });
    await crew.test.advance(22 * HOUR_MS - 1);
    expect([phase(), warnings()]).toEqual(['open', 0]);
    await crew.powerCut();
    await crew.test.advance(1);
    expect([phase(), warnings()]).toEqual(['reminded', 1]);
    await crew.test.advance(2 * HOUR_MS - 1);
    expect([phase(), warnings()]).toEqual(['reminded', 2]);
    expect(crew.item('AAPL').phase).toBe('running');
    await crew.test.advance(1);
    expect(crew.item('AAPL')).toMatchObject({ phase: 'paused', reason: 'Gate 3 timeout' });
    expect(crew.pauseOf('AAPL').record).toMatchObject({ trigger: 'GATE_TIMEOUT' });
    await crew.powerCut();
    await crew.ask('coordinator', { type: 'gate.validate', item: 'AAPL', gate: 'G3', by: 'ada' });
    await resumed(crew, 'AAPL');
    expect(crew.gates()).toHaveLength(2);
    expect(starts.filter((task) => task.startsWith('AAPL/'))).toEqual(['AAPL/draft', 'AAPL/print']);
    expect(crew.state()).toBe('completed');
  },
);

describe('the resume plan of an item', () => {
  it(
    'CA-E08: skips Screening and Business, restarts Financial, which failed while Strategy and News ran, with ' +
      'Strategy, Valuation and Report, and waits for News',
    async () => {
      const stages = {
        screening: { agent: 'screening' },
        business: { agent: 'business', after: ['screening'] },
        financial: { agent: 'financial', after: ['business'] },
        strategy: { agent: 'strategy', after: ['financial'] },
        news: { agent: 'news', after: ['screening'] },
        valuation: { agent: 'valuation', after: ['financial', 'strategy', 'news'] },
        report: { agent: 'report', after: ['valuation'] },
      };
      // Strategy builds on Financial, so both are under way only if an overridden value makes Financial run again.
      const doubts = {
        ...MARGIN_CHALLENGE,
        challenged: { agent: 'screening' },
        priority: 'critical-path',
        valueKind: 'margin',
        dependents: [
          { id: 'financial', measure: 'target_price', current: 85, response: 'proportional', runMs: MINUTE_MS },
        ],
      };
      const plan = planOf({ pack: 'finance', stages, items: ['AAPL'] });
      const held = ['AAPL/strategy', 'AAPL/news'];
      const { crew, broken } = await atWork(plan, { held, says: { 'AAPL/business': doubts } });
      await crew.test.advance(26 * HOUR_MS);
      expect(crew.item('AAPL').running.toSorted()).toEqual(held.toSorted());
      broken.add('AAPL/financial');
      const gate = crew.gates().find(({ isOver }) => !isOver)!.id;
      const answer = { action: 'override', side: 'challenged' };
      expect(await crew.ask('gates', { type: 'gate.answer', gate, by: 'ada', answer })).toEqual(TAKEN);
      await crew.test.settle();
      expect(await stateOf(crew, 'AAPL')).toMatchObject({
        status: 'PAUSING',
        reason: 'AAPL/financial failed: AAPL/financial is broken',
        resumeDependencies: {
          skip: ['AAPL/screening', 'AAPL/business'],
          restart: ['AAPL/financial', 'AAPL/strategy', 'AAPL/valuation', 'AAPL/report'],
          wait: ['AAPL/news'],
        },
      });
    },
  );

  /** The tasks of an item in any order of dependencies, and how the work of each ends. */
  const shapes = listedPlans
    .map(({ tasks }) => tasks.slice(0, 8))
    .chain((tasks) =>
      fc.record({
        tasks: fc.constant(tasks),
        states: fc.array(fc.constantFrom('ends', 'fails', 'goes on'), {
          minLength: tasks.length,
          maxLength: tasks.length,
        }),
      }),
    );

  it(
    'CA-047: is three lists without a common task, which cover all tasks of the item; no dependent of a ' +
      'restarted task is skipped',
    async () => {
      let seen = 0;
      await fc.assert(
        fc.asyncProperty(shapes, async ({ tasks, states }) => {
          const names = tasks.map(({ id }) => id);
          const stages = Object.fromEntries(
            tasks.map(({ id, after }) => [id, { agent: id, after: after.filter((one) => names.includes(one)) }]),
          );
          const plan = planOf({ stages, items: ['I'] });
          const inState = (state: string) => names.filter((_, n) => states[n] === state).map((name) => `I/${name}`);
          const { crew } = await atWork(plan, { broken: inState('fails'), held: inState('goes on') });
          const order = { reason: 'audit', checkpointId: null, trigger: 'MANUAL' };
          await crew.ask('coordinator', { type: 'pause.request', item: 'I', ...order });
          const atOnce = (await stateOf(crew, 'I')).resumeDependencies;
          await crew.test.advance(DAY_MS);
          const paused = (await stateOf(crew, 'I')).resumeDependencies;
          for (const lists of [atOnce, paused]) {
            if (lists === null) continue; // nothing was left to pause
            seen += 1;
            const { restart, skip, wait } = lists;
            expect([...restart, ...skip, ...wait].toSorted()).toEqual(plan.tasks.map(({ id }) => id).toSorted());
            for (const { id, after } of plan.tasks)
              if (after.some((one) => restart.includes(one))) expect(restart).toContain(id);
          }
          await crew.test.shard.stop();
        }),
        { numRuns: byEffort({ quick: 8, ci: 12 }) },
      );
      expect(seen).toBeGreaterThan(0);
    },
  );

  it('CA-047: is refused if a person gives one that breaks these rules', async () => {
    const plan = planOf({
      stages: { a: { agent: 'a' }, b: { agent: 'b', after: ['a'] }, c: { agent: 'c', after: ['b'] } },
      items: ['I'],
    });
    const { crew, broken } = await atWork(plan, { broken: ['I/c'] });
    broken.clear();
    const refused = async (lists: ResumePlan) =>
      ((await resumed(crew, 'I', lists)) as { readonly problems: readonly string[] }).problems;
    const notOnce = ['every task of the item must be in exactly one of the three lists'];
    expect(await refused({ restart: ['I/b', 'I/c'], skip: ['I/a', 'I/b'], wait: [] })).toEqual(notOnce);
    expect(await refused({ restart: ['I/c'], skip: ['I/b'], wait: [] })).toEqual(notOnce);
    expect(await refused({ restart: ['I/a', 'I/c'], skip: ['I/b'], wait: [] })).toEqual([
      'I/b waits for a task that runs again',
    ]);
    expect(crew.item('I').phase).toBe('paused');
    expect(await refused({ restart: ['I/b', 'I/c'], skip: ['I/a'], wait: [] })).toEqual([]);
    expect(crew.state()).toBe('completed');
  });
});
