/**
 * The actions of a ticket, each in a turn of its own: they apply the changes of ticket-state.ts, answer orders, arm
 * timers, and say to the desk, to the asker, to people and on record how the ticket stands.
 */
import { z } from 'zod';
import { heard, type Known, late } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { isAnswerTo, scoreReply } from '../clarity/clarity.ts';
import { CLARITY_CONTRACT, type ClarityScore, type ClarityVerdict, verdictOf } from '../clarity/clarity-score.ts';
import { answerOrder, type PassedOrder } from '../../rules/desk.ts';
import { inTurn, type Turn } from '../../rules/turn.ts';
import { type PassedEvent, type TicketReply, type TicketStatus } from './ticket-messages.ts';
import {
  noticeEnd,
  noticeEscalated,
  noticeFollowUp,
  noticeOverdue,
  noticeReminder,
  noticeWaiting,
  settleCards,
} from './ticket-notices.ts';
import { NOT_RESPONDING, refusalOf, unreviewedBecause, WAITING } from './ticket-rules.ts';
import {
  dueAtMs,
  noticeOf,
  pendingReply,
  reviewInput,
  rowOf,
  type TicketContext,
  type TicketRow,
  withAssignee,
  withEscalation,
  withFollowUp,
  withOverdue,
  withRating,
  withRejection,
  withReopening,
  withReply,
  withResolution,
  withReview,
} from './ticket-state.ts';

/** The report of a ticket to its desk after every change. */
export interface TicketChanged {
  readonly type: 'ticket.changed';
  readonly row: TicketRow;
}

export type TicketEvent =
  | (PassedEvent & PassedOrder)
  /** The ticket's own timers. */
  | { readonly type: 'ticket.remind' | 'ticket.overdue' };

/** The reply to `tickets.preview`. */
export interface PreviewReply extends TicketReply {
  readonly verdict: ClarityVerdict;
}

type TicketTurn = Turn<TicketContext>;

