/** The records of desks, taken from their contexts, open ones first. Pure. */
import type { BatchMember } from '../../machines/coordination/batches/batch-manager.ts';
import {
  type AlertRow,
  type AlertShown,
  type BatchItemRow,
  type BatchRow,
  type DebateRow,
  type FacilitatorShown,
  type GateRow,
  type PauseRow,
  type Priority,
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

/** Open gates by deadline, those without one last; then closed gates, the latest first. */
export function gateRows(context: unknown): readonly GateRow[] {
  const due = ({ deadlineAtMs }: GateRow) => deadlineAtMs ?? Number.MAX_SAFE_INTEGER;
  return openFirst(recordRows<GateRow>(context), (a, b) => due(a) - due(b) || a.number - b.number);
}

/** A name with the gate's subject, so that gates with equal titles differ: `AAPL/valuation: Assumptions`. */
export function gateName({ item, stage, title }: Pick<GateRow, 'item' | 'stage' | 'title'>): string {
  const about = [item, stage].filter((part) => part !== null).join('/');
  return about === '' ? title : `${about}: ${title}`;
}

/** Open alerts by priority, the oldest first; then closed ones, the latest first. */
export function alertRows(context: unknown): readonly AlertRow[] {
  const rank = ({ priority }: AlertRow) => PRIORITIES.indexOf(priority);
  return openFirst(recordRows<AlertRow>(context), (a, b) => rank(a) - rank(b) || a.number - b.number);
}

/** The banner above the cards; null if there are few. */
export function bannerOf(rows: readonly AlertRow[]): string | null {
  const open = rows.filter(({ isOver }) => !isOver);
  if (open.length <= BANNER_OVER) return null;
  const counts = PRIORITIES.map(
    (priority) => [open.filter((row) => row.priority === priority).length, priority] as const,
  ).filter(([count]) => count > 0);
  return `${open.length} alerts: ${counts.map(([count, priority]) => `${count} ${priority}`).join(', ')}`;
}

/** The batch that a card's button Resume All is about; undefined if it has none. */
export function batchOfCard({ actions }: Pick<AlertShown, 'actions'>): string | undefined {
  const event = actions.find(({ name }) => name === 'resume-all')?.event;
  return typeof event?.['batchId'] === 'string' ? event['batchId'] : undefined;
}

/** Batches under way first, the latest first. */
export function batchRows(context: unknown): readonly BatchRow[] {
  return openFirst(recordRows<BatchRow>(context), (a, b) => b.number - a.number);
}

/** The names of a batch's items, as the desk of batches has them. */
export function itemNames(context: unknown, batchId: string): readonly string[] {
  return rowsAt<BatchMember>(context, 'members')
    .filter((member) => member.batchId === batchId)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** The items of one batch, from its own context, failed ones first. */
export function batchItems(context: unknown): readonly BatchItemRow[] {
  const ranks: readonly BatchItemRow['state'][] = ['failed', 'pausing', 'resuming', 'waiting', 'paused', 'resumed'];
  return rowsAt<BatchItemRow>(context, 'items').sort(
    (a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state) || a.place - b.place,
  );
}

/** The pause in a PauseManager's context; undefined while its item is not paused. */
export function pauseRow(context: unknown): PauseRow | undefined {
  const record = fieldsOf(context)['record'] as PauseRow | null | undefined;
  return record === null || record === undefined || record.status === 'RESUMED' ? undefined : record;
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
export function debateRows(context: unknown): readonly DebateRow[] {
  const ranks: readonly DebateRow['priority'][] = ['critical-path', 'valuation', 'supporting'];
  const rank = ({ priority }: DebateRow) => ranks.indexOf(priority);
  return openFirst(recordRows<DebateRow>(context), (a, b) => rank(a) - rank(b) || a.number - b.number);
}

export interface ExpertRow {
  readonly expert: string;
  readonly isAvailable: boolean;
  readonly debates: number;
  readonly max: number;
}

export function expertRows(context: unknown): readonly ExpertRow[] {
  const { experts = {} } = fieldsOf(context) as Partial<FacilitatorShown>;
  const rows = debateRows(context);
  return Object.entries(experts).map(([expert, { isAvailable }]) => ({
    expert,
    isAvailable,
    debates: rows.filter((row) => row.level === 'L3' && row.expert === expert).length,
    max: DEBATES_PER_EXPERT,
  }));
}

/** The statements of both sides in a debate, in order. */
export function saidIn(context: unknown): readonly SaidShown[] {
  return under<SaidShown>(context, 'said:').sort((a, b) => a.atMs - b.atMs);
}

interface Numbered {
  readonly isOver: boolean;
  readonly number: number;
}

/** Open records in the given order, then closed ones, the latest first. */
function openFirst<Row extends Numbered>(rows: readonly Row[], order: (a: Row, b: Row) => number): Row[] {
  return rows.toSorted((a, b) =>
    a.isOver !== b.isOver ? Number(a.isOver) - Number(b.isOver) : a.isOver ? b.number - a.number : order(a, b),
  );
}

/** The records of a desk: open ones, then ended ones. */
export function recordRows<Row>(context: unknown): Row[] {
  return [...rowsAt<Row>(context, 'open'), ...rowsAt<Row>(context, 'ended')];
}

/** The rows of a table in a context as shown by the gateway. */
export function rowsAt<Row>(context: unknown, key: string): Row[] {
  const { rows } = fieldsOf(fieldsOf(context)[key]);
  return Object.values(fieldsOf(rows)) as Row[];
}

function under<Row>(context: unknown, prefix: string): Row[] {
  return Object.entries(fieldsOf(context)).flatMap(([key, value]) =>
    key.startsWith(prefix) && typeof value === 'object' && value !== null ? [value as Row] : [],
  );
}

function fieldsOf(context: unknown): Readonly<Record<string, unknown>> {
  return typeof context === 'object' && context !== null ? (context as Readonly<Record<string, unknown>>) : {};
}
