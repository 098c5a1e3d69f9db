/** Records of desks, read off their contexts, each in the order that people need: what is open first. Pure. */
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

/** How pressing alerts are, the most pressing first. */
export const PRIORITIES: readonly Priority[] = ['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** More open cards than this have a banner above them. */
const BANNER_OVER = 3;

/** Debates that an expert has at most. */
const DEBATES_PER_EXPERT = 3;

const DAY_MS = 24 * 60 * 60_000;
const ALERT_DAYS = [3, 7, 14, 30] as const;

/** Open ones by deadline, those without one after them; then those that are over, the latest first. */
export function gateRows(context: unknown): readonly GateRow[] {
  const due = ({ deadlineAtMs }: GateRow) => deadlineAtMs ?? Number.MAX_SAFE_INTEGER;
  return openFirst(recordRows<GateRow>(context), (a, b) => due(a) - due(b) || a.number - b.number);
}

/** Open ones by priority, the eldest first; then those that are over, the latest first. */
export function alertRows(context: unknown): readonly AlertRow[] {
  const rank = ({ priority }: AlertRow) => PRIORITIES.indexOf(priority);
  return openFirst(recordRows<AlertRow>(context), (a, b) => rank(a) - rank(b) || a.number - b.number);
}

/** What stands above the cards; null for a few, which can be seen at a glance. */
export function bannerOf(rows: readonly AlertRow[]): string | null {
  const open = rows.filter(({ isOver }) => !isOver);
  if (open.length <= BANNER_OVER) return null;
  const counts = PRIORITIES.map(
    (priority) => [open.filter((row) => row.priority === priority).length, priority] as const,
  ).filter(([count]) => count > 0);
  return `${open.length} alerts: ${counts.map(([count, priority]) => `${count} ${priority}`).join(', ')}`;
}

/** The batch that a card's Resume All is about; undefined where it has none. */
export function batchOfCard({ actions }: Pick<AlertShown, 'actions'>): string | undefined {
  const event = actions.find(({ name }) => name === 'resume-all')?.event;
  return typeof event?.['batchId'] === 'string' ? event['batchId'] : undefined;
}

/** Under way first, the latest first. */
export function batchRows(context: unknown): readonly BatchRow[] {
  return openFirst(recordRows<BatchRow>(context), (a, b) => b.number - a.number);
}

/** The names that the desk of batches has of a batch. */
export function itemNames(context: unknown, batchId: string): readonly string[] {
  return rowsAt<BatchMember>(context, 'members')
    .filter((member) => member.batchId === batchId)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Of one batch, by its own context: what has failed first. */
export function batchItems(context: unknown): readonly BatchItemRow[] {
  const ranks: readonly BatchItemRow['state'][] = ['failed', 'pausing', 'resuming', 'waiting', 'paused', 'resumed'];
  return rowsAt<BatchItemRow>(context, 'items').sort(
    (a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state) || a.place - b.place,
  );
}

/** Undefined while the item is not paused. */
export function pauseRow(context: unknown): PauseRow | undefined {
  const record = fieldsOf(context)['record'] as PauseRow | null | undefined;
  return record === null || record === undefined || record.status === 'RESUMED' ? undefined : record;
}

/** Whole days since the pause began, and when people hear of it next. */
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

/** Open ones by urgency, the eldest first; then those that are over, the latest first. */
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

/** What both sides have said in a debate, in order. */
export function saidIn(context: unknown): readonly SaidShown[] {
  return under<SaidShown>(context, 'said:').sort((a, b) => a.atMs - b.atMs);
}

interface Numbered {
  readonly isOver: boolean;
  readonly number: number;
}

/** Open ones in an order of their own, then those that are over, the latest first. */
function openFirst<Row extends Numbered>(rows: readonly Row[], order: (a: Row, b: Row) => number): Row[] {
  return rows.toSorted((a, b) =>
    a.isOver !== b.isOver ? Number(a.isOver) - Number(b.isOver) : a.isOver ? b.number - a.number : order(a, b),
  );
}

/** The records of a desk: what is open, then what has ended. */
export function recordRows<Row>(context: unknown): Row[] {
  return [...rowsAt<Row>(context, 'open'), ...rowsAt<Row>(context, 'ended')];
}

/** The rows of a table of a context that a gateway shows. */
function rowsAt<Row>(context: unknown, key: string): Row[] {
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
