/** Tickets as the page shows them: rows from the desk's context, urgency, words, and the orders of people. Pure. */
import { counted, duration } from '../format.ts';
import { BY, type DeskOrder, field } from './desk-orders.ts';
import { openPartOf, type Part, partOf } from '../part.ts';
import { type DeskContexts, type ThreadShown, type TicketRow, type TicketShown } from './desk-shapes.ts';

/** Label and tone of each status. */
export const TICKET_STATES: Readonly<Record<TicketRow['status'], readonly [words: string, tone: string]>> = {
  open: ['open', 'warn'],
  in_review: ['reply is reviewed', 'calm'],
  escalated: ['escalated', 'bad'],
  resolved: ['resolved', 'good'],
  rejected: ['rejected', 'calm'],
  archived: ['archived', 'calm'],
};

/** The tables of the ticket desk; a list of those that wait needs no other shelf. */
type TicketShelves = Pick<DeskContexts['ticket-desk'], 'waiting' | 'rows'> &
  Partial<Pick<DeskContexts['ticket-desk'], 'settled' | 'archived'>>;

/** Tickets that wait by the time at which they are due; then ended ones, the latest first. */
export function ticketRows(context: TicketShelves | undefined): Part<TicketRow> {
  const actors = new Map(openPartOf(context?.rows).rows.map(({ id, ref }) => [id, ref]));
  const { rows, left } = partOf(context?.waiting, context?.settled, context?.archived);
  return {
    rows: rows
      .map((row) => ({ ...row, ref: actors.get(row.id) ?? null }))
      .sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || (isOver(a) ? b.number - a.number : due(a) - due(b))),
    left,
  };
}

/** Whether a ticket no longer waits for an answer. */
export function isOver({ settledAtMs }: Pick<TicketRow, 'settledAtMs'>): boolean {
  return settledAtMs !== null;
}

function due({ dueAtMs }: TicketRow): number {
  return dueAtMs ?? Number.MAX_SAFE_INTEGER;
}

/** The work that waits for a ticket, or is its subject, in a sentence; empty if there is none. */
export function stake(row: Pick<TicketRow, 'task' | 'isBlocking' | 'settledAtMs'>): string {
  const { task, isBlocking } = row;
  if (task === null) return '';
  return isBlocking && !isOver(row) ? `${task} waits for the answer.` : `About ${task}.`;
}

/** The thread of a ticket, in order. */
export function threadOf({ thread }: TicketShown): Part<ThreadShown> {
  const { rows, left } = partOf<ThreadShown>(thread);
  return { rows: rows.toSorted((a, b) => a.number - b.number), left };
}

/** The scores of a reply in words, or the reason why there are none. */
export function scoreText(entry: Extract<ThreadShown, { kind: 'reply' }>): string {
  const { review, unreviewed } = entry;
  if (review === null) return unreviewed === null ? 'not reviewed' : `kept: ${unreviewed}`;
  const { total, clarity, completeness, accuracy, note } = review;
  const why = note === null ? '' : ` (by rule: ${note})`;
  return `${total} of 100: clear ${clarity}, complete ${completeness}, accurate ${accuracy}${why}`;
}

/** The numbers of reviews and the times of a ticket in words; empty for a ticket without a reply. */
export function roundsText({ reviews, followUps, reopens, overdueAtMs, openedAtMs }: TicketRow): string {
  return [
    ...(reviews === 0 ? [] : [`${counted(reviews, 'review')}, ${counted(followUps, 'follow-up')}`]),
    ...(reopens === 0 ? [] : [`reopened ${counted(reopens, 'time')}`]),
    ...(overdueAtMs === null ? [] : [`overdue after ${duration(overdueAtMs - openedAtMs)}`]),
  ].join(' · ');
}

/** The score that a reply would get, as the desk answers `tickets.preview`. */
export interface Preview {
  readonly verdict?: {
    readonly total: number;
    readonly isPassed: boolean;
    readonly points: readonly { readonly missing: string; readonly question: string }[];
  };
}

