/** The pure rules of the FailureCorrelator: signatures, root causes, and groups of correlated failures. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  correlatedWith,
  describe as findingsOf,
  detectCorrelation,
  WINDOW_MS,
} from '../../../src/machines/work/correlation.ts';
import { type FailureRecord, normalise, patternOf, signatureOf } from '../../../src/machines/work/failure-signature.ts';
import { inferRootCause } from '../../../src/machines/work/root-cause.ts';

const KOYFIN = {
  agentType: 'Financial Analyst',
  errorType: 'QuotaError',
  dataSource: 'Koyfin',
  errorMessage: 'API quota exceeded: 1000/1000',
};

function failures(
  count: number,
  facts: { agentType?: string; errorType?: string; dataSource?: string | null; errorMessage?: string } = {},
  from = 0,
): FailureRecord[] {
  const whole = { ...KOYFIN, ...facts };
  return Array.from({ length: count }, (_, n) => ({
    ...whole,
    id: `f${from + n}`,
    item: `item ${from + n}`,
    signature: signatureOf(whole),
    pattern: patternOf(whole),
    atMs: (from + n) * 1_000,
  }));
}

describe('a signature', () => {
  it('CA-059: depends on agent type, error type, data source and normalised message, and on nothing else', () => {
    const signature = signatureOf(KOYFIN);
    expect(signatureOf({ ...KOYFIN, errorMessage: 'quota exceeded at 14:47:12' })).toBe(signature);
    for (const other of [
      { agentType: 'Strategy Analyst' },
      { errorType: 'TimeoutError' },
      { dataSource: 'Bloomberg' },
      { dataSource: null },
      { errorMessage: 'no such page' },
    ]) {
      expect(signatureOf({ ...KOYFIN, ...other })).not.toBe(signature);
    }
  });

  it('CA-060: is the first 16 hexadecimal digits of SHA-256 over the four parts, joined by colons', () => {
    const whole = createHash('sha256').update('Financial Analyst:QuotaError:Koyfin:api_quota_exceeded').digest('hex');
    expect(signatureOf(KOYFIN)).toBe(whole.slice(0, 16));
  });

  it('CA-060: does not confuse a colon within a part with a separator', () => {
    expect(signatureOf({ ...KOYFIN, agentType: 'a:b', errorType: 'c' })).not.toBe(
      signatureOf({ ...KOYFIN, agentType: 'a', errorType: 'b:c' }),
    );
  });

  it('CA-061: ignores times, UUIDs and request ids', () => {
    const plain = 'cannot read the balance sheet';
    for (const noise of [
      '2026-01-05T14:47:12.123Z',
      '2026-01-05 14:47',
      '14:47:12',
      '1767624432',
      '1767624432123',
      '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
      'request_id=ab12cd',
      'X-Request-ID: 99-z',
      'req_8f3a2b',
    ]) {
      expect(normalise(`${noise} ${plain}`)).toBe(plain);
      expect(normalise(`${plain} ${noise}`)).toBe(plain);
    }
  });

  it('CA-061: reads a used-up quota as LIMIT_EXCEEDED, and so as api_quota_exceeded, but no other fraction', () => {
    expect(normalise('calls 1000/1000')).toBe('api_quota_exceeded');
    expect(normalise('calls 1,200 / 1,000')).toBe('api_quota_exceeded');
    expect(normalise('page 3/10 is blank')).toBe('page 3/10 is blank');
  });

  it.each([
    ['API quota exceeded', 'api_quota_exceeded'],
    ['Rate limit reached', 'api_quota_exceeded'],
    ['429 Too Many Requests', 'api_quota_exceeded'],
    ['request timed out', 'network'],
    ['Timeout of 30 s', 'network'],
    ['connection refused', 'network'],
    ['connect ECONNRESET', 'network'],
    ['connection closed by peer', 'network'],
    ['HTTP 404', 'data_not_found'],
    ['filing not found', 'data_not_found'],
    ['missing required column', 'data_missing_field'],
    ['field eps not present', 'data_missing_field'],
  ])('CA-062: reads "%s" as %s', (message, pattern) => {
    expect(normalise(message)).toBe(pattern);
  });

  it('CA-062: keeps the first 50 characters of a message without a known meaning', () => {
    expect(normalise('x'.repeat(80))).toBe('x'.repeat(50));
  });

  it('CA-061: stays the same if the message is normalised twice or begins with a time or id', () => {
    const noises = fc.oneof(
      fc.uuid(),
      fc
        .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2090-01-01') })
        .map((date) => date.toISOString()),
    );
    fc.assert(
      fc.property(fc.lorem({ maxCount: 12 }), noises, (message, noise) => {
        const once = normalise(message);
        expect(normalise(`${noise} ${message}`)).toBe(once);
        expect(normalise(once)).toBe(once);
      }),
    );
  });
});

describe('a root cause', () => {
  it('CA-067: is the quota of the source for three items with quota errors from one source', () => {
    expect(inferRootCause(failures(3))).toMatchObject({ rule: 1, text: 'Koyfin API quota exceeded' });
    expect(inferRootCause([...failures(2), ...failures(1, { dataSource: 'FactSet' }, 2)]).rule).not.toBe(1);
    expect(inferRootCause(failures(2)).rule).toBe(5);
  });

  it('CA-068: is the network for five items with timeouts or lost connections at one source, not for four', () => {
    const timeout = { dataSource: 'Bloomberg', errorType: 'TimeoutError', errorMessage: 'timed out' };
    expect(inferRootCause(failures(5, timeout))).toMatchObject({ rule: 2, text: 'Bloomberg network connectivity' });
    expect(inferRootCause(failures(4, timeout))).toMatchObject({
      rule: 4,
      text: 'Financial Analyst failure - TimeoutError',
    });
  });

  it('CA-069: is missing data for three items with 404 or "not found"', () => {
    expect(
      inferRootCause(failures(3, { dataSource: 'SEC EDGAR', errorType: 'HttpError', errorMessage: '404' })),
    ).toMatchObject({ rule: 3, text: 'SEC EDGAR data unavailable' });
    expect(inferRootCause(failures(2, { dataSource: 'SEC EDGAR', errorMessage: '404' })).rule).toBe(5);
  });

  it('CA-070: is the agent for three items with one agent type and one error', () => {
    expect(
      inferRootCause(failures(3, { dataSource: null, errorType: 'OutOfMemory', errorMessage: 'heap' })),
    ).toMatchObject({ rule: 4, text: 'Financial Analyst failure - OutOfMemory' });
    expect(inferRootCause(failures(2, { dataSource: null, errorType: 'OutOfMemory', errorMessage: 'heap' }))).toEqual({
      rule: 5,
      text: 'Shared failure - 2 items',
      confidence: expect.any(Number) as number,
    });
  });

  it('CA-071: is otherwise a shared failure, with the number of items', () => {
    const mixed = [
      ...failures(1, { errorType: 'A', errorMessage: 'a' }),
      ...failures(2, { agentType: 'Strategy Analyst', errorType: 'B', errorMessage: 'b' }, 1),
    ];
    expect(inferRootCause(mixed)).toMatchObject({ rule: 5, text: 'Shared failure - 3 items' });
  });

  it('CA-E12: follows the five rows of the table', () => {
    const rows: [number, FailureRecord[]][] = [
      [1, failures(5)],
      [2, failures(8, { dataSource: 'Bloomberg', errorType: 'Timeout', errorMessage: 'timeout' })],
      [3, failures(4, { dataSource: 'SEC EDGAR', errorType: 'Http', errorMessage: '404 not found' })],
      [4, failures(3, { dataSource: null, errorType: 'OOM', errorMessage: 'out of memory' })],
      [
        5,
        [
          ...failures(1),
          ...failures(1, { dataSource: 'X', errorType: 'E' }, 1),
          ...failures(1, { agentType: 'B', errorMessage: '404' }, 2),
        ],
      ],
    ];
    expect(rows.map(([, group]) => inferRootCause(group).rule)).toEqual(rows.map(([rule]) => rule));
  });

  it('CA-073: has a confidence between 0 and 1, which is highest if the source itself names the cause', () => {
    const quota = inferRootCause(failures(3)).confidence;
    const shared = inferRootCause(failures(2)).confidence;
    expect(quota).toBeGreaterThan(shared);
    expect(shared).toBeGreaterThan(0);
    expect(quota).toBeLessThanOrEqual(1);
  });
});

describe('correlated failures', () => {
  const at = (atMs: number, item: string): FailureRecord => ({ ...failures(1)[0]!, id: `${item}@${atMs}`, item, atMs });

  it('CA-063: lie within five minutes; the window includes its end but not its beginning', () => {
    const three = (lastMs: number) => [at(0, 'A'), at(1_000, 'B'), at(lastMs, 'C')];
    expect(correlatedWith(three(WINDOW_MS - 1), 'A@0', WINDOW_MS)).toHaveLength(3);
    expect(correlatedWith(three(WINDOW_MS), 'A@0', WINDOW_MS)).toHaveLength(0);
    expect(correlatedWith(three(90_000), 'A@0', 60_000)).toHaveLength(0);
  });

  it('CA-064: come from at least three items; three failures of one item are not correlated', () => {
    expect(correlatedWith([at(0, 'A'), at(1, 'A'), at(2, 'A')], 'A@0', WINDOW_MS)).toEqual([]);
    expect(correlatedWith([at(0, 'A'), at(1, 'B'), at(2, 'A')], 'A@0', WINDOW_MS)).toEqual([]);
  });

  it('CA-066: are found by signature and time, and returned as ids', () => {
    const [first, ...rest] = [at(0, 'A'), at(1_000, 'B'), at(WINDOW_MS, 'C')];
    const all = [first, ...rest, { ...at(2_000, 'D'), signature: 'another' }];
    expect(detectCorrelation(all, { signature: first.signature, atMs: WINDOW_MS, windowMs: WINDOW_MS })).toEqual([
      `B@1000`,
      `C@${WINDOW_MS}`,
    ]);
    expect(detectCorrelation(all, { signature: first.signature, atMs: 1_500, windowMs: WINDOW_MS })).toEqual([
      'A@0',
      'B@1000',
    ]);
  });

  it('CA-063: form the same groups in any order of arrival', () => {
    const times = fc.array(
      fc.record({ item: fc.constantFrom('A', 'B', 'C', 'D', 'E'), atMs: fc.integer({ min: 0, max: 4 * WINDOW_MS }) }),
      { maxLength: 20 },
    );
    const shuffled = times.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([inOrder, inDisorder]) => {
        const groups = (list: typeof inOrder) => {
          const all = list.map(({ atMs, item }) => ({ ...at(atMs, item), id: `${item}@${atMs}` }));
          return all.map(({ id }) => `${id}: ${findingsOfOrNone(correlatedWith(all, id, WINDOW_MS))}`).sort();
        };
        expect(groups(inDisorder)).toEqual(groups(inOrder));
      }),
    );
  });
});

function findingsOfOrNone(group: readonly FailureRecord[]): string {
  return group.length === 0 ? 'alone' : findingsOf(group).items.join();
}
