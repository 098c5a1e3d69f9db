/** Failures in three tiers: how an error is read, and what the Lead Coordinator does about each tier. */
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { endOf, failureOf, isRetried, withAttempt } from '../../../src/machines/work/failure-tiers.ts';
import { type WorkInput, type WorkReport } from '../../../src/machines/work/stage.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { type Crew, MINUTE_MS, startCrew, stated } from '../../support/machines/crew-subject.ts';

const twoStages = {
  stages: { draft: { agent: 'writer' }, print: { agent: 'printer', after: ['draft'], barrier: true } },
  items: ['A', 'B', 'C'],
};

/** Work that reports its failures as the functions of a plan do: the error has more fields than the store keeps. */
function reporting(work: (input: WorkInput) => unknown) {
  return fromPromise<unknown, WorkInput>(async ({ input, self }) => {
    const { effectId, attempt, tellParent } = effectOf(self);
    await tellParent({ type: 'work.started', effectId, attempt } as WorkReport & { type: string });
    try {
      return await work(input);
    } catch (error) {
      await tellParent({
        type: 'work.failed',
        effectId,
        attempt,
        failure: failureOf(error),
      } as WorkReport & { type: string });
      throw error;
    }
  });
}

function failing(errorType: string, item = 'B'): Promise<Crew> {
  return startCrew(planOf(twoStages), {
    desks: ['alerts', 'correlator', 'batches'],
    work: ({ task }) => {
      if (task.id === `${item}/draft`) throw stated('broken', { errorType });
      return 'done';
    },
  });
}

describe('an error', () => {
  it.each([
    ['a timeout of Bosun', Object.assign(new Error('x'), { code: 'BOSUN_TIMEOUT' }), 1, 'timeout'],
    ['a timeout of a socket', Object.assign(new Error('x'), { code: 'ETIMEDOUT' }), 1, 'timeout'],
    ['an aborted signal', Object.assign(new Error('x'), { name: 'TimeoutError' }), 1, 'timeout'],
    ['429', Object.assign(new Error('x'), { status: 429 }), 1, 'rate_limit'],
    ['503', Object.assign(new Error('x'), { status: 503 }), 1, 'server_error'],
    ['500', Object.assign(new Error('x'), { status: 500 }), 1, 'server_error'],
    ['599', Object.assign(new Error('x'), { status: 599 }), 1, 'server_error'],
    ['500 as a code', Object.assign(new Error('x'), { code: 500 }), 1, 'server_error'],
    ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 1, 'connection'],
  ])('CA-040: is of tier 1 if it is %s', (_, error, tier, errorType) => {
    expect(failureOf(error)).toMatchObject({ tier, errorType, isStated: true });
    expect(isRetried(failureOf(error))).toBe(true);
  });

  it.each([428, 430, 499, 600])('CA-040: is not of tier 1 if its status is %i', (status) => {
    expect(failureOf(Object.assign(new Error('x'), { status }))).toMatchObject({ tier: 2, isStated: false });
  });

  it.each(['crash', 'data_quality', 'dependency_failure', 'resource_exhaustion', 'a word of its own'])(
    'CA-041: is of tier 2 if it states the type %s',
    (errorType) => {
      const failure = failureOf(Object.assign(new Error('x'), { errorType, dataSource: 'koyfin' }));
      expect(failure).toEqual({ tier: 2, errorType, message: 'x', dataSource: 'koyfin', isStated: true });
      expect(isRetried(failure)).toBe(false);
    },
  );

  it.each(['integrity_violation', 'security_violation', 'configuration_error', 'irrecoverable_validation'])(
    'CA-042: is of tier 3 if it states the type %s',
    (errorType) => {
      expect(failureOf(Object.assign(new Error('x'), { errorType }))).toMatchObject({ tier: 3 });
    },
  );

  it('CA-041: counts as a crash if it states no type, after the attempts that the plan allows', () => {
    const failure = failureOf(new Error('x'));
    expect(failure).toMatchObject({ tier: 2, errorType: 'crash', isStated: false });
    expect(isRetried(failure)).toBe(true);
    expect([failureOf('text').message, failureOf(undefined).message, failureOf(null).tier]).toEqual([
      'text',
      'undefined',
      2,
    ]);
  });

  it('CA-041: goes from tier 1 to tier 2 when its attempts are used up', () => {
    const failure = failureOf(Object.assign(new Error('x'), { status: 429 }));
    const once = withAttempt(null, failure);
    expect(endOf(once, 2)).toBe(null);
    expect(endOf(withAttempt(once, failure), 2)).toMatchObject({ tier: 2, errorType: 'rate_limit' });
  });

  it('CA-040, CA-041: is counted if it is one of several timeouts in a row on one data source', () => {
    const timeout = (dataSource: string) =>
      failureOf(Object.assign(new Error('late'), { errorType: 'timeout', dataSource }));
    const after = (...failures: ReturnType<typeof failureOf>[]) =>
      failures.reduce<ReturnType<typeof withAttempt> | null>(withAttempt, null)!;
    const [a, b] = [timeout('a'), timeout('b')];
    expect(
      [after(a), after(a, a, a), after(b, b, a), after(a, a, failureOf(new Error('x')))].map((one) => one.timeouts),
    ).toEqual([1, 3, 1, 0]);
    expect([endOf(after(a, a), 10), endOf(after(a, a, a), 10)]).toMatchObject([
      null,
      { tier: 2, errorType: 'timeout' },
    ]);
  });
});