/** A line of a ticket's history (MX-090), kept as a record. */
export const historyLine = z.object({
  what: z.string(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  version: z.int(),
  atMs: z.number(),
});

/** The reason why a reply is kept without a review; undefined if it is reviewed. */
export function unreviewed(context: TicketContext, event: PassedEvent<'reply.given'>): string | undefined {
  const { status, question, entries } = context;
  const { text, option, author } = event;
  const isAnswer = isAnswerTo(reviewInput(context, { number: entries + 1, text, option }));
  return unreviewedBecause({ status, kind: question.kind }, { author, text, isAnswer });
}

const act = (does: (turn: TicketTurn, event: TicketEvent) => void) =>
  inTurn<TicketContext, TicketEvent, undefined>(does);

/** The change made by an order, and the reply to the order. */
function changeBy<As extends PassedEvent['type']>(
  change: (context: TicketContext, event: PassedEvent<As>, nowMs: number) => Partial<TicketContext>,
) {
  return act((turn, event) => {
    turn.assign(change(turn.context, event as PassedEvent<As>, turn.nowMs));
    take(turn, event);
  });
}

/** The actions of the machine, by their names in the chart. */
export const ticketActions = {
  refuse: act((turn, event) =>
    answerOrder(turn, turn.context.id, event as PassedOrder, refusalOf(turn.context, event as PassedEvent)!),
  ),

  noteReply: act((turn, event) => {
    const given = event as PassedEvent<'reply.given'>;
    const because = unreviewed(turn.context, given) ?? null;
    turn.assign(withReply(turn.context, given, { nowMs: turn.nowMs, unreviewed: because }));
    take(turn, event, because === null ? [] : [`kept, not reviewed: ${because}`]);
  }),

  /** Returns the score that the rule gives to a reply, without changing the ticket. */
  preview: act((turn, event) => {
    const { text, option } = event as PassedEvent<'reply.preview'>;
    const { id, entries } = turn.context;
    const verdict = verdictOf(scoreReply(reviewInput(turn.context, { number: entries + 1, text, option })));
    answerOrder(turn, id, event as PassedOrder, { ...taken(turn.context), verdict } as PreviewReply);
  }),

  noteScore: act((turn, event) => review(turn, heard({ ...CLARITY_CONTRACT, timeoutMs: 0 }, event))),
  noteLate: act((turn) => {
    const { times, question } = turn.context;
    review(turn, late({ ...CLARITY_CONTRACT, timeoutMs: times.scoreWithinMs[question.priority] }));
  }),
  followUp: act((turn) => {
    turn.assign(withFollowUp(turn.context, turn.nowMs));
    noticeFollowUp(turn);
  }),

  noteResolution: changeBy<'ticket.resolve'>(withResolution),
  noteRejection: changeBy<'ticket.reject'>(withRejection),
  noteReopening: changeBy<'ticket.reopen'>((context, _, nowMs) => withReopening(context, nowMs)),
  noteRating: changeBy<'ticket.rate'>(withRating),
  noteAssignee: changeBy<'ticket.assign'>(withAssignee),
  noteEscalation: changeBy<'ticket.escalate'>((context, { reason }, nowMs) => withEscalation(context, reason, nowMs)),
  noteNoAnswer: act((turn) => turn.assign(withEscalation(turn.context, NOT_RESPONDING, turn.nowMs))),

  noteOverdue: act((turn) => {
    turn.assign(withOverdue(turn.context, turn.nowMs));
    noticeOverdue(turn);
  }),

  /** Reminds people once, by the last of the reminders whose times have passed. */
  remind: act((turn) => {
    const { status, reminders, overdueAtMs } = turn.context;
    const [atMs, dueMs] = [reminderAtMs(turn.context)!, dueAtMs(turn.context)];
    turn.assign({ reminders: Math.max(reminders + 1, passedReminders(turn)) });
    // It became overdue after the reminder's time, while the system was down, and people are about to hear that.
    const isLate = overdueAtMs === null && atMs < dueMs && dueMs <= turn.nowMs;
    // A reply that is being reviewed needs no reminder.
    if (status !== 'in_review' && !isLate) noticeReminder(turn);
    armReminder(turn);
  }),

  /** Starts the reminders and the deadline, when the ticket is opened or reopened. */
  arm: act((turn) => {
    noticeWaiting(turn);
    armReminder(turn);
    turn.cancel('due');
    turn.raise({ type: 'ticket.overdue' }, { id: 'due', delay: until(turn, dueAtMs(turn.context)) });
  }),

  /** Cancels the reminders and the deadline. */
  disarm: act((turn) => {
    turn.cancel('reminder');
    turn.cancel('due');
    turn.assign({ settledAtMs: turn.nowMs });
  }),

  /** Reports the ticket's new state to the desk. */
  enter: inTurn((turn: TicketTurn, event: TicketEvent, { status }: { readonly status: TicketStatus }): void => {
    const { status: before } = turn.context;
    turn.assign({ status });
    tellDesk(turn);
    note(turn, event, before);
    tellAsker(turn, event);
    if (status === 'escalated') noticeEscalated(turn);
    if (status === 'in_review') settleCards(turn, 'somebody has replied');
    else if (!(WAITING as readonly TicketStatus[]).includes(status)) {
      settleCards(turn, `the ticket is ${status}`);
      if (status !== 'archived') noticeEnd(turn);
    }
  }),

  /** Reports a change within the ticket's state to the desk. */
  report: act((turn, event) => {
    tellDesk(turn);
    note(turn, event, turn.context.status);
  }),
};

function taken({ id: ticket, version }: TicketContext, problems: readonly string[] = []): TicketReply {
  return { taken: true, problems, ticket, version, code: null };
}

function take(turn: TicketTurn, event: TicketEvent, remarks: readonly string[] = []): void {
  answerOrder(turn, turn.context.id, event as PassedOrder, taken(turn.context, remarks));
}

/** Records the score of the pending reply: the port's, or the rule's own if the port gave none. */
function review(turn: TicketTurn, score: Known<ClarityScore>): void {
  const { context, nowMs: atMs } = turn;
  const own = score.isKnown ? score.value : scoreReply(reviewInput(context, pendingReply(context)));
  turn.assign(withReview(context, { ...verdictOf(own), atMs, note: score.isKnown ? null : score.why }));
}

function armReminder(turn: TicketTurn): void {
  const atMs = reminderAtMs(turn.context);
  turn.cancel('reminder');
  if (atMs !== undefined) turn.raise({ type: 'ticket.remind' }, { id: 'reminder', delay: until(turn, atMs) });
}

/** The time of the next reminder; undefined if there is none. */
function reminderAtMs({ times, question, reminders, waitingSinceMs }: TicketContext): number | undefined {
  const afterMs = times.remindAfterMs[question.priority][reminders];
  return afterMs === undefined ? undefined : waitingSinceMs + afterMs;
}

/** Number of reminders whose times have passed. */
function passedReminders({ context: { times, question, waitingSinceMs }, nowMs }: TicketTurn): number {
  return times.remindAfterMs[question.priority].filter((ms) => waitingSinceMs + ms <= nowMs).length;
}

function until({ nowMs }: TicketTurn, atMs: number): number {
  return Math.max(0, atMs - nowMs);
}

function tellDesk(turn: TicketTurn): void {
  turn.send(turn.context.desk, { type: 'ticket.changed', row: rowOf(turn.context), ticket: turn.self });
}

function tellAsker(turn: TicketTurn, event: TicketEvent): void {
  const notice = noticeOf(turn.context, event);
  if (notice === undefined) return;
  const { askedBy, question } = turn.context;
  if (askedBy !== null) turn.send(askedBy, notice);
  if (question.task !== null) turn.send(WORK_DESKS.orchestrator, notice);
}

function note(turn: TicketTurn, event: TicketEvent, from: TicketStatus): void {
  const { status: to, version } = turn.context;
  const { by = null, reason = null } = event as { readonly by?: string; readonly reason?: string };
  turn.record('history', { what: whatOf(event.type), by, reason, from, to, version, atMs: turn.nowMs });
}

/** The name of an event in the history, in place of XState's internal event names. */
function whatOf(type: string): string {
  if (type === 'xstate.init') return 'ticket.open';
  if (type.startsWith('xstate.after.')) return 'timer';
  return type.startsWith('xstate.') ? 'reply.scored' : type;
}
