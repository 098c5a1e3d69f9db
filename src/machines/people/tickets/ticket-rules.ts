/**
 * Rules of tickets as data and pure functions: which order a ticket takes in which state (MX-093), why it refuses one,
 * which replies are reviewed (MX-097), and the times of its timers.
 */
import { z } from 'zod';
import { BosunError } from '../../../errors.ts';
import {
  TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
  TICKET_ESCALATION_TITLE_CHARS_MAX,
  TICKET_REMINDERS_MAX,
  TICKET_THREAD_MAX,
  TICKET_TITLE_CHARS_MAX,
} from '../../limits.ts';
import { ANYBODY, strangerProblem } from '../audience.ts';
import {
  type IssueReport,
  type PassedEvent,
  type TicketPriority,
  type TicketQuestion,
  type TicketRefusal,
  type TicketReply,
  type TicketStatus,
  type TicketType,
} from './ticket-messages.ts';

/**
 * Most follow-ups that a ticket sends before it is resolved. If one more reply does not pass, the ticket escalates
 * (MX-061).
 */
export const FOLLOW_UPS_MAX = 5;

/** The reason for an escalation after the sixth reply that does not pass. */
export const NOT_RESPONDING = 'User not responding';

/** Characters below which a reply is reviewed only if it answers the question (MX-097). */
export const SHORT_REPLY_CHARS = 10;

/** The statuses in which a ticket waits for an answer. */
export const WAITING = ['open', 'in_review', 'escalated'] as const satisfies readonly TicketStatus[];

/** The statuses in which each order is accepted. In all others it is refused. */
export const TAKES: Readonly<Record<PassedEvent['type'], readonly TicketStatus[]>> = {
  'reply.given': WAITING,
  'reply.preview': WAITING,
  'ticket.resolve': WAITING,
  'ticket.reject': WAITING,
  'ticket.assign': WAITING,
  'ticket.escalate': ['open', 'in_review'],
  'ticket.reopen': ['resolved', 'rejected'],
  'ticket.rate': ['resolved'],
};

/**
 * The kind of author whose replies are reviewed, because they are meant to answer the asker: people or agents. Other
 * replies are only kept.
 */
const REVIEWED_AUTHOR: Readonly<Record<TicketType, 'person' | 'agent' | null>> = {
  ai_to_human: 'person',
  investigation: 'person',
  user_direct_query: 'agent',
  human_to_ai: null,
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const durationMs = z
  .int()
  .nonnegative()
  .max(366 * DAY_MS);
const byPriority = z.object({ 1: durationMs, 2: durationMs, 3: durationMs });
const reminders = z.array(durationMs).max(TICKET_REMINDERS_MAX);

/** The schema of the times of tickets, in milliseconds, by priority where they differ. */
export const ticketTimes = z.object({
  /** The time between a reply and its review. */
  reviewAfterMs: byPriority.default({ 1: 0, 2: 5 * SECOND_MS, 3: 5 * SECOND_MS }),
  /** The time to wait for the host's score. After it, the rule's own score counts. */
  scoreWithinMs: byPriority.default({ 1: 5 * SECOND_MS, 2: 15 * SECOND_MS, 3: 30 * SECOND_MS }),
  /** The time within which a ticket should be resolved. After it, the ticket is overdue and people are notified. */
  resolveWithinMs: byPriority.default({ 1: 15 * MINUTE_MS, 2: HOUR_MS, 3: HOUR_MS }),
  /** The times of the reminders after the opening, sent while nobody has replied. */
  remindAfterMs: z.object({ 1: reminders, 2: reminders, 3: reminders }).default({
    1: [5 * MINUTE_MS, 10 * MINUTE_MS],
    2: [30 * MINUTE_MS, 4 * HOUR_MS, DAY_MS],
    3: [4 * HOUR_MS, DAY_MS, 7 * DAY_MS],
  }),
  /** The time between the end of a ticket and its archiving. */
  archiveAfterMs: durationMs.default(30 * DAY_MS),
});
export type TicketTimes = z.output<typeof ticketTimes>;

/** The given times, completed with defaults. Throws BOSUN_CONFIG_INVALID. */
export function timesOf(given: z.input<typeof ticketTimes> = {}): TicketTimes {
  const { data, error } = ticketTimes.safeParse(given);
  if (data === undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `times of tickets: ${z.prettifyError(error)}`);
  const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b);
  const { 1: first, 2: second, 3: third } = data.remindAfterMs;
  return { ...data, remindAfterMs: { 1: sorted(first), 2: sorted(second), 3: sorted(third) } };
}

