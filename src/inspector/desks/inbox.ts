/** What waits for people, the most pressing first: open gates and alert cards that nobody has acknowledged. Pure. */
import { alertRows, gateRows } from './desk-records.ts';
import { type AlertRow, type GateRow, type Priority } from './desk-shapes.ts';

const HOUR_MS = 60 * 60_000;

/** How long a card may wait before it is escalated; an agent's failure is said again meanwhile. */
const PATIENCE_MS: Readonly<Record<Priority, number>> = {
  AGENT_FAILURE: 1.5 * HOUR_MS,
  CRITICAL: 2 * HOUR_MS,
  HIGH: 6 * HOUR_MS,
  MEDIUM: 24 * HOUR_MS,
  LOW: 48 * HOUR_MS,
};

/** Gates whose deadline is so near are as pressing as a card of that rank. */
const SOON_MS = [2 * HOUR_MS, 6 * HOUR_MS] as const;

export type Urgency = 'now' | 'today' | 'later';

interface Entry {
  readonly urgency: Urgency;
  readonly sinceMs: number;
  /** When its time is up; null where it has none, or had. */
  readonly dueMs: number | null;
}

export type InboxEntry = Entry &
  ({ readonly kind: 'gate'; readonly gate: GateRow } | { readonly kind: 'alert'; readonly alert: AlertRow });

const URGENCIES: readonly Urgency[] = ['now', 'today', 'later'];

/** @param desks Their contexts; undefined for one that is not there. */
export function inboxOf(
  desks: { readonly gates: unknown; readonly alerts: unknown },
  nowMs: number,
): readonly InboxEntry[] {
  const gates = gateRows(desks.gates).filter(({ isOver }) => !isOver);
  const asked = new Set(gates.map(({ id }) => `gate ${id}`));
  // The card that a gate has raised of itself says nothing that the gate does not.
  const alerts = alertRows(desks.alerts).filter(
    (row) => !row.isOver && !(row.kind === 'gate.waiting' && row.item !== null && asked.has(row.item)),
  );
  const entries: InboxEntry[] = [...gates.map((gate) => gateEntry(gate, nowMs)), ...alerts.map(alertEntry)];
  const due = ({ dueMs }: Entry) => dueMs ?? Infinity;
  return entries.sort(
    (a, b) =>
      URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency) || compared(due(a), due(b)) || a.sinceMs - b.sinceMs,
  );
}

/** When a card that nobody acknowledges is escalated; null where it was. */
export function escalationMs({
  priority,
  raisedAtMs,
  escalation,
}: Pick<AlertRow, 'priority' | 'raisedAtMs' | 'escalation'>): number | null {
  return escalation === null ? raisedAtMs + PATIENCE_MS[priority] : null;
}

function gateEntry(gate: GateRow, nowMs: number): InboxEntry {
  const { openedAtMs, deadlineAtMs, phase } = gate;
  const left = (deadlineAtMs ?? Infinity) - nowMs;
  const urgency = left <= SOON_MS[0] ? 'now' : left <= SOON_MS[1] || phase === 'reminded' ? 'today' : 'later';
  return { kind: 'gate', gate, urgency, sinceMs: openedAtMs, dueMs: deadlineAtMs };
}

function alertEntry(alert: AlertRow): InboxEntry {
  const { priority, raisedAtMs, escalation } = alert;
  const urgency =
    escalation !== null || priority === 'AGENT_FAILURE' || priority === 'CRITICAL'
      ? 'now'
      : priority === 'HIGH'
        ? 'today'
        : 'later';
  return { kind: 'alert', alert, urgency, sinceMs: raisedAtMs, dueMs: escalationMs(alert) };
}

function compared(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
