/** The FailureCorrelator among the other desks of failures, on virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertDeskContext, alertsIn } from '../../../../src/machines/people/alerts/alert-desk.ts';
import { type BatchManagerContext, batchesIn } from '../../../../src/machines/coordination/batches/batch-manager.ts';
import { type Correlation } from '../../../../src/machines/work/correlation.ts';
import {
  type CorrelationResult,
  correlationsIn,
  type CorrelatorContext,
  failureCorrelator,
} from '../../../../src/machines/coordination/failures/failure-correlator.ts';
import { CORRELATION_FAILURES_MAX } from '../../../../src/machines/limits.ts';
import { signatureOf } from '../../../../src/machines/work/failure-signature.ts';
import { TAKEN } from '../../../../src/machines/rules/turn.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';
import { byEffort, LONG } from '../../../support/effort.ts';
import { DAY_MS, type Desks, MINUTE_MS, startDesks } from '../../../support/machines/desks.ts';

const FIVE = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
const AT_MS = Date.UTC(2026, 0, 1, 14, 47);

function failureOf(item: string, facts: object = {}) {
  return {
    type: 'agent.failure',
    item,
    agentType: 'Financial Analyst',
    errorType: 'QuotaError',
    errorMessage: 'API quota exceeded: 1000/1000',
    dataSource: 'Koyfin',
    atMs: AT_MS,
    ...facts,
  };
}

async function fail(desks: Desks, items: readonly string[], facts: object = {}): Promise<CorrelationResult[]> {
  const results: CorrelationResult[] = [];
  for (const item of items) results.push(await desks.ask<CorrelationResult>(DESKS.correlator, failureOf(item, facts)));
  return results;
}

function correlations(desks: Desks): Correlation[] {
  return correlationsIn(desks.context<CorrelatorContext>(DESKS.correlator));
}

function batches(desks: Desks) {
  return batchesIn(desks.context<BatchManagerContext>(DESKS.batches));
}

function cards(desks: Desks) {
  return alertsIn(desks.context<AlertDeskContext>(DESKS.alerts));
}

describe('the FailureCorrelator', () => {
  it('CA-058: finds similar failures within five minutes, says why, and has their items paused together', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    expect(correlations(desks)).toMatchObject([{ items: ['A', 'B', 'C'], rootCause: 'Koyfin API quota exceeded' }]);
    expect(desks.heard('pause.request').map(({ item, reason, trigger }) => [item, reason, trigger])).toEqual(
      ['A', 'B', 'C'].map((item) => [item, 'Koyfin API quota exceeded', 'AUTO_BATCH_CORRELATION']),
    );
  });

  it('CA-063: has by default a window of five minutes, to the millisecond', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B']);
    expect(await fail(desks, ['C'], { atMs: AT_MS + 5 * MINUTE_MS })).toMatchObject([{ isCorrelated: false }]);
    expect(await fail(desks, ['D'], { atMs: AT_MS + 5 * MINUTE_MS - 1 })).toMatchObject([
      { isCorrelated: true, correlatedItems: ['A', 'B', 'D', 'C'] },
    ]);
  });

  it('CA-064: triggers the batch on the third failure, not on the second', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B']);
    expect(batches(desks)).toEqual([]);
    await fail(desks, ['C']);
    expect(batches(desks)).toHaveLength(1);
  });

  it('CA-065: answers each failure with whether it is correlated, with which items, and why', async () => {
    const desks = await startDesks();
    const [first, , third] = await fail(desks, ['A', 'B', 'C']);
    expect(first).toEqual({
      ...TAKEN,
      isCorrelated: false,
      correlationId: null,
      correlatedItems: [],
      rootCause: null,
      batchTriggered: false,
    });
    expect(third).toEqual({
      ...TAKEN,
      isCorrelated: true,
      correlationId: 'correlation-1',
      correlatedItems: ['A', 'B', 'C'],
      rootCause: 'Koyfin API quota exceeded',
      batchTriggered: true,
    });
  });

  it('CA-066: triggers the batch with items, root cause and id, and again when more items join', async () => {
    const desks = await startDesks({ answers: false });
    await fail(desks, FIVE);
    const [{ signature }] = correlations(desks) as [Correlation];
    expect(batches(desks)).toMatchObject([
      { id: 'batch-1', correlationId: 'correlation-1', signature, reason: 'Koyfin API quota exceeded', total: 5 },
    ]);
  });

  it('CA-066: answers which failures of a signature lie within a window', async () => {
    const desks = await startDesks();
    for (const [n, item] of ['A', 'B'].entries()) await fail(desks, [item], { atMs: AT_MS + n * MINUTE_MS });
    const signature = signatureOf(failureOf('A'));
    const detect = (facts: object) =>
      desks.ask(DESKS.correlator, { type: 'correlation.detect', signature, atMs: AT_MS + MINUTE_MS, ...facts });
    expect(await detect({})).toEqual(['failure-1', 'failure-2']);
    expect(await detect({ windowMs: MINUTE_MS })).toEqual(['failure-2']);
  });

  it('CA-072: reports a correlation to the Lead Coordinator, and links its record to the batch', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    expect(desks.heard('correlation.detected')).toMatchObject([
      { correlationId: 'correlation-1', items: ['A', 'B', 'C'], batchTriggered: true },
    ]);
    expect(correlations(desks)).toMatchObject([
      { batchId: 'batch-1', batchTriggeredAtMs: expect.any(Number) as number },
    ]);
  });

  it('CA-073: records everything that is known of the failures', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    expect(correlations(desks)[0]).toMatchObject({
      id: 'correlation-1',
      signature: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      windowMs: 5 * MINUTE_MS,
      failureIds: ['failure-1', 'failure-2', 'failure-3'],
      failureCount: 3,
      confidence: 0.95,
      dataSources: ['Koyfin'],
      agentTypes: ['Financial Analyst'],
      errorTypes: ['QuotaError'],
      resolvedAtMs: null,
      resolutionAction: null,
    });
  });

  it('CA-073: expires an unresolved correlation after 14 days, across a power cut', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    await desks.test.advance(13 * DAY_MS);
    await desks.cutPower();
    expect(correlations(desks)[0]!.resolutionAction).toBe(null);
    await desks.test.advance(DAY_MS);
    expect(correlations(desks)[0]!.resolutionAction).toBe('expired');
  });

  it('CA-073: deletes a resolved correlation and its failures after 90 days, across a power cut', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    await desks.test.shard.send(DESKS.correlator, { type: 'correlation.resolve', correlationId: 'correlation-1' });
    await desks.test.advance(89 * DAY_MS);
    await desks.cutPower();
    expect(correlations(desks)).toMatchObject([{ resolutionAction: 'manually_resolved' }]);
    await desks.test.advance(DAY_MS);
    expect(correlations(desks)).toEqual([]);
    expect(
      Object.entries(desks.context<object>(DESKS.correlator)).filter(
        ([key, value]) => /^(failures|correlations)[:/]\d/.test(key) && value !== undefined,
      ),
    ).toEqual([]);
  });

  it('CA-073: resolves a correlation once its whole batch runs again', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-1' });
    expect(correlations(desks)).toMatchObject([{ resolutionAction: 'batch_resumed', batchId: 'batch-1' }]);
  });

  it('CA-073: leaves a correlation unresolved if more than half of its batch failed again', async () => {
    const desks = await startDesks({ answers: false });
    await fail(desks, ['A', 'B', 'C']);
    for (const item of ['A', 'B', 'C'])
      await desks.tell(DESKS.batches, {
        type: 'pause.complete',
        item,
        pausedAtMs: AT_MS,
        resumeDependencies: { restart: [], skip: [], wait: [] },
        trigger: 'AUTO_BATCH_CORRELATION',
      });
    await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-1' });
    for (const item of ['A', 'B']) await desks.tell(DESKS.batches, { type: 'item.failed', item, error: 'again' });
    expect(batches(desks)).toMatchObject([{ status: 'FAILED' }]);
    expect(correlations(desks)).toMatchObject([{ resolvedAtMs: null, resolutionAction: null }]);
  });

  it('CA-073: groups later failures into a new correlation with a new batch', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-1' });
    await fail(desks, ['A', 'B']);
    expect(batches(desks)).toHaveLength(1);
    await fail(desks, ['D']);
    expect(correlations(desks).map(({ items }) => items.toSorted())).toEqual([
      ['A', 'B', 'C'],
      ['A', 'B', 'D'],
    ]);
    expect(batches(desks)).toHaveLength(2);
  });

  it('CA-074: leaves fewer than three failures to their separate pauses, and lets a person group them', async () => {
    const desks = await startDesks();
    await fail(desks, ['A']);
    await fail(desks, ['B'], { agentType: 'Strategy Analyst', errorType: 'TimeoutError', errorMessage: 'timed out' });
    expect(desks.heard('pause.request')).toEqual([]);
    expect(
      await desks.ask<CorrelationResult>(DESKS.correlator, { type: 'correlation.group', items: ['A', 'Z'] }),
    ).toMatchObject({ isCorrelated: false });
    await desks.test.advance(DAY_MS);
    const result = await desks.ask<CorrelationResult>(DESKS.correlator, {
      type: 'correlation.group',
      items: ['A', 'B', 'Z'],
    });
    expect(result).toMatchObject({
      isCorrelated: true,
      correlatedItems: ['A', 'B'],
      rootCause: 'Shared failure - 2 items',
    });
    expect(desks.heard('pause.request').map(({ item }) => item)).toEqual(['A', 'B']);
    expect(correlations(desks)).toMatchObject([{ signature: null }]);
  });

  it('CA-074: deletes an ungrouped failure after 14 days, across a power cut, and cannot group it then', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B']);
    await desks.test.advance(13 * DAY_MS);
    await desks.cutPower();
    await desks.test.advance(DAY_MS);
    expect(
      await desks.ask<CorrelationResult>(DESKS.correlator, { type: 'correlation.group', items: ['A', 'B'] }),
    ).toMatchObject({ isCorrelated: false });
  });

  it('CA-063: joins two correlations when a late failure links them', async () => {
    const desks = await startDesks();
    await fail(desks, ['A', 'B', 'C']);
    await fail(desks, ['D', 'E', 'F'], { atMs: AT_MS + 8 * MINUTE_MS });
    expect(correlations(desks)).toHaveLength(2);
    await fail(desks, ['G'], { atMs: AT_MS + 4 * MINUTE_MS });
    expect(correlations(desks)).toMatchObject([
      { failureCount: 7, resolutionAction: null },
      { resolutionAction: 'joined' },
    ]);
  });

  it('CA-073: fills a correlation with 500 failures; the next failure begins a new one', LONG, async () => {
    const { name } = failureCorrelator;
    const test = await startMachines({
      agents: [failureCorrelator],
      tree: { children: [{ id: name, agent: name }] },
    });
    // Names as long as they may be: the record is larger than a row of a table.
    const itemOf = (n: number) => `item ${n} ${'x'.repeat(180)}`;
    for (let n = 0; n <= CORRELATION_FAILURES_MAX; n++)
      await test.shard.send(name, failureOf(itemOf(n), { atMs: AT_MS + n }));
    await test.settle();
    const context = test.shard.snapshot(name)!.context as CorrelatorContext;
    const [found] = correlationsIn(context);
    expect(found!.failureCount).toBe(CORRELATION_FAILURES_MAX);
    expect([...context.failures.values()]).toMatchObject([
      { signature: found!.signature, item: itemOf(CORRELATION_FAILURES_MAX) },
    ]);
  });

  it('keeps no more keys of its context after four rounds of long names than after one', LONG, async () => {
    const { name } = failureCorrelator;
    const test = await startMachines({
      agents: [failureCorrelator],
      tree: { children: [{ id: name, agent: name }] },
    });
    const context = () => test.shard.snapshot(name)!.context as CorrelatorContext;
    const keys: number[] = [];
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 200; n++) {
        const atMs = test.clock.wallMs() + n;
        await test.shard.send(name, failureOf(`item ${n} ${'x'.repeat(180)}`, { atMs }));
      }
      await test.settle();
      // As large as a row of a table may not be.
      expect(correlationsIn(context())).toMatchObject([{ failureCount: 200 }]);
      expect(context().correlations.size).toBe(0);
      await test.crash();
      await test.restart();
      expect(correlationsIn(context())).toMatchObject([{ failureCount: 200 }]);
      await test.advance(106 * DAY_MS);
      expect(correlationsIn(context())).toEqual([]);
      keys.push(Object.keys(context()).length);
    }
    expect(keys).toEqual(Array(4).fill(keys[0]));
  });

  it('works without the other desks, and then only keeps its records', async () => {
    const desks = await startDesks({ isAlone: true });
    await fail(desks, ['A', 'B', 'C']);
    expect(correlations(desks)).toHaveLength(1);
    expect(desks.test.shard.deadLetters.list()).toEqual([]);
  });

  it('CA-063: finds the same groups in any order of arrival', async () => {
    const list = [0, 1, 2, 6, 10, 11].map((minute, n) => ({ item: `item ${n}`, atMs: AT_MS + minute * MINUTE_MS }));
    const orders = fc.shuffledSubarray(list, { minLength: list.length });
    const groups = async (order: typeof list): Promise<string[]> => {
      const desks = await startDesks();
      for (const { item, atMs } of order) await fail(desks, [item], { atMs });
      return correlations(desks)
        .filter(({ resolutionAction }) => resolutionAction === null)
        .map(({ items }) => items.join());
    };
    const expected = await groups(list);
    await fc.assert(
      fc.asyncProperty(orders, async (order) => void expect(await groups(order)).toEqual(expected)),
      { numRuns: byEffort({ quick: 5, ci: 15 }) },
    );
  });
});

describe("the seed's examples", () => {
  it(
    'CA-E10: five quota errors of Koyfin at 14:47 become one batch of five within 30 s, and five cards, ' +
      'each with "Resume All"',
    async () => {
      const desks = await startDesks();
      const startMs = desks.test.clock.wallMs();
      await fail(desks, FIVE);
      expect(desks.test.clock.wallMs() - startMs).toBeLessThan(30_000);
      expect(correlations(desks)).toMatchObject([{ failureCount: 5, rootCause: 'Koyfin API quota exceeded' }]);
      expect(batches(desks)).toMatchObject([{ total: 5, paused: 5, reason: 'Koyfin API quota exceeded' }]);
      expect(cards(desks).map(({ item }) => item)).toEqual(FIVE.toReversed());
      for (const { id } of cards(desks)) {
        const { actions } = desks.context<{ actions: { label: string }[] }>(`${DESKS.alertCards}/${id}`);
        expect(actions.map(({ label }) => label)).toEqual(['View Details', 'Resume', 'Cancel', 'Resume All']);
      }
      await desks.ask(DESKS.alerts, { type: 'alert.choose', id: 'alert-1', action: 'resume-all', by: 'ann' });
      expect(
        desks
          .heard('resume.command')
          .map(({ item }) => item)
          .toSorted(),
      ).toEqual(FIVE.toSorted());
    },
  );

  it(
    'CA-E11: AAPL, MSFT, GOOGL at 14:47:12, :18, :23 become a batch on the third; AMZN at :25 joins ' +
      'correlation and batch; four cards',
    async () => {
      const desks = await startDesks();
      const at = (second: number) => ({ atMs: AT_MS + second * 1_000 });
      await fail(desks, ['AAPL'], at(12));
      await fail(desks, ['MSFT'], at(18));
      expect(batches(desks)).toEqual([]);
      await fail(desks, ['GOOGL'], at(23));
      expect(batches(desks)).toMatchObject([{ total: 3 }]);
      await fail(desks, ['AMZN'], at(25));
      expect(correlations(desks)).toMatchObject([{ items: ['AAPL', 'MSFT', 'GOOGL', 'AMZN'] }]);
      expect(batches(desks)).toMatchObject([{ total: 4, paused: 4 }]);
      expect(cards(desks)).toHaveLength(4);
    },
  );
});