/** The id of the ticket with a number. */
export function ticketIdOf(number: number): string {
  return `TK-${String(number).padStart(4, '0')}`;
}

/** The priority of a ticket by name, for texts. */
export function priorityText(priority: TicketPriority): string {
  return `P${priority}`;
}

/** Makes a refusal with a reason that programs can distinguish. */
export function refusal(
  code: TicketRefusal,
  problem: string,
  known: { readonly ticket?: string; readonly version?: number } = {},
): TicketReply {
  return { taken: false, problems: [problem], code, ticket: known.ticket ?? null, version: known.version ?? null };
}

/**
 * The refusal of a question that cannot become a ticket; undefined if it can. Checks the narrower bounds and what holds
 * the question together; its schema checks the wider bounds.
 */
export function flawOfQuestion(question: Omit<TicketQuestion, 'key'>): TicketReply | undefined {
  const tooLong = tooLongIn(question);
  if (tooLong !== undefined) return refusal('TICKET_LIMIT', tooLong);
  const { options, task, isBlocking, isEscalation } = question;
  // An agent that could not answer hands on the options that it was given; nobody is there to correct them.
  const twice = isEscalation ? undefined : optionGivenTwice(options);
  if (twice !== undefined) return refusal('TICKET_INVALID', twice);
  if (isBlocking && task === null)
    return refusal('TICKET_INVALID', 'it blocks no task: name the task that waits for it, or have it block nothing');
  return undefined;
}

/** The option that stands twice among the buttons, in a sentence with the way out; undefined if all differ. */
export function optionGivenTwice(options: readonly string[]): string | undefined {
  const shown = options.map((option) => option.trim());
  const twice = shown.find((option, index) => shown.indexOf(option) !== index);
  return twice === undefined ? undefined : `the option "${twice}" is given twice: give each option once`;
}

function tooLongIn({
  kind,
  title,
  description,
  isEscalation,
}: Pick<TicketQuestion, 'kind' | 'title' | 'description' | 'isEscalation'>): string | undefined {
  const longer = (what: string, chars: number, max: number, because: string) =>
    chars > max ? `the ${what} of ${because} has at most ${max} characters, not ${chars}` : undefined;
  const isBrief = isEscalation || kind === 'investigation';
  return (
    (isEscalation ? longer('title', title.length, TICKET_ESCALATION_TITLE_CHARS_MAX, 'an escalation') : undefined) ??
    (isBrief
      ? longer(
          'description',
          description.length,
          TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
          isEscalation ? 'an escalation' : 'an investigation',
        )
      : undefined)
  );
}

/** The ticket that an agent's report of an issue becomes. A critical one, and one for at once, blocks its task. */
export function questionOfIssue({
  description,
  severity,
  task,
  file,
  steps,
  immediate,
  creator,
}: IssueReport): TicketQuestion {
  const isUrgent = immediate || severity === 1;
  const seen = file === null && steps === '' ? [] : [{ source: file ?? 'steps', excerpt: steps, isDeclared: false }];
  return {
    kind: 'ai_to_human',
    priority: isUrgent ? 1 : severity,
    title: description.split('\n')[0]!.slice(0, TICKET_TITLE_CHARS_MAX).toWellFormed(),
    description,
    options: [],
    evidence: seen,
    creator,
    assignee: null,
    audience: ['*'],
    task,
    isBlocking: isUrgent && task !== null,
    isEscalation: false,
    about: null,
  };
}