const reason = field('reason');

const optional = (name: string, description: string) => field(name, { isRequired: false, description });

/** The order by which a person opens a ticket. */
export function openTicket(desk: string): DeskOrder {
  return {
    title: 'Open a ticket',
    verb: 'Open',
    address: desk,
    fields: [
      field('question', { description: 'One specific question.' }),
      optional('details', 'What else there is to know.'),
      optional('options', 'The possible answers, separated by semicolons: they become buttons.'),
      optional('for', 'The name of the person who should answer.'),
      field('priority', { kind: 'choice', options: ['1', '2', '3'], initial: '2', hint: '1 is the most urgent' }),
      BY,
    ],
    means:
      'It waits in the inbox until somebody answers, with reminders; a reply that leaves something open is asked back.',
    eventOf: ({ question = '', details = '', options = '', for: assignee = '', priority = '2', by = '' }) => ({
      ...{ type: 'tickets.open', kind: 'ai_to_human', title: question.trim(), creator: by, priority: Number(priority) },
      ...(details.trim() !== '' && { description: details.trim() }),
      ...(options.trim() !== '' && { options: optionsIn(options) }),
      ...(assignee.trim() !== '' && { assignee: assignee.trim() }),
    }),
    done: 'The ticket is open.',
  };
}

function optionsIn(text: string): string[] {
  return [...new Set(text.split(';').map((option) => option.trim()))].filter((option) => option !== '');
}

export function resolveTicket(desk: string, { id, version }: TicketRow): DeskOrder {
  return {
    title: `Resolve ${id} by hand`,
    verb: 'Resolve',
    address: desk,
    fields: [field('answer'), BY, reason],
    means: 'The answer holds as you write it, whatever a review would say. Your name and reason go on record.',
    eventOf: ({ answer = '', by = '', reason: why = '' }) => ({
      type: 'tickets.resolve',
      ticket: id,
      by,
      text: answer,
      reason: why,
      ifVersion: version,
    }),
    done: `${id} is resolved.`,
  };
}

export function rejectTicket(desk: string, row: TicketRow): DeskOrder {
  const means = 'It will not be answered; the asker is told why.';
  return withReason(desk, row, { type: 'tickets.reject', verb: 'Reject', means, isDangerous: true, done: 'rejected' });
}

export function reopenTicket(desk: string, row: TicketRow): DeskOrder {
  const means = 'It waits for an answer again; the asker is told why.';
  return withReason(desk, row, { type: 'tickets.reopen', verb: 'Reopen', means, done: 'open again' });
}

export function escalateTicket(desk: string, row: TicketRow): DeskOrder {
  const means = 'It goes to those who supervise the work. Replies are kept, and no longer reviewed.';
  return withReason(desk, row, { type: 'tickets.escalate', verb: 'Escalate', means, done: 'escalated' });
}

export function assignTicket(desk: string, { id, version }: TicketRow): DeskOrder {
  return {
    title: `Reassign ${id}`,
    verb: 'Reassign',
    address: desk,
    fields: [field('to', { hint: 'a name' }), BY],
    means: 'Whose move it is. Everybody of its audience may still reply.',
    eventOf: ({ to = '', by = '' }) => ({ type: 'tickets.assign', ticket: id, by, assignee: to, ifVersion: version }),
    done: `${id} is reassigned.`,
  };
}

interface Reasoned extends Pick<DeskOrder, 'verb' | 'means' | 'isDangerous'> {
  readonly type: string;
  readonly done: string;
}

function withReason(desk: string, { id, version }: TicketRow, { type, verb, done, ...rest }: Reasoned): DeskOrder {
  return {
    ...rest,
    title: `${verb} ${id}`,
    verb,
    address: desk,
    fields: [BY, reason],
    eventOf: ({ by = '', reason: why = '' }) => ({ type, ticket: id, by, reason: why, ifVersion: version }),
    done: `${id} is ${done}.`,
  };
}