describe('a failure of tier 1', () => {
  it('CA-040: is retried with backoff, three attempts in all, without a pause', async () => {
    const crew = await startCrew(planOf({ ...twoStages, items: ['A'] }), {
      work: ({ task }, starts) => {
        if (task.stage === 'draft' && starts < 3) throw stated('slow down', { errorType: 'rate_limit' });
        return 'done';
      },
    });
    expect(crew.starts).toEqual(['A/draft']);
    await crew.crashAndRestart();
    await crew.test.advance(10 * MINUTE_MS);
    expect([crew.state(), crew.starts.filter((id) => id === 'A/draft').length]).toEqual(['completed', 3]);
    expect([crew.item('A').pauses, crew.alerts()]).toEqual([0, []]);
  });

  it('CA-041: pauses the item after three timeouts in a row on one endpoint, whatever attempts are left', async () => {
    const plan = planOf({ tasks: [{ id: 'a', agent: 'x', retry: { attempts: 10, backoff: { minMs: 1, maxMs: 1 } } }] });
    let calls = 0;
    const late = Object.assign(new Error('late'), { errorType: 'timeout', dataSource: 'edgar' });
    const logic = reporting(() => {
      calls += 1;
      throw late;
    });
    const crew = await startCrew(plan, { logic, desks: ['correlator'] });
    await crew.test.advance(MINUTE_MS);
    expect([calls, crew.phase('a')]).toEqual([3, 'paused']);
    expect(crew.told('correlator', 'agent.failure')).toMatchObject([
      { item: 'a', errorType: 'timeout', dataSource: 'edgar' },
    ]);
  });
});

describe('an attempt', () => {
  it('CA-042: is judged by its own failure, reported or not, whatever an earlier attempt has reported', async () => {
    const plan = planOf({ tasks: [{ id: 'a', agent: 'x', retry: { attempts: 9, backoff: { minMs: 1, maxMs: 1 } } }] });
    let starts = 0;
    const logic = fromPromise<unknown, WorkInput>(async ({ self }) => {
      starts += 1;
      const { effectId, attempt, tellParent } = effectOf(self);
      await tellParent({ type: 'work.started', effectId, attempt } as WorkReport & { type: string });
      if (starts > 1) throw Object.assign(new Error('not signed'), { code: 'security_violation' });
      const failure = failureOf(new Error('broken'));
      await tellParent({ type: 'work.failed', effectId, attempt, failure } as WorkReport & { type: string });
      throw new Error('broken');
    });
    const crew = await startCrew(plan, { logic, desks: [] });
    await crew.test.advance(MINUTE_MS);
    expect([starts, crew.phase('a'), crew.item('a').reason]).toEqual([2, 'failed', 'a failed: not signed']);
  });

  it('CA-041: is reported with an error of any length, cut to what is kept of an error', async () => {
    const plan = planOf({ tasks: [{ id: 'a', agent: 'x', retry: { attempts: 1 } }] });
    const crew = await startCrew(plan, {
      logic: reporting(() => Promise.reject(new Error('x'.repeat(5_000_000)))),
      desks: [],
    });
    await crew.test.advance(MINUTE_MS);
    expect([crew.phase('a'), crew.item('a').reason!.slice(0, 20)]).toEqual(['paused', 'a failed: xxxxxxxxxx']);
  });
});