/** The facts of a ticket by which it takes or refuses an order. */
export interface OrderFacts {
  readonly id: string;
  readonly status: TicketStatus;
  readonly version: number;
  readonly question: Pick<TicketQuestion, 'audience' | 'creator' | 'options'>;
  readonly assignee: string | null;
  /** The number of entries in the thread. */
  readonly entries: number;
}

/** The reason why a ticket refuses an order; undefined if it accepts it. */
export function refusalOf(facts: OrderFacts, order: PassedEvent): TicketReply | undefined {
  const { id, status, version, question, entries } = facts;
  const no = (code: TicketRefusal, problem: string) => refusal(code, problem, { ticket: id, version });
  const { ifVersion, by } = order as { readonly ifVersion?: number; readonly by?: string };
  if (ifVersion !== undefined && ifVersion !== version)
    return no('TICKET_UPDATE_CONFLICT', `${id} has changed: its version is ${version}, not ${ifVersion}`);
  if (!TAKES[order.type].includes(status)) return no('TICKET_STATE', `${id} is ${status}: ${wayOut(status)}`);
  if (by !== undefined && !mayAct(facts, by)) return no('TICKET_STRANGER', strangerProblem(question.audience, by)!);
  if (order.type !== 'reply.given' && order.type !== 'reply.preview') return undefined;
  if (order.option !== null && !question.options.includes(order.option))
    return no('TICKET_OPTION', `${id} has no option "${order.option}"; its options: ${optionsText(question.options)}`);
  // A reply may be followed by a question.
  if (order.type === 'reply.given' && entries + 2 > TICKET_THREAD_MAX)
    return no('TICKET_LIMIT', `the thread of ${id} is full (${TICKET_THREAD_MAX} entries): resolve or reject it`);
  return undefined;
}

function wayOut(status: TicketStatus): string {
  if (status === 'resolved' || status === 'rejected') return 'reopen it first';
  return status === 'archived' ? 'open a new ticket' : 'the order is for tickets in another state';
}

function optionsText(options: readonly string[]): string {
  return options.length === 0 ? 'none' : options.join(', ');
}

/** Whether a person may give orders about a ticket. */
export function mayAct(
  {
    question: { audience, creator },
    assignee,
  }: {
    readonly question: { readonly audience: readonly string[]; readonly creator: string };
    readonly assignee: string | null;
  },
  by: string,
): boolean {
  return audience.includes(ANYBODY) || audience.includes(by) || by === creator || by === assignee;
}

/** The reason why a reply is kept without a review; undefined if it is reviewed (MX-097). */
export function unreviewedBecause(
  { status, kind }: { readonly status: TicketStatus; readonly kind: TicketType },
  {
    author,
    text,
    isAnswer,
  }: { readonly author: 'person' | 'agent'; readonly text: string; readonly isAnswer: boolean },
): string | undefined {
  if (status === 'escalated') return 'the ticket is escalated: resolve or reject it';
  if (REVIEWED_AUTHOR[kind] !== author) return `replies by ${author === 'agent' ? 'agents' : 'people'} are only kept`;
  if (text.trim().length < SHORT_REPLY_CHARS && !isAnswer)
    return `it has fewer than ${SHORT_REPLY_CHARS} characters and answers no part of the question`;
  return undefined;
}

/** Attempts after a TICKET_UPDATE_CONFLICT, and the longest wait before one (MX-095). */
const CONFLICT_RETRIES_MAX = 5;
const CONFLICT_FIRST_MS = 1_000;
const CONFLICT_LONGEST_MS = 5_000;

/**
 * Milliseconds after which a client repeats an order refused with TICKET_UPDATE_CONFLICT.
 *
 * @param retry 1 for the first repetition.
 * @returns null if the client should give up and escalate the ticket.
 */
export function conflictRetryMs(retry: number): number | null {
  if (retry > CONFLICT_RETRIES_MAX) return null;
  return Math.min(CONFLICT_FIRST_MS * 2 ** (retry - 1), CONFLICT_LONGEST_MS);
}
