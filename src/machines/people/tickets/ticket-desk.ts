/**
 * The ticket desk: numbers tickets, checks their bounds, passes orders on to their actors (ticket.ts), lists them and
 * counts them by status. An agent that opens a ticket names itself in `askedBy` and is sent notices about it. The desk
 * knows nothing of the questions or of what an answer causes.
 */
import { settle } from '../notice.ts';
import { type AnyActorRef } from 'xstate';
import { type z } from 'zod';
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { type Table, table } from '../../../table.ts';
import { TICKETS_ARCHIVED_KEPT_MAX, TICKETS_LIVE_MAX } from '../../limits.ts';
import { ANSWERER, PEOPLE_DESKS } from '../system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  newDesk,
  type OrderAnswered,
} from '../../rules/desk.ts';
import { nameKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { type Asked, order, type OrderReply, ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { ticket } from './ticket.ts';
import { type TicketChanged } from './ticket-acts.ts';
import { noTickets, rowKey, shelfOf, type TicketShelves, withRow } from './ticket-list.ts';
import {
  ANSWER_AI,
  type AwaitTicket,
  type EndedTicket,
  type IssueReply,
  issueReport,
  type IssueReport,
  PASSED_AS,
  type TicketAsked,
  type TicketNotice,
  ticketOrders,
  type TicketQuestion,
  type TicketReply,
  type TicketStatus,
} from './ticket-messages.ts';
import { counted, NO_COUNTS, NO_SUMS, type StatusCounts, summed, type TicketSums } from './ticket-metrics.ts';
import { cardsOfTicket } from './ticket-notices.ts';
import {
  flawOfQuestion,
  questionOfIssue,
  refusal,
  ticketIdOf,
  type ticketTimes,
  type TicketTimes,
  timesOf,
} from './ticket-rules.ts';
import { newTicket, rowOf, type TicketRow } from './ticket-state.ts';

/** The desk's record of a ticket. The facts for people are in the list. */
export interface TicketRecord extends DeskRecord {
  readonly status: TicketStatus;
  readonly askedBy: AnyActorRef | null;
  /** The ticket's key in the table of keys; absent if it was opened without one. */
  readonly key?: string;
}

/** Most tickets that a desk holds. */
export interface TicketBounds {
  /** Tickets that are not archived. */
  readonly liveMax: number;
  /** Archived tickets; the oldest are dropped first. */
  readonly archivedMax: number;
}

/** The context of the ticket desk. */
export interface TicketDeskContext extends DeskContext<TicketRecord>, TicketShelves {
  readonly times: TicketTimes;
  readonly bounds: TicketBounds;
  /** Number of tickets in each status. */
  readonly counts: StatusCounts;
  readonly sums: TicketSums;
  /** Ids of tickets by creator and key. */
  readonly keys: Table<string>;
  /** Work that waits for the end of a ticket, by ticket and waiter. */
  readonly waiters: Table<ReplyTo>;
}

/** The event emitted to watchers once a change of a ticket is durable. */
export interface TicketAnnounced {
  readonly type: 'ticket.listed';
  readonly ticket: string;
  readonly title: string;
  readonly status: TicketStatus;
  readonly priority: number;
  readonly task: string | null;
  /** The person who resolved the ticket; null if it was not resolved. */
  readonly by: string | null;
}

type TicketTurn = Turn<TicketDeskContext, TicketAnnounced>;

const TICKETS: DeskOf<TicketRecord> = {
  noun: 'ticket',
  boss: PEOPLE_DESKS.openTickets,
  ending: ({ status }) => status,
};

const desk = (turn: TicketTurn) => new Desk(turn, TICKETS);

const { 'tickets.open': openOrder, ...passedOrders } = ticketOrders;

/** The rules of the orders that tickets answer themselves. */
const PASSED = Object.fromEntries(Object.entries(passedOrders).map(([type, schema]) => [type, passing(schema)])) as {
  readonly [Type in keyof typeof passedOrders]: ReturnType<typeof passing<(typeof passedOrders)[Type]>>;
};

const RULES = {
  'tickets.open': order(openOrder, open),
  'tickets.report': order(issueReport, report),
  ...PASSED,
  'tickets.await': awaitEnd,
  'ticket.changed': (turn: TicketTurn, { row, ticket: ref }: TicketChanged & { readonly ticket: AnyActorRef }) =>
    list(turn, row, ref),
  'order.answered': (turn: TicketTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': giveUp,
} satisfies Rules<TicketDeskContext, TicketAnnounced>;

type ApartContext = DeskApart<TicketDeskContext>;

export const ticketDesk = ruledAgent({
  name: 'ticket-desk',
  version: 3,
  // Version 1 knew no keys, and nobody could wait at the desk; version 2 had a table for live tickets and one for
  // others.
  migrate: {
    2: (old: ApartContext): ApartContext => ({ ...old, keys: table(), waiters: table() }),
    3: (old: ApartContext): TicketDeskContext => deskInOneTable(old, TICKETS),
  },
  rules: RULES,
  context: (input: Pick<TicketDeskContext, 'times' | 'bounds'>): TicketDeskContext => ({
    ...newDesk<TicketRecord>(),
    ...noTickets(),
    ...input,
    counts: NO_COUNTS,
    sums: NO_SUMS,
    keys: table(),
    waiters: table(),
  }),
});

/** The agents for createSystem, together with {@link ticketChildren}. */
export const ticketAgents = [ticket, ticketDesk] as const;

/** A host's options for its tickets. */
export interface TicketOptions {
  /** Times that differ from the defaults, in milliseconds. */
  readonly times?: z.input<typeof ticketTimes>;
  /** Bounds that differ from those in limits.ts. */
  readonly bounds?: Partial<TicketBounds>;
}

/** The children of a root Boss for tickets. Throws BOSUN_CONFIG_INVALID for invalid times. */
export function ticketChildren({ times, bounds }: TicketOptions = {}) {
  const input = {
    times: timesOf(times),
    bounds: { liveMax: TICKETS_LIVE_MAX, archivedMax: TICKETS_ARCHIVED_KEPT_MAX, ...bounds },
  };
  return deskChildren({
    desk: PEOPLE_DESKS.tickets,
    boss: PEOPLE_DESKS.openTickets,
    agent: ticketDesk.name,
    item: ticket.name,
    input,
  });
}

function open(
  turn: TicketTurn,
  { askedBy = null }: Asked & { readonly askedBy?: AnyActorRef | null },
  { kind, key: ownKey, ...given }: TicketQuestion,
): TicketReply {
  const { times, bounds, next, waiting, settled, keys } = turn.context;
  const key = ownKey && pairKey(given.creator, ownKey);
  const known = key === undefined ? undefined : desk(turn).records.get(keys.get(key) ?? '');
  if (known !== undefined) return openedBefore(turn, listedRow(turn.context, known)!, { askedBy, title: given.title });
  const flaw = flawOfQuestion({ kind, ...given });
  if (flaw !== undefined) return flaw;
  if (waiting.size + settled.size >= bounds.liveMax)
    return refusal('TICKET_LIMIT', `${bounds.liveMax} tickets are not archived yet: resolve or reject some`);
  // Those of an escalation may stand there twice.
  const options = [...new Set(given.options)];
  const asked = { ...given, options, kind: kind === 'question' ? ('user_direct_query' as const) : kind };
  const id = ticketIdOf(next);
  const answerer = answererOf(turn, asked);
  const question = answerer === undefined ? asked : { ...asked, assignee: ANSWER_AI };
  const input = { id, question, askedBy, times };
  if (desk(turn).open({ id, status: 'open', askedBy, ...(key !== undefined && { key }) }, input) === undefined)
    return refusal('TICKET_UNAVAILABLE', 'there is no Boss to start tickets');
  if (key !== undefined) turn.assign({ keys: keys.set(key, id) });
  list(turn, rowOf(newTicket({ ...input, desk: turn.self }, turn.nowMs)), null);
  if (answerer !== undefined) turn.send(answerer, askedIn(id, question));
  return taken(id, 1);
}

/** The desk that answers what a person asks of nobody in particular; undefined for other tickets, and without one. */
function answererOf(turn: TicketTurn, { kind, assignee }: Pick<TicketQuestion, 'kind' | 'assignee'>) {
  return kind === 'user_direct_query' && assignee === null ? turn.find(ANSWERER) : undefined;
}

function askedIn(
  ticket: string,
  { title, description, options, creator, priority, task }: Omit<TicketAsked, 'type' | 'ticket'>,
): TicketAsked {
  return { type: 'ticket.asked', ticket, title, description, options, creator, priority, task };
}

/** Answers a repeated order. An asker that waits again is told what it waits for. */
function openedBefore(
  turn: TicketTurn,
  row: TicketRow,
  { askedBy, title: asked }: { readonly askedBy: AnyActorRef | null; readonly title: string },
): TicketReply {
  const { id: ticket, about, task, priority, version, isBlocking, title } = row;
  const notice: TicketNotice = { type: 'ticket.opened', ticket, about, task, priority, version, isBlocking, title };
  if (askedBy !== null && row.settledAtMs === null) turn.send(askedBy, notice);
  return taken(ticket, version, asked === title ? [] : [`${ticket} has this key, and asks: ${title}`]);
}

function taken(ticket: string, version: number, problems: readonly string[] = []): TicketReply {
  return { taken: true, problems, ticket, version, code: null };
}

/** Keeps work waiting until its ticket has ended. Replies at once if it has ended already. */
function awaitEnd(turn: TicketTurn, { ticket, waiter, replyTo }: AwaitTicket & Asked): TicketReply | undefined {
  const record = desk(turn).records.get(ticket);
  if (record === undefined) return refusal('TICKET_UNKNOWN', `no ticket "${ticket}"`);
  const row = listedRow(turn.context, record)!;
  if (row.settledAtMs !== null) return endOf(row);
  if (replyTo !== undefined)
    turn.assign({ waiters: turn.context.waiters.set(pairKey(ticket, nameKey(waiter)), replyTo) });
  return undefined;
}

function endOf({ id, version, resolution, rejection }: TicketRow): EndedTicket {
  return { ...taken(id, version), resolution, rejection };
}

/** Replies to the work that waits for a ticket which has ended. */
function releaseWaiters(turn: TicketTurn, row: TicketRow): void {
  for (const [key, replyTo] of [...turn.context.waiters.entries(pairsOf(row.id))]) {
    turn.reply(replyTo, endOf(row));
    turn.assign({ waiters: turn.context.waiters.delete(key) });
  }
}

/** Opens the ticket of an issue that an agent reports. */
function report(turn: TicketTurn, event: Asked, issue: IssueReport): IssueReply {
  const question = questionOfIssue(issue);
  const reply = open(turn, event, question);
  return { ...reply, logged: reply.taken, escalated: reply.taken && question.priority === 1 };
}

function passing<Schema extends z.ZodObject>(schema: Schema) {
  return order(schema, (turn: TicketTurn, event) => pass(turn, event as never));
}

/** Passes an order on to its ticket, which answers it. */
function pass(
  turn: TicketTurn,
  event: Asked & { readonly type: keyof typeof PASSED_AS; readonly ticket: string },
): OrderReply | undefined {
  const { ticket: id, type } = event;
  const record = desk(turn).records.get(id);
  if (record === undefined) return refusal('TICKET_UNKNOWN', `no ticket "${id}"`);
  if (record.isOver) return refusal('TICKET_STATE', `${id} is ${record.status}: open a new ticket`, { ticket: id });
  const refused = desk(turn).pass(id, { ...event, type: PASSED_AS[type] });
  return refused && refusal('TICKET_LIMIT', refused.problems.join('; '), { ticket: id });
}

/** Updates the list and the counts with a ticket's current facts. */
function list(turn: TicketTurn, row: TicketRow, ref: AnyActorRef | null): void {
  const record = desk(turn).records.get(row.id);
  if (record === undefined || record.isOver) return;
  const before = listedRow(turn.context, record);
  const { counts, sums } = turn.context;
  const was = before?.status ?? null;
  turn.assign({
    ...withRow(turn.context, row, was),
    counts: counted(counts, was, row.status),
    sums: summed(sums, before ?? null, row),
  });
  if (row.settledAtMs !== null) releaseWaiters(turn, row);
  if (row.status === 'archived') {
    desk(turn).close(row.id, { status: row.status });
    dropEldest(turn);
  } else if (ref !== null && record.ref === null) desk(turn).begin(row.id, ref, { status: row.status });
  else if (was !== row.status) desk(turn).change(row.id, { status: row.status });
  if (ref !== null && (was !== row.status || record.ref === null)) announce(turn, row);
}

/** The row of a ticket in the list; undefined for one that is not listed yet. */
export function listedRow(
  shelves: TicketShelves,
  { status, number }: Pick<TicketRecord, 'status' | 'number'>,
): TicketRow | undefined {
  return shelves[shelfOf(status)].get(rowKey({ status, number }));
}

/** Drops the oldest archived ticket if there are too many. */
function dropEldest(turn: TicketTurn): void {
  const { archived, counts, bounds } = turn.context;
  const eldest = archived.size > bounds.archivedMax ? archived.first() : undefined;
  if (eldest === undefined) return;
  const { id } = eldest[1];
  const { key } = desk(turn).records.get(id)!;
  turn.assign({ archived: archived.delete(eldest[0]), counts: counted(counts, 'archived', null) });
  if (key !== undefined) turn.assign({ keys: turn.context.keys.delete(key) });
  desk(turn).records.remove(id);
}

/** Rejects a ticket whose actor ended without being archived, so that the agent that asked does not wait for ever. */
function giveUp(turn: TicketTurn, { id }: ChildExited): void {
  const record = desk(turn).records.get(id);
  const row = record === undefined || record.isOver ? undefined : listedRow(turn.context, record);
  if (row === undefined) return;
  const reason = 'the actor of the ticket has failed';
  const version = row.version + 1;
  const end = row.settledAtMs === null && {
    rejection: { by: 'system', reason },
    settledAtMs: turn.nowMs,
    dueAtMs: null,
  };
  list(turn, { ...row, ...end, status: 'archived', version }, record!.ref);
  settle(turn, { ...cardsOfTicket(id), because: reason });
  const { about, task, priority } = row;
  const notice: TicketNotice = { type: 'ticket.failed', ticket: id, about, task, priority, version, reason };
  if (record!.askedBy !== null) turn.send(record!.askedBy, notice);
  if (task !== null) turn.send(WORK_DESKS.orchestrator, notice);
}

function announce(turn: TicketTurn, row: TicketRow): void {
  const { id, title, status, priority, task, resolution } = row;
  const by = status === 'resolved' ? resolution!.by : null;
  turn.emit({ type: 'ticket.listed', ticket: id, title, status, priority, task, by });
}
