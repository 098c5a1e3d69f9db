/** The rules of the list of runs: which actors are runs, how they stand, filters, and joining pages. */
import { describe, expect, it } from 'vitest';
import { endedRuns, openRuns, type RunPages, sinceMs, STATES, withFirst } from '../../src/inspector/runs/runs.ts';
import { type RunView } from '../../src/gateway/protocol/run-view.ts';
import { type ListedRow } from '../../src/gateway/protocol/views.ts';

const actor = (address: string, changes: Partial<ListedRow> = {}): ListedRow => ({
  address,
  agent: 'order',
  status: 'active',
  state: 'open',
  mailbox: 0,
  restarts: 0,
  startedAtMs: 1_000,
  ...changes,
});

const run = (cursor: string, changes: Partial<RunView> = {}): RunView => ({
  address: `orders/${cursor}`,
  agent: 'order',
  version: 1,
  life: 4,
  status: 'done',
  output: { paid: 20 },
  error: null,
  startedAtMs: 1_000,
  endedAtMs: 5_000,
  attempts: 2,
  sequence: 3,
  records: [],
  cursor,
  ...changes,
});

const page = (cursors: string, next: string | null): RunPages => ({ runs: [...cursors].map((one) => run(one)), next });
const shown = ({ runs, next }: RunPages) => [runs.map(({ cursor }) => cursor).join(''), next];

describe('runs at work', () => {
  it('are neither Bosses nor children of machines, and the one that started last is first', () => {
    const actors = [
      actor('root', { agent: 'boss', restarts: null, startedAtMs: null }),
      actor('orders', { agent: 'boss', startedAtMs: 9_000 }),
      actor('old', { startedAtMs: null }),
      actor('orders/1'),
      actor('orders/1/card', { restarts: null }),
      actor('orders/2', { startedAtMs: 2_000 }),
    ];
    expect(openRuns(actors).map(({ address }) => address)).toEqual(['orders/2', 'orders/1', 'old']);
  });

  it('say in words how they stand, and count attempts', () => {
    const word = (changes: Partial<ListedRow>) => openRuns([actor('a', changes)])[0]!.badge.word;
    expect([word({}), word({ status: 'suspended' }), word({ status: 'error' })]).toEqual([
      'running',
      'suspended',
      'restarting',
    ]);
    expect(openRuns([actor('a', { restarts: 2 })])[0]).toMatchObject({ attempts: 3, endedAtMs: null });
  });
});

describe('ended runs', () => {
  it('say in words how they ended', () => {
    const endings = ['done', 'failed', 'gaveUp', 'stopped'] as const;
    const rows = endedRuns(endings.map((status, at) => run(String(at), { status })));
    expect(rows.map(({ key, badge }) => `${key} ${badge.word}`)).toEqual([
      '0 done',
      '1 failed',
      '2 gave up',
      '3 stopped',
    ]);
    expect(STATES).toEqual({
      running: 'running',
      done: 'done',
      failed: 'failed',
      gaveUp: 'gave up',
      stopped: 'stopped',
    });
  });

  it('are listed since the beginning of the chosen span', () => {
    expect([sinceMs('hour', 7_200_000), sinceMs('day', 7_200_000), sinceMs(undefined, 7_200_000)]).toEqual([
      3_600_000, 0, 0,
    ]);
  });
});

describe('a first page that is read again', () => {
  it('is followed by the pages that were loaded behind it', () => {
    expect(shown(withFirst(page('fe', 'e'), page('edcb', 'b')))).toEqual(['fedcb', 'b']);
    expect(shown(withFirst(page('ed', 'd'), page('edcb', null)))).toEqual(['edcb', null]);
  });

  it('is alone if more has ended than it holds, and if it is all', () => {
    expect(shown(withFirst(page('zy', 'y'), page('ed', 'd')))).toEqual(['zy', 'y']);
    expect(shown(withFirst(page('e', null), page('edc', 'c')))).toEqual(['e', null]);
    expect(shown(withFirst(page('ed', 'd'), undefined))).toEqual(['ed', 'd']);
    expect(shown(withFirst(page('ed', 'd'), page('ed', null)))).toEqual(['ed', 'd']);
  });
});
