/**
 * Messages about tickets (seed 000): the orders that the ticket desk takes, its replies, and the notices by which an
 * agent that has asked hears how its ticket goes on. Schemas and types only; the bounds are in limits.ts.
 */
import { z } from 'zod';
import {
  GATE_AUDIENCE_MAX,
  TICKET_DESCRIPTION_CHARS_MAX,
  TICKET_EVIDENCE_CHARS_MAX,
  TICKET_EVIDENCE_MAX,
  TICKET_OPTIONS_MAX,
  TICKET_REASON_CHARS_MAX,
  TICKET_REPLY_CHARS_MAX,
  TICKET_RESOLUTION_CHARS_MAX,
  TICKET_TITLE_CHARS_MAX,
  TICKETS_PAGE_MAX,
} from '../../limits.ts';
import { name, person, programOrPerson } from '../../work/message-schema.ts';
import { type OrderReply } from '../../rules/turn.ts';

/** The types of tickets (MX-091). `question` is another name for `user_direct_query`. */
export const ticketType = z.enum(['ai_to_human', 'human_to_ai', 'investigation', 'user_direct_query']);
export type TicketType = z.infer<typeof ticketType>;

/** The statuses of tickets in lists (MX-092). The specification calls `in_review` `resolved_awaiting_clarity`. */
export const ticketStatus = z.enum(['open', 'in_review', 'escalated', 'resolved', 'rejected', 'archived']);
export type TicketStatus = z.infer<typeof ticketStatus>;

/** The specification's name for a ticket whose reply is under review. */
export const AWAITING_CLARITY = 'resolved_awaiting_clarity';

export const ticketPriority = z.literal([1, 2, 3]);
/** The priority of a ticket: 1 is the most urgent. */
export type TicketPriority = z.infer<typeof ticketPriority>;

/** The id of a ticket: `TK-0001`, with more digits from 10,000 on. */
export const ticketId = z.string().regex(/^TK-\d{4,12}$/, 'a ticket id is TK- and a number of at least four digits');

/** A passage that bears on the question, shown to the person who answers. */
export const ticketEvidence = z.object({
  /** The location of the passage: a file with its line, or the id of an earlier ticket. */
  source: name,
  excerpt: z.string().max(TICKET_EVIDENCE_CHARS_MAX),
  /**
   * Whether the source settles the question (a manifest, a decision record, a person's earlier answer). A reply that
   * contradicts such a source is queried.
   */
  isDeclared: z.boolean().default(false),
});
export type TicketEvidence = z.output<typeof ticketEvidence>;

/** A text whose bound is told in plain words to the person who exceeds it. */
const boundedText = (chars: number) => z.string().max(chars, `at most ${chars} characters`);

/** The possible answers to a question, if there are only a few. */
export const ticketOptions = z.array(name).max(TICKET_OPTIONS_MAX, `at most ${TICKET_OPTIONS_MAX} options`);

/** The question of a ticket, as `tickets.open` gives it. */
export const ticketQuestion = z.object({
  kind: z.enum([...ticketType.options, 'question']),
  priority: ticketPriority.default(2),
  title: boundedText(TICKET_TITLE_CHARS_MAX).min(1),
  description: boundedText(TICKET_DESCRIPTION_CHARS_MAX).default(''),
  options: ticketOptions.default([]),
  evidence: z.array(ticketEvidence).max(TICKET_EVIDENCE_MAX).default([]),
  /** The name of the person or agent that opens the ticket. */
  creator: programOrPerson,
  /** The person who should answer; null for any member of the audience. */
  assignee: name.nullable().default(null),
  /** Names of the people whose replies and orders count; `*` is anybody. Creator and assignee always count. */
  audience: z.array(name).min(1).max(GATE_AUDIENCE_MAX).default(['*']),
  /** The task to which the question belongs. */
  task: name.nullable().default(null),
  /** Whether the task waits for the answer; then it has to be named. */
  isBlocking: z.boolean().default(false),
  /**
   * Whether an agent that could not answer opens the ticket. Title and description then have narrower bounds (MX-101).
   */
  isEscalation: z.boolean().default(false),
  /** The asker's own reference, such as the id of its question; part of every notice. */
  about: name.nullable().default(null),
  /** Tickets that one creator opens with the same key are one ticket, as long as the desk lists it. */
  key: name.optional(),
});
export type TicketQuestion = z.output<typeof ticketQuestion>;

/** Fields that every order about a ticket has. */
const order = {
  ticket: ticketId,
  by: programOrPerson,
  /** Refuses the order if the ticket has changed since this version was read. */
  ifVersion: z.int().positive().optional(),
};

