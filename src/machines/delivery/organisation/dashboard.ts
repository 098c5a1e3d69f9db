/**
 * The dashboard of the delivery organisation: counts the hand-offs of which it is informed, by row of the table of
 * responsibilities, and keeps what the Verification Team has found about each task. It decides nothing.
 */
import { table, type Table } from '../../../table.ts';
import { TASKS_KEPT_MAX } from '../../limits.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { type HandoffInformed } from './handoff-messages.ts';

/** The findings about a finished task (MX-035): the criteria that are met, and those that remain. */
export interface CheckSummary {
  readonly task: string;
  readonly matches: readonly string[];
  readonly remaining: readonly string[];
  readonly atMs: number;
}

export interface DashboardContext {
  /** Number of hand-offs by row. */
  readonly counts: Readonly<Record<string, number>>;
  /** The last findings by task, the latest tasks only. */
  readonly checks: Table<CheckSummary>;
}

type DashboardTurn = Turn<DashboardContext>;

const RULES = {
  'handoff.informed': (turn: DashboardTurn, { row }: HandoffInformed) =>
    turn.assign({ counts: { ...turn.context.counts, [row]: (turn.context.counts[row] ?? 0) + 1 } }),
  'check.summary': (turn: DashboardTurn, { task, matches, remaining }: Omit<CheckSummary, 'atMs'>) => {
    const { checks } = turn.context;
    const first = checks.size < TASKS_KEPT_MAX ? undefined : checks.first();
    const others = first === undefined ? checks : checks.delete(first[0]);
    turn.assign({ checks: others.set(nameKey(task), { task, matches, remaining, atMs: turn.nowMs }) });
  },
} satisfies Rules<DashboardContext>;

/** The agent of the dashboard. */
export const dashboard = ruledAgent({
  name: 'dashboard',
  rules: RULES,
  context: (): DashboardContext => ({ counts: {}, checks: table() }),
});
