/** Failures of agents that the whole crew recognises as one: signatures, root causes, records, and their retention. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Fault {
  readonly agent?: string;
  readonly errorType: string;
  readonly message: string;
  readonly source: string | null;
}

interface Failing {
  readonly crew: WholeCrew;
  /** Lets the work on an item end: it fails unless its fault is mended. */
  fail(item: string): Promise<void>;
  mend(items: readonly string[]): void;
}

/** A crew whose items each wait for the test, and then fail. Each item is one task. */
async function failing(faults: Readonly<Record<string, Fault>>): Promise<Failing> {
  const left = new Map(Object.entries(faults));
  const ends = new Map<string, () => void>();
  const known = new Set<string>();
  const work: AgentFunction = async (_, { item, signal }) => {
    if (!known.has(item))
      await new Promise<void>((resolve, reject) => {
        ends.set(item, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const fault = left.get(item);
    if (fault === undefined) return 'figures';
    const { message, errorType, source } = fault;
    throw Object.assign(new Error(message), { errorType, ...(source !== null && { dataSource: source }) });
  };
  const tasks = Object.entries(faults).map(([id, { agent = 'financial' }]) => ({ id, agent, retry: { attempts: 1 } }));
  const agents = Object.fromEntries(tasks.map(({ agent }) => [agent, work]));
  const crew = await startWholeCrew(planOf({ tasks }), agents);
  const fail = async (item: string) => {
    known.add(item);
    ends.get(item)!();
    await crew.test.settle();
  };
  return { crew, fail, mend: (items) => items.forEach((item) => left.delete(item)) };
}

/** The faults by item, with the items named by the group and a number: `K1`. */
function group(name: string, faults: readonly Fault[]): Readonly<Record<string, Fault>> {
  return Object.fromEntries(faults.map((fault, n) => [`${name}${n + 1}`, fault]));
}

function times(count: number, fault: Fault): readonly Fault[] {
  return Array.from({ length: count }, () => fault);
}

const QUOTA: Fault = { errorType: 'quota', message: 'API quota exceeded: 1000/1000', source: 'Koyfin' };

function signature(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join(':')).digest('hex').slice(0, 16);
}

describe('the signature of a failure', () => {
  it(
    'CA-060, CA-062: is 16 hex digits of SHA-256 over agent type, error type, source and meaning, joined by colons; ' +
      'messages of one meaning have one signature',
    async () => {
      const said = (source: string, messages: readonly string[]) =>
        group(
          source,
          messages.map((message) => ({ errorType: 'http', message, source })),
        );
      const start = 'the figures of the third quarter do not add up, see'.slice(0, 50);
      const { crew, fail } = await failing({
        ...said('quota', ['quota exceeded', 'rate limit reached', 'Too many requests']),
        ...said('net', ['request timeout', 'connection refused', 'connection reset', 'connection closed by peer']),
        ...said('gone', ['HTTP 404', 'filing not found', 'status 404 (no such filing)']),
        ...said('field', ['missing required column', 'field eps not present', 'missing required key']),
        ...said('other', [`${start} page 1`, `${start} page 22`, start]),
      });
      for (const { item } of [...crew.coordinator().plan.tasks].map(({ id }) => ({ item: id }))) await fail(item);
      expect(crew.correlations().map((found) => [found.failureCount, found.signature])).toEqual([
        [3, signature('financial', 'http', 'quota', 'api_quota_exceeded')],
        [4, signature('financial', 'http', 'net', 'network')],
        [3, signature('financial', 'http', 'gone', 'data_not_found')],
        [3, signature('financial', 'http', 'field', 'data_missing_field')],
        [3, signature('financial', 'http', 'other', start)],
      ]);
      for (const found of crew.correlations()) expect(found.signature).toMatch(/^[0-9a-f]{16}$/);
    },
  );
});

describe('the root cause of failed items', () => {
  it('CA-E12: follows the five rules in the rows of their table', async () => {
    const mixed = [
      { errorType: 'schema', message: 'missing required eps', source: 'Yahoo' },
      { agent: 'strategy', errorType: 'timeout', message: 'timeout', source: 'Reuters' },
      { agent: 'business', errorType: 'parse', message: 'odd sign', source: null },
    ];
    const { crew, fail } = await failing({
      ...group('K', times(5, QUOTA)),
      ...group('B', times(8, { errorType: 'timeout', message: 'timeout', source: 'Bloomberg' })),
      ...group('S', times(4, { errorType: 'http', message: '404', source: 'SEC EDGAR' })),
      ...group('F', times(3, { errorType: 'OOM', message: 'heap out of memory', source: null })),
      ...group('M', mixed),
    });
    for (const { id } of crew.coordinator().plan.tasks) await fail(id);
    expect(crew.correlations()).toHaveLength(4);
    await crew.ask('correlator', { type: 'correlation.group', items: ['M1', 'M2', 'M3'] });
    const found = crew.correlations().map((one) => [one.failureCount, one.rootCause, one.confidence]);
    expect(found).toEqual([
      [5, 'Koyfin API quota exceeded', 0.95],
      [8, 'Bloomberg network connectivity', 0.85],
      [4, 'SEC EDGAR data unavailable', 0.9],
      [3, 'financial failure - OOM', 0.7],
      [3, 'Shared failure - 3 items', 0.3],
    ]);
    expect(crew.batches().map(({ reason, paused }) => [paused, reason])).toEqual(
      found.map(([count, rootCause]) => [count, rootCause]),
    );
  });

  it(
    'CA-E11: failures at 14:47:12, :18 and :23 trigger a batch on the third; the one at :25 joins correlation and ' +
      'batch; there are four cards',
    async () => {
      const items = ['AAPL', 'MSFT', 'GOOGL', 'AMZN'] as const;
      const { crew, fail } = await failing(Object.fromEntries(items.map((item) => [item, QUOTA])));
      const at = async (time: string) =>
        crew.test.advance(Date.parse(`2026-01-01T${time}Z`) - crew.test.clock.wallMs());
      await at('14:47:12');
      await fail('AAPL');
      await at('14:47:18');
      await fail('MSFT');
      expect([crew.correlations(), crew.batches()]).toEqual([[], []]);
      await at('14:47:23');
      await fail('GOOGL');
      const batchTriggeredAtMs = Date.parse('2026-01-01T14:47:23Z');
      expect(crew.correlations()).toMatchObject([{ items: items.slice(0, 3), batchId: 'batch-1', batchTriggeredAtMs }]);
      expect(crew.batches()).toMatchObject([{ id: 'batch-1', total: 3, paused: 3 }]);
      await crew.powerCut();
      await at('14:47:25');
      await fail('AMZN');
      expect(crew.correlations()).toMatchObject([{ items, batchId: 'batch-1', batchTriggeredAtMs }]);
      expect(crew.batches()).toMatchObject([{ id: 'batch-1', total: 4, paused: 4 }]);
      expect(crew.openCards().map(({ item }) => item)).toEqual(items);
      for (const { id } of crew.openCards())
        expect(crew.cardOf(id).actions.map(({ label }) => label)).toContain('Resume All');
    },
  );
});

describe('the record of correlated failures', () => {
  it(
    'CA-073: has every field; it is resolved by its batch, by a person, or expires after 14 days, and is kept for 90 ' +
      'days from then on',
    async () => {
      const faults = {
        ...group('K', times(3, QUOTA)),
        ...group('L', times(3, { ...QUOTA, source: 'Reuters' })),
        ...group('M', times(3, { ...QUOTA, source: 'Yahoo' })),
      };
      const { crew, fail, mend } = await failing(faults);
      const startMs = crew.test.clock.wallMs();
      for (const item of Object.keys(faults)) {
        await fail(item);
        await crew.test.advance(SECOND_MS);
      }
      const found = {
        id: 'correlation-1',
        signature: signature('financial', 'quota', 'Koyfin', 'api_quota_exceeded'),
        detectedAtMs: startMs + 2 * SECOND_MS,
        windowMs: 5 * MINUTE_MS,
        failureIds: ['failure-1', 'failure-2', 'failure-3'],
        items: ['K1', 'K2', 'K3'],
        failureCount: 3,
        rootCause: 'Koyfin API quota exceeded',
        confidence: 0.95,
        dataSources: ['Koyfin'],
        agentTypes: ['financial'],
        errorTypes: ['quota'],
        decision: {
          gate: 'items that failed alike within a window',
          passes: 'atLeast',
          threshold: 3,
          value: 3,
          isPassed: true,
          outcome: 'correlated',
        },
        batchId: 'batch-1',
        batchTriggeredAtMs: startMs + 2 * SECOND_MS,
        resolvedAtMs: null,
        resolutionAction: null,
      };
      expect(crew.correlations()[0]).toEqual(found);
      const actions = () => crew.correlations().map(({ id, resolutionAction }) => [id, resolutionAction]);

      await crew.test.advance(DAY_MS);
      mend(['K1', 'K2', 'K3']);
      await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
      expect(crew.correlations()[0]).toEqual({
        ...found,
        resolvedAtMs: crew.test.clock.wallMs(),
        resolutionAction: 'batch_resumed',
      });
      await crew.ask('correlator', { type: 'correlation.resolve', correlationId: 'correlation-2' });
      await crew.powerCut();
      await crew.test.advance(13 * DAY_MS - 10 * SECOND_MS);
      expect(actions()).toEqual([
        ['correlation-1', 'batch_resumed'],
        ['correlation-2', 'manually_resolved'],
        ['correlation-3', null],
      ]);
      await crew.test.advance(10 * SECOND_MS);
      const expired = ['correlation-3', 'expired'];
      expect(actions()[2]).toEqual(expired);
      await crew.powerCut();
      await crew.test.advance(77 * DAY_MS - MINUTE_MS);
      expect(actions()).toHaveLength(3);
      await crew.test.advance(MINUTE_MS);
      expect(actions()).toEqual([expired]);
      await crew.test.advance(13 * DAY_MS);
      expect(actions()).toEqual([]);
    },
  );

  it('CA-074: is not made for fewer than three items, whose pauses stay apart until a person groups them', async () => {
    const { crew, fail } = await failing(group('K', times(2, QUOTA)));
    await fail('K1');
    await fail('K2');
    await crew.test.advance(MINUTE_MS);
    expect([crew.correlations(), crew.batches()]).toEqual([[], []]);
    expect(['K1', 'K2'].map((item) => crew.pauseOf(item).record)).toMatchObject([
      { status: 'PAUSED', trigger: 'AUTO_TIER2', batchId: null },
      { status: 'PAUSED', trigger: 'AUTO_TIER2', batchId: null },
    ]);
    await crew.powerCut();
    expect(await crew.ask('correlator', { type: 'correlation.group', items: ['K1', 'K2'] })).toMatchObject({
      isCorrelated: true,
      correlatedItems: ['K1', 'K2'],
      batchTriggered: true,
    });
    expect(crew.batches()).toMatchObject([{ id: 'batch-1', total: 2, paused: 2, reason: 'Shared failure - 2 items' }]);
    expect(crew.pauseOf('K1').record).toMatchObject({ trigger: 'AUTO_TIER2', batchId: 'batch-1' });
  });
});
