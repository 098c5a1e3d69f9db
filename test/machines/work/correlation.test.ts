/** The correlation of failures as a pure rule: windows, chains, and the record of a correlation. */
import { describe, expect, it } from 'vitest';
import { correlatedWith, describe as findingsOf, detectCorrelation } from '../../../src/machines/work/correlation.ts';
import { type FailureRecord as Failure } from '../../../src/machines/work/failure-signature.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 5 * MINUTE_MS;

/** Failures of one signature, each of an item at a minute; named by both. */
function failures(...times: readonly (readonly [item: string, minute: number])[]): Failure[] {
  return times.map(([item, minute]) => failureOf(item, minute));
}

function failureOf(item: string, minute: number, facts: Partial<Failure> = {}): Failure {
  return {
    id: `${item} ${minute}`,
    item,
    agentType: 'financial',
    errorType: 'QuotaError',
    dataSource: 'Koyfin',
    signature: 's',
    pattern: 'api_quota_exceeded',
    atMs: minute * MINUTE_MS,
    ...facts,
  };
}

function correlated(all: readonly Failure[], id: string): string[] {
  return correlatedWith(all, id, WINDOW_MS).map((failure) => failure.id);
}

describe('a window', () => {
  it('CA-063: includes its end, the given failure, and excludes its beginning', () => {
    const all = failures(['A', 0], ['B', 1], ['C', 5], ['D', 6]);
    const within = detectCorrelation(all, { signature: 's', atMs: WINDOW_MS, windowMs: WINDOW_MS });
    expect(within).toEqual(['B 1', 'C 5']);
  });

  it('CA-066: holds only failures of one signature', () => {
    const all = [failureOf('A', 1, { signature: 'other' }), ...failures(['B', 1])];
    expect(detectCorrelation(all, { signature: 's', atMs: WINDOW_MS, windowMs: WINDOW_MS })).toEqual(['B 1']);
  });
});

describe('a correlation', () => {
  it('CA-064: begins with the third item; several failures of one item count once', () => {
    expect(correlated(failures(['A', 0], ['B', 0], ['B', 1]), 'A 0')).toEqual([]);
    expect(correlated(failures(['A', 0], ['B', 0], ['C', 1]), 'A 0')).toEqual(['A 0', 'B 0', 'C 1']);
  });

  it('CA-063: needs three items within one window, however long the chain', () => {
    expect(correlated(failures(['A', 0], ['B', 4], ['C', 8], ['D', 12]), 'A 0')).toEqual([]);
    expect(correlated(failures(['A', 0], ['B', 4], ['C', 8], ['D', 8]), 'A 0')).toEqual(['A 0', 'B 4', 'C 8', 'D 8']);
  });

  it('CA-063: ends before a failure that comes a whole window after the last one', () => {
    const all = failures(['A', 0], ['B', 0], ['C', 0], ['D', 5], ['E', 9.9]);
    expect(correlated(all, 'A 0')).toEqual(['A 0', 'B 0', 'C 0']);
    expect(correlated(all, 'E 9.9')).toEqual([]);
  });

  it('CA-063: does not exist for an unknown failure', () => {
    expect(correlated(failures(['A', 0], ['B', 0], ['C', 0]), 'Z 0')).toEqual([]);
    expect(correlated([], 'Z 0')).toEqual([]);
  });
});

describe('a record of a correlation', () => {
  it('CA-073: is ordered by time, then by item, whatever the order of arrival', () => {
    const again = failureOf('A', 1, { id: 'A again' });
    const all = [...failures(['D', 1], ['C', 1], ['B', 0], ['A', 1]), again];
    expect(findingsOf(all)).toMatchObject({
      failureIds: ['B 0', 'A 1', 'A again', 'C 1', 'D 1'],
      items: ['B', 'A', 'C', 'D'],
      failureCount: 5,
    });
  });

  it('CA-073: names each source, agent type and error type once, sorted, and leaves out a missing source', () => {
    const all = [
      failureOf('A', 0, { dataSource: 'Yahoo', agentType: 'strategy', errorType: 'TimeoutError' }),
      failureOf('B', 1),
      failureOf('C', 2, { dataSource: null }),
    ];
    expect(findingsOf(all)).toMatchObject({
      dataSources: ['Koyfin', 'Yahoo'],
      agentTypes: ['financial', 'strategy'],
      errorTypes: ['QuotaError', 'TimeoutError'],
    });
    expect(findingsOf([failureOf('A', 0, { dataSource: null })]).dataSources).toEqual([]);
  });
});
