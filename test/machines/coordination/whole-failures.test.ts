/** Correlated failures in the whole crew: their root cause, and the order in which their items go on. */
import { describe, expect, it } from 'vitest';
import { type CorrelationResult } from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ITEMS = ['A', 'B', 'C', 'D', 'E'];

/** A crew whose work never ends by itself. */
async function working(items = ITEMS): Promise<WholeCrew> {
  const work: AgentFunction = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  return startWholeCrew(planOf({ stages: { work: { agent: 'work' } }, items }), { work });
}

interface Failure {
  readonly agentType?: string;
  readonly errorType?: string;
  readonly errorMessage: string;
  readonly dataSource?: string | null;
}

/** Reports the failures, each for the next item and a second later; returns the last result. */
async function fail(crew: WholeCrew, failures: readonly Failure[]): Promise<CorrelationResult> {
  let result: CorrelationResult | undefined;
  for (const [n, failure] of failures.entries()) {
    const facts = { agentType: 'financial', errorType: 'error', dataSource: 'Koyfin', ...failure };
    const atMs = crew.test.clock.wallMs();
    result = await crew.ask<CorrelationResult>('correlator', { type: 'agent.failure', item: ITEMS[n], atMs, ...facts });
    await crew.test.advance(1_000);
  }
  return result!;
}

const times = (count: number, failure: Failure) => Array.from({ length: count }, () => failure);

describe('the root cause of correlated failures', () => {
  it.each([
    [
      'CA-067',
      'is the quota of the source',
      times(3, { errorMessage: 'API quota exceeded' }),
      'Koyfin API quota exceeded',
    ],
    [
      'CA-068',
      'is the network for five timeouts of one source',
      times(5, { errorMessage: 'request timed out', dataSource: 'Bloomberg' }),
      'Bloomberg network connectivity',
    ],
    [
      'CA-069',
      'is missing data',
      times(4, { errorMessage: 'HTTP 404', dataSource: 'SEC EDGAR' }),
      'SEC EDGAR data unavailable',
    ],
    [
      'CA-070',
      'is the agent type for repeated failures without a source',
      times(3, { errorType: 'OOM', errorMessage: 'heap out of memory', dataSource: null }),
      'financial failure - OOM',
    ],
  ] as const)('%s: %s', async (_, __, failures, rootCause) => {
    const crew = await working();
    expect(await fail(crew, failures)).toMatchObject({ isCorrelated: true, rootCause, batchTriggered: true });
    expect(crew.batches()).toMatchObject([{ reason: rootCause, total: failures.length }]);
  });

  it('CA-071: is only a shared failure if nothing more is known', async () => {
    const crew = await working();
    const group = { type: 'correlation.group', items: ['A', 'B', 'C'] };
    await fail(crew, [
      { errorMessage: 'no cash flow', dataSource: 'a', errorType: 'x' },
      { errorMessage: 'odd sign', dataSource: 'b', agentType: 'strategy', errorType: 'y' },
      { errorMessage: 'two heads', dataSource: 'c', agentType: 'business', errorType: 'z' },
    ]);
    expect(crew.correlations()).toEqual([]);
    expect(await crew.ask('correlator', group)).toMatchObject({
      taken: true,
      rootCause: expect.stringMatching(/^Shared failure - 3 /),
    });
  });

  it('CA-059, CA-061: ignores times, ids and counts in messages, and differs by agent type', async () => {
    const crew = await working();
    const [first, second, third] = [
      '2026-01-05T14:47:12Z API quota exceeded: 1000/1000',
      'API quota exceeded: 1000/1000 (request id: 7)',
      '3f2504e0-4f89-11d3-9a0c-0305e82c3301 API quota exceeded',
    ].map((errorMessage) => ({ errorMessage }));
    const other = { ...third!, agentType: 'strategy' };
    expect(await fail(crew, [first!, second!, other])).toMatchObject({ isCorrelated: false });
    expect(await fail(crew, [first!, second!, third!])).toMatchObject({ correlatedItems: ['A', 'B', 'C'] });
    expect(crew.correlations()[0]!.signature).toMatch(/^[0-9a-f]{16}$/);
  });

  it('CA-063, CA-064, CA-065, CA-066, CA-072: needs three failures in five minutes, and has its batch', async () => {
    const crew = await working();
    const [one] = times(1, { errorMessage: 'API quota exceeded' });
    expect(await fail(crew, [one!, one!])).toMatchObject({ isCorrelated: false, batchTriggered: false });
    await crew.test.advance(5 * MINUTE_MS);
    expect(await fail(crew, [one!])).toMatchObject({ isCorrelated: false });
    expect(await fail(crew, [one!, one!, one!])).toMatchObject({
      isCorrelated: true,
      correlationId: 'correlation-1',
      correlatedItems: ['A', 'B', 'C'],
      batchTriggered: true,
    });
    expect(crew.correlations()).toMatchObject([{ batchId: 'batch-1', failureCount: 4 }]);
    expect(crew.told('failure.correlated')).toHaveLength(1);
  });
});

describe('items that are resumed together', () => {
  it('CA-049, CA-050, CA-051, CA-052, CA-053, CN-006: go on by urgency, as many at once as is ordered', async () => {
    const crew = await working(ITEMS);
    const pause = async (item: string, trigger: string) => {
      await crew.ask('coordinator', { type: 'pause.request', item, reason: trigger, checkpointId: null, trigger });
      await crew.test.advance(25 * HOUR_MS);
    };
    await pause('A', 'MANUAL');
    await pause('B', 'AUTO_TIER2');
    await pause('C', 'AUTO_TIER2');
    await pause('D', 'GATE_TIMEOUT');
    expect(crew.phases()).toEqual(['paused', 'paused', 'paused', 'paused', 'running']);
    const order = { type: 'batch.resume', items: ['A', 'B', 'C', 'D'], concurrencyLimit: 1 };
    expect(await crew.ask('batches', order)).toMatchObject({ taken: true, batchId: 'batch-1' });
    await crew.test.advance(MINUTE_MS);
    expect(crew.told('item.resumed').map(({ item }) => item)).toEqual(['D', 'B', 'C', 'A']);
    expect(await crew.ask('batches', { type: 'batch.status', batchId: 'batch-1' })).toMatchObject({
      total: 4,
      paused: 0,
      resumed: 4,
      failed: 0,
    });
  });
});
