/**
 * The state of one ticket as data, and its changes as pure functions from context to patch. The machine in ticket.ts
 * decides which of them happens when.
 */
import { type AnyActorRef } from 'xstate';
import { type Table, table } from '../../../table.ts';
import { type ClarityInput, type ClarityVerdict, followUpOf } from '../clarity/clarity-score.ts';
import { numberKey } from '../../rules/table-keys.ts';
import {
  type PassedEvent,
  type TicketNotice,
  type TicketQuestion,
  type TicketResolution,
  type TicketType,
} from './ticket-messages.ts';
import { type OrderFacts, type TicketTimes } from './ticket-rules.ts';

/** Most earlier replies that a review reads (MX-098), and most characters of its input: 80 % of 2,500 tokens. */
const EARLIER_REPLIES_MAX = 5;
const REVIEW_CHARS_MAX = 0.8 * 2_500 * 4;

/** The review of a reply. */
export interface Review extends ClarityVerdict {
  readonly atMs: number;
  /** The reason why the rule's score replaced the host's; null if it did not. */
  readonly note: string | null;
}

/** An entry of a thread: a reply, or a question that follows a review. */
export type ThreadEntry =
  | {
      readonly kind: 'reply';
      readonly number: number;
      readonly by: string;
      readonly author: 'person' | 'agent';
      readonly text: string;
      readonly option: string | null;
      readonly atMs: number;
      /** The review; null until there is one. */
      readonly review: Review | null;
      /** The reason why there will be no review; null if there is or will be one. */
      readonly unreviewed: string | null;
    }
  | {
      readonly kind: 'follow-up';
      readonly number: number;
      readonly text: string;
      readonly questions: readonly string[];
      readonly atMs: number;
    };

export type ReplyEntry = Extract<ThreadEntry, { readonly kind: 'reply' }>;

/** The question of a ticket, whose kind `question` is replaced by its other name. Its key is known to the desk. */
export type AskedQuestion = Omit<TicketQuestion, 'kind' | 'key'> & { readonly kind: TicketType };

export interface TicketInput {
  readonly id: string;
  readonly question: AskedQuestion;
  readonly askedBy: AnyActorRef | null;
  readonly times: TicketTimes;
  readonly desk: AnyActorRef;
}

export interface TicketContext extends TicketInput, OrderFacts {
  readonly question: AskedQuestion;
  readonly thread: Table<ThreadEntry>;
  /** Entries that the thread had when the ticket was last opened. */
  readonly entriesBefore: number;
  /** The number of the reply under review; null if there is none. */
  readonly pending: number | null;
  /** The latest verdict since the ticket was last opened. */
  readonly verdict: ClarityVerdict | null;
  /** Follow-ups since the ticket was last opened. */
  readonly followUps: number;
  /** Reviews since the ticket was first opened. */
  readonly reviews: number;
  readonly reopens: number;
  readonly openedAtMs: number;
  readonly updatedAtMs: number;
  /** The time since when the ticket waits: its opening or last reopening. */
  readonly waitingSinceMs: number;
  /** Number of reminders whose times have passed. Of those that passed while the system was down, people got one. */
  readonly reminders: number;
  /** The time at which the ticket became overdue; null if it did not. */
  readonly overdueAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly resolution: TicketResolution | null;
  readonly rejection: { readonly by: string; readonly reason: string } | null;
  /** The reason for the escalation; null if there was none. */
  readonly escalation: string | null;
  readonly rating: number | null;
}

/** The parts of a question and of a ticket that its row has. */
const OF_QUESTION = ['kind', 'priority', 'title', 'creator', 'audience', 'task', 'isBlocking', 'about'] as const;
const OF_TICKET = [
  ...(['id', 'status', 'version', 'assignee', 'reviews', 'followUps', 'reopens', 'openedAtMs', 'updatedAtMs'] as const),
  ...(['overdueAtMs', 'settledAtMs', 'resolution', 'rejection', 'escalation', 'rating'] as const),
] as const;

