/** Runs: actors at work and ended ones in one list; filters, order, and joining pages. Pure. */
import type { RunView } from '../../gateway/protocol/run-view.ts';
import type { ListedRow } from '../../gateway/protocol/views.ts';
import { badgeOf, BY_ENDING, type StatusBadge } from '../tree/status-badge.ts';

/** A line of the list. */
export interface RunRow {
  readonly key: string;
  readonly address: string;
  readonly agent: string;
  readonly badge: StatusBadge;
  readonly startedAtMs: number | null;
  /** null for one that runs. */
  readonly endedAtMs: number | null;
  readonly attempts: number;
  /** The state of one that runs; otherwise how it ended. */
  readonly outcome: { readonly state: unknown } | Pick<RunView, 'status' | 'output' | 'error'>;
}

const RUNNING: StatusBadge = { ...badgeOf({ status: 'active', restartInMs: null }), word: 'running' };

/** Choices of the filter of states, by their words. */
export const STATES: Readonly<Record<string, string>> = {
  running: RUNNING.word,
  ...Object.fromEntries(Object.entries(BY_ENDING).map(([status, { word }]) => [status, word])),
};

const HOUR_MS = 3_600_000;

/** Choices of the filter of time. */
export const TIMES: Readonly<Record<string, string>> = { hour: 'last hour', day: 'last day', week: 'last 7 days' };

const SPANS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };

/** The kernel time since which ends are listed. */
export function sinceMs(time: string | undefined, nowMs: number): number {
  return Math.max(0, nowMs - (SPANS[time ?? ''] ?? Infinity));
}

/** The actors that are runs, without Bosses and children of machines; the one that started last first. */
export function openRuns(actors: readonly ListedRow[]): RunRow[] {
  return actors
    .filter(({ agent, restarts }) => restarts !== null && agent !== 'boss' && agent !== 'bosun.boss')
    .map(({ address, agent, status, state, restarts, startedAtMs }) => ({
      key: address,
      address,
      agent,
      // An actor that has failed and is still there waits for its Boss to start it again.
      badge: status === 'active' ? RUNNING : badgeOf({ status, restartInMs: status === 'error' ? 0 : null }),
      startedAtMs,
      endedAtMs: null,
      attempts: restarts! + 1,
      outcome: { state },
    }))
    .sort((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0));
}

export function endedRuns(runs: readonly RunView[]): RunRow[] {
  return runs.map((run) => ({ ...run, key: run.cursor, badge: BY_ENDING[run.status], outcome: run }));
}

/** Ended actors, newest end first. */
export interface RunPages {
  readonly runs: readonly RunView[];
  readonly next: string | null;
}

/**
 * Joins the first page, read again, and the pages that were loaded before. Those behind stay if they join on to it;
 * otherwise more has ended than a page holds, and they are loaded again when somebody asks for them.
 */
export function withFirst(first: RunPages, before: RunPages | undefined): RunPages {
  const { next } = first;
  if (next === null || before?.runs.some(({ cursor }) => cursor >= next) !== true) return first;
  const behind = before.runs.filter(({ cursor }) => cursor < next);
  return behind.length === 0 ? first : { runs: [...first.runs, ...behind], next: before.next };
}
