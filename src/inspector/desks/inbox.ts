/** The inbox: open gates and tickets and unacknowledged alert cards, the most urgent first. Pure. */
import { type Urgency, urgencyOfGate } from '../../machines/people/gates/gate-order.ts';
import { openPartOf, type Part } from '../part.ts';
import { type AlertRow, type DeskContexts, type GateRow, type Priority, type TicketRow } from './desk-shapes.ts';
import { ticketRows } from './tickets.ts';

const HOUR_MS = 60 * 60_000;

/** How long a card may wait before it is escalated; failures of agents are repeated before that. */
const PATIENCE_MS: Readonly<Record<Priority, number>> = {
  AGENT_FAILURE: 1.5 * HOUR_MS,
  CRITICAL: 2 * HOUR_MS,
  HIGH: 6 * HOUR_MS,
  MEDIUM: 24 * HOUR_MS,
  LOW: 48 * HOUR_MS,
};

interface Entry {
  readonly urgency: Urgency;
  readonly sinceMs: number;
  /** Time of the deadline or escalation; null if there is none, or if it has passed. */
  readonly dueMs: number | null;
}

export type InboxEntry = Entry &
  (
    | { readonly kind: 'gate'; readonly gate: GateRow }
    | { readonly kind: 'ticket'; readonly ticket: TicketRow }
    | { readonly kind: 'alert'; readonly alert: AlertRow }
  );

/** Kinds of cards that only repeat what a gate or a ticket of the inbox shows. */
const SHOWN_ANYWAY: ReadonlySet<string> = new Set([
  'gate.waiting',
  'ticket.waiting',
  'ticket.overdue',
  'ticket.escalated',
]);

const URGENCIES: readonly Urgency[] = ['now', 'today', 'later'];

/** The open gates, and the contexts of the other desks: each as far as it is loaded, undefined for a missing one. */
interface InboxDesks {
  readonly gates: Part<GateRow> | undefined;
  readonly tickets?: Pick<DeskContexts['ticket-desk'], 'waiting' | 'rows'> | undefined;
  readonly alerts: Pick<DeskContexts['alert-desk'], 'rows'> | undefined;
}

/** The entries of the inbox, and for each desk the number of those that are not loaded. */
export interface InboxEntries {
  readonly rows: readonly InboxEntry[];
  readonly left: { readonly gates: number; readonly tickets: number; readonly alerts: number };
}

/** Makes the inbox. */
export function inboxOf(desks: InboxDesks, nowMs: number): InboxEntries {
  const { rows: gates, left } = desks.gates ?? { rows: [], left: 0 };
  const { waiting, rows } = desks.tickets ?? {};
  // The other shelves have tickets that no longer wait.
  const tickets = ticketRows(waiting && rows && { waiting, rows });
  const alerts = openPartOf<AlertRow>(desks.alerts?.rows);
  const asked = new Set([...gates.map(({ id }) => `gate ${id}`), ...tickets.rows.map(({ id }) => `ticket ${id}`)]);
  // A card about a gate or a ticket that is listed, or that stands further back, adds nothing.
  const isRepeated = ({ kind, item }: AlertRow) =>
    SHOWN_ANYWAY.has(kind) &&
    item !== null &&
    (asked.has(item) || (item.startsWith('gate ') ? left : tickets.left) > 0);
  const entries: InboxEntry[] = [
    ...gates.map((gate) => gateEntry(gate, nowMs)),
    ...tickets.rows.filter(({ status }) => status !== 'in_review').map(ticketEntry),
    ...alerts.rows.filter((row) => !isRepeated(row)).map(alertEntry),
  ];
  const due = ({ dueMs }: Entry) => dueMs ?? Infinity;
  return {
    rows: entries.sort(
      (a, b) =>
        URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency) ||
        compared(due(a), due(b)) ||
        a.sinceMs - b.sinceMs,
    ),
    left: { gates: left, tickets: tickets.left, alerts: alerts.left },
  };
}

/** The time at which an unacknowledged card is escalated; null if it was. */
export function escalationMs({
  priority,
  raisedAtMs,
  escalation,
}: Pick<AlertRow, 'priority' | 'raisedAtMs' | 'escalation'>): number | null {
  return escalation === null ? raisedAtMs + PATIENCE_MS[priority] : null;
}

function gateEntry(gate: GateRow, nowMs: number): InboxEntry {
  const { openedAtMs, deadlineAtMs, phase } = gate;
  const due = urgencyOfGate(deadlineAtMs, nowMs);
  const urgency = due === 'later' && phase === 'reminded' ? 'today' : due;
  return { kind: 'gate', gate, urgency, sinceMs: openedAtMs, dueMs: deadlineAtMs };
}

function ticketEntry(ticket: TicketRow): InboxEntry {
  const { priority, status, openedAtMs, dueAtMs, overdueAtMs } = ticket;
  const urgency = priority === 1 || status === 'escalated' || overdueAtMs !== null ? 'now' : 'today';
  return { kind: 'ticket', ticket, urgency, sinceMs: openedAtMs, dueMs: overdueAtMs === null ? dueAtMs : null };
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
