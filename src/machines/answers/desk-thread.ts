/** Questions that people ask in tickets (AT-042): the team replies in the thread, where its reply is reviewed. */
import { TICKET_REPLY_CHARS_MAX } from '../limits.ts';
import { ANSWER_AI, type TicketAsked } from '../people/tickets/ticket-messages.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { type AnswerResponse, queryBundle } from './bundle.ts';
import { ask } from './desk-asking.ts';
import { type AnswerTurn } from './desk-log.ts';

const QUESTION_CHARS_MAX = 300;
const SUMMARY_CHARS_MAX = 1_000;

/** Asks the question of a ticket. What comes later than this turn is replied by its result. */
export function askedInTicket(
  turn: AnswerTurn,
  { ticket, title, description, options, creator, priority, task }: TicketAsked,
): void {
  const { data: bundle } = queryBundle.safeParse({
    question: cut(title, QUESTION_CHARS_MAX),
    context_summary: cut(description, SUMMARY_CHARS_MAX),
    current_task_id: task,
    priority_level: priority,
    confidence_level: 0,
    possible_options: options.length === 0 ? null : options,
  });
  if (bundle === undefined) return give(turn, ticket, 'I find no question in this; a person is needed.');
  const asked = { bundle, asker: creator, trigger: 'user_direct_query', thread: ticket, key: ticket } as const;
  const whole = { ...asked, taskPriority: null, scope: null, maxWaitMs: 0 };
  const reply = ask(turn, { type: 'answers.ask', ...whole }, whole);
  if (reply === undefined || reply.status === 'waiting') return;
  const { answer, confidence, sources, problems } = reply;
  if (answer === null) give(turn, ticket, `I cannot answer this (${problems.join('; ')}); a person is needed.`);
  else say(turn, ticket, textOf({ answer, confidence, sources }));
}

/** Replies in a thread: with an answer, or that a person is asked, whose answer comes later. */
export function replyIn(turn: AnswerTurn, ticket: string, response: AnswerResponse | null): void {
  const none = 'I have found no source that answers this; a person is asked, and the answer comes here.';
  say(turn, ticket, response === null ? none : textOf(response));
}

function textOf({ answer, confidence, sources }: Pick<AnswerResponse, 'answer' | 'confidence' | 'sources'>): string {
  return `${answer}\nConfidence: ${confidence}. Sources: ${sources.map(({ location }) => location).join(', ')}`;
}

/** Leaves a ticket to people. */
function give(turn: AnswerTurn, ticket: string, why: string): void {
  say(turn, ticket, why);
  const reason = 'Answer AI cannot answer it';
  turn.send(PEOPLE_DESKS.tickets, { type: 'tickets.assign', ticket, by: ANSWER_AI, assignee: null, reason });
}

function say(turn: AnswerTurn, ticket: string, text: string): void {
  const reply = { text: cut(text, TICKET_REPLY_CHARS_MAX), option: null, author: 'agent' };
  turn.send(PEOPLE_DESKS.tickets, { type: 'tickets.reply', ticket, by: ANSWER_AI, ...reply });
}

function cut(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed();
}