/** The fields of orders that only people give through a gateway. Agents of the crew give them too. */
const peopleOrder = { ...order, by: person };

const reason = z.string().min(1).max(TICKET_REASON_CHARS_MAX);

/** The orders that the ticket desk takes, from anybody. */
export const ticketOrders = {
  /** Opens a ticket. An agent may add `askedBy`, a reference to itself, and is then sent every notice. */
  'tickets.open': ticketQuestion,
  /** Adds a reply to the thread and has it reviewed. */
  'tickets.reply': z.object({
    ...peopleOrder,
    text: z.string().min(1).max(TICKET_REPLY_CHARS_MAX),
    /** The option that was chosen in a form. */
    option: name.nullable().default(null),
    /**
     * Whether a person or an agent wrote the reply. An agent's reply is reviewed only if a person asked the question.
     */
    author: z.enum(['person', 'agent']).default('person'),
  }),
  /** Resolves a ticket by hand, whatever the review says. */
  'tickets.resolve': z.object({ ...peopleOrder, text: z.string().min(1).max(TICKET_RESOLUTION_CHARS_MAX), reason }),
  /** Rejects a ticket, so that it will not be answered. */
  'tickets.reject': z.object({ ...peopleOrder, reason }),
  /** Opens a resolved or rejected ticket again. */
  'tickets.reopen': z.object({ ...order, reason }),
  /** Names the person who should answer; null for any member of the audience. */
  'tickets.assign': z.object({ ...order, assignee: name.nullable(), reason: reason.optional() }),
  /** Hands a ticket to those who supervise the work. */
  'tickets.escalate': z.object({ ...order, reason }),
  /** Records a rating of a resolved ticket. */
  'tickets.rate': z.object({ ...peopleOrder, rating: z.int().min(1).max(5) }),
  /** Replies with the score that a reply would get, without changing the ticket. */
  'tickets.preview': z.object({
    ticket: ticketId,
    text: z.string().min(1).max(TICKET_REPLY_CHARS_MAX),
    option: name.nullable().default(null),
  }),
} as const;

/** An agent's report of an issue that it has met (MX-112): it becomes a ticket. */
export const issueReport = z.object({
  description: z.string().trim().min(1).max(TICKET_DESCRIPTION_CHARS_MAX),
  /** 1 is critical. */
  severity: ticketPriority.default(2),
  task: name.nullable().default(null),
  file: name.nullable().default(null),
  /** How to see it again. */
  steps: z.string().max(TICKET_EVIDENCE_CHARS_MAX).default(''),
  /** Whether people are to see it at once, whatever its severity. */
  immediate: z.boolean().default(false),
  /** The name of the agent. */
  creator: programOrPerson,
});
export type IssueReport = z.output<typeof issueReport>;

/** Which tickets a page lists. */
export const ticketFilter = z.object({
  /** A status, `waiting` (open, in review or escalated; the default) or `settled` (resolved or rejected). */
  status: z.enum([...ticketStatus.options, 'waiting', 'settled']).default('waiting'),
  /** A person: only tickets that this person may answer are listed. */
  audience: name.optional(),
  /** The `next` of the page before. */
  after: z.string().max(100).optional(),
  limit: z.int().min(1).max(TICKETS_PAGE_MAX).default(50),
});
export type TicketFilter = z.output<typeof ticketFilter>;

/** An order about tickets, after parsing. */
export type TicketOrder<Type extends keyof typeof ticketOrders = keyof typeof ticketOrders> = {
  [Name in Type]: { readonly type: Name } & Readonly<z.output<(typeof ticketOrders)[Name]>>;
}[Type];

/**
 * The event types under which the desk passes orders to the ticket's actor. Types that begin with `reply` belong to the
 * clarity review (MX-042), the others to the ticket.
 */
export const PASSED_AS = {
  'tickets.reply': 'reply.given',
  'tickets.preview': 'reply.preview',
  'tickets.resolve': 'ticket.resolve',
  'tickets.reject': 'ticket.reject',
  'tickets.reopen': 'ticket.reopen',
  'tickets.assign': 'ticket.assign',
  'tickets.escalate': 'ticket.escalate',
  'tickets.rate': 'ticket.rate',
} as const satisfies Partial<Record<keyof typeof ticketOrders, string>>;

/** An order as the ticket's actor gets it. */
export type PassedEvent<
  As extends (typeof PASSED_AS)[keyof typeof PASSED_AS] = (typeof PASSED_AS)[keyof typeof PASSED_AS],
> = {
  [Type in keyof typeof PASSED_AS]: (typeof PASSED_AS)[Type] extends As
    ? { readonly type: (typeof PASSED_AS)[Type] } & Readonly<z.output<(typeof ticketOrders)[Type]>>
    : never;
}[keyof typeof PASSED_AS];

