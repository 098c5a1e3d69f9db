/**
 * Notifies people about a ticket: that it waits, is followed up, overdue or escalated, and that it is settled. There is
 * one card per ticket and kind, at the alert desk.
 */
import { ANYBODY } from '../audience.ts';
import { type Notice, type Settlement, notify, settle } from '../notice.ts';
import { numberKey } from '../../rules/table-keys.ts';
import { type Turn } from '../../rules/turn.ts';
import { priorityText } from './ticket-rules.ts';
import { type TicketContext } from './ticket-state.ts';

type TicketTurn = Turn<TicketContext>;

/** The alert cards about a ticket. */
export function cardsOfTicket(id: string): Pick<Settlement, 'subject' | 'kinds'> {
  return { subject: `ticket ${id}`, kinds: ['ticket.waiting', 'ticket.overdue', 'ticket.escalated'] };
}

/** Notifies people that a ticket waits for them. */
export function noticeWaiting(turn: TicketTurn): void {
  const { question } = turn.context;
  const task =
    question.task === null ? '' : `${question.task}${question.isBlocking ? ' waits for it' : ' is its task'}. `;
  const detail = `${task}Waiting for an answer.`;
  notify(turn, {
    ...about(turn.context),
    kind: 'ticket.waiting',
    priority: isUrgent(turn) ? 'HIGH' : 'MEDIUM',
    detail,
  });
}

/** Reminds people of a ticket that has no reply. */
export function noticeReminder(turn: TicketTurn): void {
  const detail = `Still no answer, reminder ${turn.context.reminders}.`;
  notify(turn, { ...about(turn.context), kind: 'ticket.waiting', priority: 'HIGH', detail, delivery: 'again' });
}

/** Notifies people that the last reply was not clear enough, with the questions about it. */
export function noticeFollowUp(turn: TicketTurn): void {
  const entry = turn.context.thread.get(numberKey(turn.context.entries));
  if (entry?.kind !== 'follow-up') return;
  const detail = [entry.text, ...entry.questions].join('\n');
  notify(turn, {
    ...about(turn.context),
    kind: 'ticket.waiting',
    priority: isUrgent(turn) ? 'HIGH' : 'MEDIUM',
    detail,
  });
}

/** Notifies people that a ticket is overdue for its priority. */
export function noticeOverdue(turn: TicketTurn): void {
  const { question, times } = turn.context;
  const minutes = Math.round(times.resolveWithinMs[question.priority] / 60_000);
  const detail = `No answer within ${minutes} minutes, the time of a ticket of ${priorityText(question.priority)}.`;
  notify(turn, {
    ...about(turn.context),
    kind: 'ticket.overdue',
    priority: isUrgent(turn) ? 'CRITICAL' : 'HIGH',
    detail,
  });
}

/** Notifies people that a ticket was escalated. */
export function noticeEscalated(turn: TicketTurn): void {
  const detail = `Escalated: ${turn.context.escalation!}`;
  notify(turn, { ...about(turn.context), kind: 'ticket.escalated', priority: 'CRITICAL', detail });
}

/** Tells people how a ticket has ended. */
export function noticeEnd(turn: TicketTurn): void {
  const { resolution, rejection } = turn.context;
  const detail =
    resolution === null
      ? `Rejected by ${rejection!.by}: ${rejection!.reason}`
      : `Answered by ${resolution.by}: ${resolution.option ?? resolution.text}`;
  const kind = resolution === null ? 'ticket.rejected' : 'ticket.resolved';
  notify(turn, { ...about(turn.context), kind, priority: 'LOW', detail, delivery: 'only' });
}

/** Closes the cards about a ticket. */
export function settleCards(turn: TicketTurn, because: string): void {
  settle(turn, { ...cardsOfTicket(turn.context.id), because });
}

function isUrgent({ context }: TicketTurn): boolean {
  return context.question.priority === 1;
}

function about({ id, question, assignee }: TicketContext): Pick<Notice, 'subject' | 'title' | 'audience'> & {
  readonly mayAcknowledge?: readonly string[];
} {
  const audience = assignee === null ? question.audience : [assignee];
  // Anybody who may answer may say that the card is seen to.
  const known = question.audience.includes(ANYBODY) ? {} : { mayAcknowledge: acknowledgers(question, assignee) };
  return { subject: `ticket ${id}`, title: `${id}: ${question.title}`, audience, ...known };
}

function acknowledgers(
  { audience, creator }: { readonly audience: readonly string[]; readonly creator: string },
  assignee: string | null,
): readonly string[] {
  return [...new Set([...audience, creator, ...(assignee === null ? [] : [assignee])])].slice(0, 100);
}
