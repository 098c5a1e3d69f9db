/**
 * The records of desks, taken from their contexts, open ones first: as far as the views of their tables have them.
 * Pure.
 */
import type { TableView } from '../../gateway/protocol/actor-view.ts';
import { atLeast, openPartOf, type Part, partOf } from '../part.ts';
import {
  type AlertRow,
  type AlertShown,
  type BatchItemRow,
  type BatchRow,
  type BatchShown,
  type DeskContexts,
  type GateRow,
  type DebateRow,
  type DebateShown,
  type PauseManagerShown,
  type PauseRow,
  type Priority,
  type RunRow,
  type SaidShown,
} from './desk-shapes.ts';

/** Priorities of alerts, the most urgent first. */
export const PRIORITIES: readonly Priority[] = ['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** Number of open cards above which there is a banner. */
const BANNER_OVER = 3;

/** Most debates of one expert at a time. */
const DEBATES_PER_EXPERT = 3;

const DAY_MS = 24 * 60 * 60_000;
const ALERT_DAYS = [3, 7, 14, 30] as const;

/** Leaves out a gate that is there already: one that has just moved may be on two pages, or open and closed. */
export function gatesById(rows: readonly GateRow[]): readonly GateRow[] {
  const seen = new Set<string>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Open alerts by priority, the oldest first; then closed ones, the latest first. */
export function alertRows(context: DeskContexts['alert-desk'] | undefined): Part<AlertRow> {
  const rank = ({ priority }: AlertRow) => PRIORITIES.indexOf(priority);
  return openFirst<AlertRow>(context, (a, b) => rank(a) - rank(b) || a.number - b.number);
}

/** Critical alerts that nobody has acknowledged, the oldest first, as far as the view of the desk has them. */
export function criticalAlerts(context: DeskContexts['alert-desk']): Part<AlertRow> {
  const rows = alertRows(context).rows.filter(({ priority, isOver }) => priority === 'CRITICAL' && !isOver);
  return { rows, left: Math.max(0, context.openCounts.CRITICAL - rows.length) };
}

/** The banner above the cards; null if there are few. */
export function bannerOf({ openCounts }: Pick<DeskContexts['alert-desk'], 'openCounts'>): string | null {
  const open = PRIORITIES.reduce((sum, priority) => sum + openCounts[priority], 0);
  if (open <= BANNER_OVER) return null;
  const counts = PRIORITIES.filter((priority) => openCounts[priority] > 0);
  return `${open} alerts: ${counts.map((priority) => `${openCounts[priority]} ${priority}`).join(', ')}`;
}

/** The batch that a card's button Resume All is about; undefined if it has none. */
export function batchOfCard({ actions }: Pick<AlertShown, 'actions'>): string | undefined {
  const event = actions.find(({ name }) => name === 'resume-all')?.event;
  return typeof event?.['batchId'] === 'string' ? event['batchId'] : undefined;
}

/** Batches under way first, the latest first. */
export function batchRows(context: DeskContexts['batch-manager'] | undefined): Part<BatchRow> {
  return openFirst<BatchRow>(context, (a, b) => b.number - a.number);
}

/** The names of a batch's items, as far as the view of the desk's table has them. */
export function itemNames(context: DeskContexts['batch-manager'] | undefined, batchId: string): readonly string[] {
  return partOf(context?.members)
    .rows.filter((member) => member.batchId === batchId)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** The items of one batch, from its own context, failed ones first. */
export function batchItems({ items }: BatchShown): Part<BatchItemRow> {
  const ranks: readonly BatchItemRow['state'][] = ['failed', 'pausing', 'resuming', 'waiting', 'paused', 'resumed'];
  const { rows, left } = partOf<BatchItemRow>(items);
  return {
    rows: rows.toSorted((a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state) || a.place - b.place),
    left,
  };
}

/** The pause in a PauseManager's context; undefined while its item is not paused. */
export function pauseRow(context: PauseManagerShown | null | undefined): PauseRow | undefined {
  const record = context?.record ?? undefined;
  return record?.status === 'RESUMED' ? undefined : record;
}

/** Whole days since the pause began, and the time of the next notice to people. */
export function daysOf(
  { pausedAtMs, status }: PauseRow,
  nowMs: number,
): { readonly day: number; readonly next: { readonly day: number; readonly atMs: number } | undefined } {
  const day = Math.max(0, Math.floor((nowMs - pausedAtMs) / DAY_MS));
  const coming =
    status === 'PAUSING' || status === 'PAUSED' || status === 'STALE'
      ? ALERT_DAYS.find((one) => pausedAtMs + one * DAY_MS > nowMs)
      : undefined;
  return { day, next: coming === undefined ? undefined : { day: coming, atMs: pausedAtMs + coming * DAY_MS } };
}

/** Open debates by urgency, the oldest first; then closed ones, the latest first. */
export function debateRows(context: DeskContexts['debate-facilitator'] | undefined): Part<DebateRow> {
  const ranks: readonly DebateRow['priority'][] = ['critical-path', 'valuation', 'supporting'];
  const rank = ({ priority }: DebateRow) => ranks.indexOf(priority);
  return openFirst<DebateRow>(context, (a, b) => rank(a) - rank(b) || a.number - b.number);
}

export interface ExpertRow {
  readonly expert: string;
  readonly isAvailable: boolean;
  /** How many debates the expert has, in words. */
  readonly debates: string;
  readonly max: number;
}

export function expertRows(context: DeskContexts['debate-facilitator']): readonly ExpertRow[] {
  const { experts, rows } = context;
  const part = openPartOf<DebateRow>(rows);
  return Object.entries(experts).map(([expert, { isAvailable }]) => ({
    expert,
    isAvailable,
    debates: atLeast(part, part.rows.filter((row) => row.level === 'L3' && row.expert === expert).length),
    max: DEBATES_PER_EXPERT,
  }));
}

/** The statements of both sides in a debate, in order. */
export function saidIn(context: DebateShown): readonly SaidShown[] {
  return under<SaidShown>(context, 'said:').sort((a, b) => a.atMs - b.atMs);
}

/** Runs of hubs that are not over, then the others, each the latest first. */
export function runRows(context: DeskContexts['hub-desk'] | undefined): Part<RunRow> {
  return openFirst<RunRow>(context, (a, b) => b.number - a.number);
}

interface Numbered {
  readonly isOver: boolean;
  readonly number: number;
}

/** The table of a desk that holds its records. */
export interface RecordViews<Row> {
  readonly rows: TableView<Row>;
}

/** Open records in the given order, then closed ones, the latest first. */
function openFirst<Row extends Numbered>(
  desk: RecordViews<Row> | undefined,
  order: (a: Row, b: Row) => number,
): Part<Row> {
  const { rows, left } = partOf(desk?.rows);
  return {
    rows: rows.toSorted((a, b) =>
      a.isOver !== b.isOver ? Number(a.isOver) - Number(b.isOver) : a.isOver ? b.number - a.number : order(a, b),
    ),
    left,
  };
}

/** The values of a context under keys that begin alike. */
function under<Row>(context: object, prefix: string): Row[] {
  return Object.entries(context).flatMap(([key, value]) =>
    key.startsWith(prefix) && typeof value === 'object' && value !== null ? [value as Row] : [],
  );
}