/** A ticket in its desk's list. */
export interface TicketRow
  extends Pick<AskedQuestion, (typeof OF_QUESTION)[number]>,
    Pick<TicketContext, (typeof OF_TICKET)[number]> {
  readonly number: number;
  /** The time at which the ticket becomes overdue; null once it has ended. */
  readonly dueAtMs: number | null;
  /** The description of an archived ticket, whose actor has ended; null before. */
  readonly description: string | null;
}

/** The context of a new ticket. */
export function newTicket(input: TicketInput, nowMs: number): TicketContext {
  return {
    ...input,
    status: 'open',
    version: 1,
    assignee: input.question.assignee,
    entries: 0,
    entriesBefore: 0,
    thread: table(),
    pending: null,
    verdict: null,
    followUps: 0,
    reviews: 0,
    reopens: 0,
    openedAtMs: nowMs,
    updatedAtMs: nowMs,
    waitingSinceMs: nowMs,
    reminders: 0,
    overdueAtMs: null,
    settledAtMs: null,
    resolution: null,
    rejection: null,
    escalation: null,
    rating: null,
  };
}

/** The time at which a waiting ticket becomes overdue. */
export function dueAtMs({ question, times, waitingSinceMs }: TicketContext): number {
  return waitingSinceMs + times.resolveWithinMs[question.priority];
}

/** The row of a ticket in the list of its desk. */
export function rowOf(context: TicketContext): TicketRow {
  const { id, status, question, settledAtMs } = context;
  return {
    ...picked(question, OF_QUESTION),
    ...picked(context, OF_TICKET),
    number: numberOf(id),
    dueAtMs: settledAtMs === null ? dueAtMs(context) : null,
    description: status === 'archived' ? question.description : null,
  };
}

function picked<Whole, Key extends keyof Whole>(whole: Whole, keys: readonly Key[]): Pick<Whole, Key> {
  return Object.fromEntries(keys.map((key) => [key, whole[key]])) as Pick<Whole, Key>;
}

/** The sequence number in the id of a ticket. */
export function numberOf(id: string): number {
  return Number(id.slice('TK-'.length));
}

type Patch = Partial<TicketContext>;

/** A patch that also raises the version. */
function changed(context: TicketContext, nowMs: number, patch: Patch): Patch {
  return { ...patch, version: context.version + 1, updatedAtMs: nowMs };
}

/** Adds a reply, which is then the reply under review, unless it states why it is not reviewed. */
export function withReply(
  context: TicketContext,
  { by, author, text, option }: PassedEvent<'reply.given'>,
  { nowMs, unreviewed }: { readonly nowMs: number; readonly unreviewed: string | null },
): Patch {
  const number = context.entries + 1;
  const entry: ThreadEntry = { kind: 'reply', number, by, author, text, option, atMs: nowMs, review: null, unreviewed };
  const thread = context.thread.set(numberKey(number), entry);
  return changed(context, nowMs, { thread, entries: number, ...(unreviewed === null && { pending: number }) });
}

/** The reply under review. */
export function pendingReply({ thread, pending }: Pick<TicketContext, 'thread' | 'pending'>): ReplyEntry {
  return thread.get(numberKey(pending!)) as ReplyEntry;
}

/** The input of a review: the question, a reply, and as many earlier replies as fit. */
export function reviewInput(
  { question, thread, entriesBefore }: Pick<TicketContext, 'question' | 'thread' | 'entriesBefore'>,
  { number, text, option }: Pick<ReplyEntry, 'number' | 'text' | 'option'>,
): ClarityInput {
  const { title, description, options, evidence } = question;
  const before = [...thread.values({ from: numberKey(entriesBefore + 1), below: numberKey(number) })].filter(
    (entry): entry is ReplyEntry => entry.kind === 'reply' && entry.unreviewed === null,
  );
  let left = REVIEW_CHARS_MAX - title.length - description.length - text.length;
  const earlier: string[] = [];
  for (const { text: said } of before.slice(-EARLIER_REPLIES_MAX).toReversed()) {
    if (said.length > left) break;
    left -= said.length;
    earlier.unshift(said);
  }
  return { title, description, options, evidence, reply: text, option, earlier };
}