/** Why an order was refused, for programs. */
export type TicketRefusal =
  /** `ifVersion` is not the version of the ticket: read it again and repeat the order. */
  | 'TICKET_UPDATE_CONFLICT'
  | 'TICKET_UNKNOWN'
  /** The state of the ticket does not allow the order. */
  | 'TICKET_STATE'
  /** A bound is exceeded; the problem names it. */
  | 'TICKET_LIMIT'
  /** The question does not hold together: an option is given twice, or it blocks and names no task. */
  | 'TICKET_INVALID'
  /** The person may not give this order. */
  | 'TICKET_STRANGER'
  /** The option is not one of the ticket's. */
  | 'TICKET_OPTION'
  /** There is no Boss to start tickets. */
  | 'TICKET_UNAVAILABLE';

/** The reply to an order about a ticket. */
export interface TicketReply extends OrderReply {
  /** The ticket; null if it was not opened. */
  readonly ticket: string | null;
  /** The version after the order, or the current one if the order was refused; null if it is not known. */
  readonly version: number | null;
  readonly code: TicketRefusal | null;
}

/** The name under which the desk that answers questions writes in tickets. */
export const ANSWER_AI = 'Answer AI';

/** A person's question in a ticket, for the desk that answers questions (AT-042). */
export interface TicketAsked
  extends Readonly<Pick<TicketQuestion, 'title' | 'description' | 'options' | 'creator' | 'priority' | 'task'>> {
  readonly type: 'ticket.asked';
  readonly ticket: string;
}

/** The order by which work waits for the end of a ticket, from inside the system only. */
export interface AwaitTicket {
  readonly type: 'tickets.await';
  readonly ticket: string;
  /** The name of what waits: a repeated order replaces an earlier one. */
  readonly waiter: string;
}

/** The reply to {@link AwaitTicket}, once the ticket has ended. */
export interface EndedTicket extends TicketReply {
  readonly resolution: TicketResolution | null;
  readonly rejection: { readonly by: string; readonly reason: string } | null;
}

/** The reply to a report of an issue. */
export interface IssueReply extends TicketReply {
  /** Whether people can read of it in a ticket. */
  readonly logged: boolean;
  /** Whether they are asked with the highest urgency, and the task waits for them. */
  readonly escalated: boolean;
}

/** The answer to the question of a ticket. */
export interface TicketResolution {
  readonly text: string;
  /** The chosen option; null if none was chosen. */
  readonly option: string | null;
  readonly by: string;
  /** Whether a person resolved the ticket by hand instead of by a reply that passed its review. */
  readonly byHand: boolean;
  /** The reason for a resolution by hand; null otherwise. */
  readonly reason: string | null;
  /** The score of the reply that passed, 0 to 100; null if it was resolved by hand. */
  readonly score: number | null;
  readonly atMs: number;
}

/** Facts by which the receiver of a notice recognises the ticket. */
interface NoticeFacts {
  readonly ticket: string;
  readonly about: string | null;
  readonly task: string | null;
  readonly priority: TicketPriority;
  readonly version: number;
}

/**
 * Notices about a ticket. They go to the agent named in `askedBy`, and, if the ticket is about a task, to the
 * orchestrator.
 */
export type TicketNotice = NoticeFacts &
  (
    | { readonly type: 'ticket.opened'; readonly isBlocking: boolean; readonly title: string }
    /** The question is answered. A task that waits for it can go on. */
    | { readonly type: 'ticket.resolved'; readonly resolution: TicketResolution }
    | { readonly type: 'ticket.rejected'; readonly by: string; readonly reason: string }
    | { readonly type: 'ticket.reopened'; readonly by: string; readonly reason: string }
    /** Nobody has answered clearly. `reason` gives the details. */
    | { readonly type: 'ticket.escalated'; readonly reason: string }
    /** The ticket's actor has failed for good. */
    | { readonly type: 'ticket.failed'; readonly reason: string }
  );

/** The event types of notices, for agents that receive them. */
export const TICKET_NOTICES = [
  'ticket.opened',
  'ticket.resolved',
  'ticket.rejected',
  'ticket.reopened',
  'ticket.escalated',
  'ticket.failed',
] as const satisfies readonly TicketNotice['type'][];

/** Rules for all notices that follow the same rule. */
export function onNotices<Rule>(rule: Rule): Record<TicketNotice['type'], Rule> {
  return Object.fromEntries(TICKET_NOTICES.map((type) => [type, rule])) as Record<TicketNotice['type'], Rule>;
}