describe('a failure of tier 2', () => {
  it('CA-041: pauses the item at once, with a checkpoint, an alert and a PAUSE_REQUEST', async () => {
    const crew = await failing('data_quality');
    expect([crew.pause('B'), crew.starts.filter((id) => id === 'B/draft').length]).toEqual(['PAUSED', 1]);
    expect(crew.manager('B')).toMatchObject({
      checkpoint: { checkpointId: 'B#1' },
      record: { trigger: 'AUTO_TIER2', reason: 'B/draft failed: broken' },
    });
    expect(crew.alerts('item.failed')).toMatchObject([
      {
        item: 'B',
        priority: 'AGENT_FAILURE',
        data: {
          agentType: 'writer',
          errorType: 'data_quality',
          errorMessage: 'broken',
          progressPct: 0,
          completed: [],
          pending: ['B/draft', 'B/print'],
        },
      },
    ]);
  });

  it('CA-039, CA-041: is reported to the FailureCorrelator with what is known of its source', async () => {
    const logic = reporting(({ task }) => {
      if (task.id === 'B/draft')
        throw Object.assign(new Error('quota exceeded: 1000/1000'), {
          errorType: 'resource_exhaustion',
          dataSource: 'koyfin',
        });
      return 'done';
    });
    const crew = await startCrew(planOf(twoStages), { logic, desks: ['correlator'] });
    expect(crew.told('correlator', 'agent.failure')).toEqual([
      {
        type: 'agent.failure',
        item: 'B',
        agentType: 'writer',
        errorType: 'resource_exhaustion',
        errorMessage: 'quota exceeded: 1000/1000',
        dataSource: 'koyfin',
        atMs: Date.parse('2026-01-01T00:00:00Z'),
      },
    ]);
  });

  it('CA-041: pauses the item even without the other desks', async () => {
    const crew = await startCrew(planOf(twoStages), {
      desks: [],
      work: ({ task }) => (task.id === 'B/draft' ? Promise.reject(stated('x', { errorType: 'crash' })) : 1),
    });
    expect([crew.phase('B'), crew.phase('A'), crew.state()]).toEqual(['paused', 'running', 'paused']);
  });
});

describe('a failure of tier 3', () => {
  it('CA-042: fails the item, which leaves the pipeline, and raises an alert', async () => {
    const crew = await failing('security_violation');
    expect(crew.item('B')).toMatchObject({
      phase: 'failed',
      reason: 'B/draft failed: broken',
      running: [],
      manager: null,
    });
    expect(crew.starts.toSorted()).toEqual(['A/draft', 'A/print', 'B/draft', 'C/draft', 'C/print']);
    expect(crew.state()).toBe('failed');
    expect(crew.alerts('item.lost')).toMatchObject([{ item: 'B', priority: 'CRITICAL' }]);
    expect(crew.emitted).toContainEqual({
      type: 'item.failed',
      item: 'B',
      reason: 'B/draft failed: broken',
      task: 'B/draft',
    });
    await crew.crashAndRestart();
    expect([crew.state(), crew.phase('B')]).toEqual(['failed', 'failed']);
  });

  it('CA-042: stops the other running tasks of the item', async () => {
    const plan = planOf({ stages: { bad: { agent: 'x' }, slow: { agent: 'y' } }, items: ['A'] });
    const crew = await startCrew(plan, {
      work: ({ task }) =>
        task.stage === 'bad'
          ? Promise.reject(stated('x', { errorType: 'integrity_violation' }))
          : new Promise(() => {}),
    });
    expect(crew.state()).toBe('failed');
    expect(crew.test.shard.tree().children.find(({ address }) => address === 'stages')!.children).toEqual([]);
  });

  it('CA-042: fails the tasks that depend on the failed one', async () => {
    const plan = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x', after: ['a'] },
        { id: 'c', agent: 'x', after: ['b'] },
        { id: 'd', agent: 'x' },
      ],
    });
    const crew = await startCrew(plan, {
      work: ({ task }) => (task.id === 'a' ? Promise.reject(stated('x', { errorType: 'configuration_error' })) : 1),
    });
    expect(['a', 'b', 'c', 'd'].map((id) => [crew.phase(id), crew.item(id).reason])).toEqual([
      ['failed', 'a failed: x'],
      ['failed', 'waits for a, which has failed'],
      ['failed', 'waits for a, which has failed'],
      ['running', null],
    ]);
    expect(crew.state()).toBe('failed');
  });

  it('CA-042: is also the effect of cancelling an item by hand', async () => {
    const crew = await failing('crash');
    await crew.send({ type: 'item.cancel', item: 'B' });
    expect([crew.phase('B'), crew.item('B').reason, crew.state()]).toEqual(['failed', 'cancelled by hand', 'failed']);
    expect(crew.pause('B')).toBe('EXPIRED');
    await crew.send({ type: 'plan.resume', item: 'B' });
    await crew.send({ type: 'item.cancel', item: 'A' });
    expect([crew.phase('B'), crew.phase('A')]).toEqual(['failed', 'running']);
  });
});