/** Records the review of the pending reply. */
export function withReview(context: TicketContext, review: Review): Patch {
  const reviewed = { ...pendingReply(context), review };
  const { atMs: _, note: __, ...verdict } = review;
  return changed(context, review.atMs, {
    thread: context.thread.set(numberKey(reviewed.number), reviewed),
    reviews: context.reviews + 1,
    verdict,
    // The resolution names the reply that passed.
    ...(verdict.isPassed ? { resolution: resolutionBy(reviewed, review) } : { pending: null }),
  });
}

function resolutionBy({ text, option, by }: ReplyEntry, { total, atMs }: Review): TicketResolution {
  return { text, option, by, byHand: false, reason: null, score: total, atMs };
}

/** Adds the follow-up to the reply just reviewed. */
export function withFollowUp(context: TicketContext, nowMs: number): Patch {
  const number = context.entries + 1;
  const entry: ThreadEntry = { kind: 'follow-up', number, ...followUpOf(context.verdict!), atMs: nowMs };
  return { thread: context.thread.set(numberKey(number), entry), entries: number, followUps: context.followUps + 1 };
}

export function withResolution(
  context: TicketContext,
  { text, by, reason }: PassedEvent<'ticket.resolve'>,
  nowMs: number,
): Patch {
  const resolution = { text, option: null, by, byHand: true, reason, score: null, atMs: nowMs };
  return changed(context, nowMs, { resolution, pending: null });
}

export function withRejection(
  context: TicketContext,
  { by, reason }: PassedEvent<'ticket.reject'>,
  nowMs: number,
): Patch {
  return changed(context, nowMs, { rejection: { by, reason }, pending: null });
}

export function withEscalation(context: TicketContext, reason: string, nowMs: number): Patch {
  return changed(context, nowMs, { escalation: reason, pending: null });
}

/** Reopens an ended ticket. Follow-ups, times and reminders start again; the thread stays. */
export function withReopening(context: TicketContext, nowMs: number): Patch {
  return changed(context, nowMs, {
    reopens: context.reopens + 1,
    entriesBefore: context.entries,
    waitingSinceMs: nowMs,
    followUps: 0,
    reminders: 0,
    ...{ verdict: null, resolution: null, rejection: null, escalation: null, rating: null },
    ...{ overdueAtMs: null, settledAtMs: null, pending: null },
  });
}

export function withAssignee(context: TicketContext, { assignee }: PassedEvent<'ticket.assign'>, nowMs: number): Patch {
  return changed(context, nowMs, { assignee });
}

export function withRating(context: TicketContext, { rating }: PassedEvent<'ticket.rate'>, nowMs: number): Patch {
  return changed(context, nowMs, { rating });
}

/** Marks a waiting ticket as overdue. */
export function withOverdue(context: TicketContext, nowMs: number): Patch {
  return changed(context, nowMs, { overdueAtMs: nowMs });
}

/** The notice about a ticket's current state; undefined for a state of which askers are not notified. */
export function noticeOf(context: TicketContext, event: { readonly type: string }): TicketNotice | undefined {
  const { id: ticket, status, question, version, resolution, rejection, escalation } = context;
  const { about, task, priority, isBlocking, title } = question;
  const facts = { ticket, about, task, priority, version };
  switch (status) {
    case 'resolved':
      return { ...facts, type: 'ticket.resolved', resolution: resolution! };
    case 'rejected':
      return { ...facts, type: 'ticket.rejected', ...rejection! };
    case 'escalated':
      return { ...facts, type: 'ticket.escalated', reason: escalation! };
    case 'open': {
      if (version === 1) return { ...facts, type: 'ticket.opened', isBlocking, title };
      if (event.type !== 'ticket.reopen') return undefined;
      const { by, reason } = event as PassedEvent<'ticket.reopen'>;
      return { ...facts, type: 'ticket.reopened', by, reason };
    }
    default:
      return undefined;
  }
}
