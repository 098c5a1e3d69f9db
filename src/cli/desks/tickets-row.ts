/** `bosun tickets`: lists questions to people that have a thread, shows what was said, and gives orders about them. */
import { rowsOf } from '../../table.ts';
import { DESKS } from '../../machines/desks.ts';
import { type TicketDeskContext } from '../../machines/people/tickets/ticket-desk.ts';
import {
  AWAITING_CLARITY,
  PASSED_AS,
  ticketQuestion,
  type TicketStatus,
} from '../../machines/people/tickets/ticket-messages.ts';
import { flawOfQuestion, mayAct, priorityText, TAKES } from '../../machines/people/tickets/ticket-rules.ts';
import { type ThreadEntry, type TicketContext, type TicketRow } from '../../machines/people/tickets/ticket-state.ts';
import { plainLine } from '../../plain-text.ts';
import { type DeskRow, type Given, type Ordered } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { timeText, whenKnown } from '../store/stopped-store.ts';

async function ticketsOf(view: DeskView): Promise<TicketRow[]> {
  const desk = await view.look<TicketDeskContext>(DESKS.tickets);
  if (desk === undefined) return [];
  const { waiting, settled, archived } = desk.context;
  return [waiting, settled, archived].flatMap((shelf) => [...rowsOf(shelf)]);
}

const isWaiting = ({ settledAtMs }: TicketRow) => settledAtMs === null;

export const TICKETS: DeskRow<TicketRow> = {
  none: 'no open tickets',
  records: async (view, all) =>
    (await ticketsOf(view)).filter((row) => all || isWaiting(row)).sort((a, b) => a.number - b.number),
  find: async (view, id) => found(await ticketsOf(view), id, `no ticket "${id}"; bosun tickets list --all shows them`),
  banner: (rows) => {
    const overdue = rows.filter((row) => isWaiting(row) && row.overdueAtMs !== null).length;
    return overdue === 0 ? null : `${overdue} overdue`;
  },
  cells: (row) => ({
    ID: row.id,
    STATE: stateText(row.status),
    PRIORITY: priorityText(row.priority),
    FOR: forText(row),
    SINCE: timeText(row.openedAtMs),
    DUE: whenKnown(row.dueAtMs),
    TASK: row.task,
    TITLE: row.title,
  }),
  facts: (row) => [
    ['ticket', row.id],
    ['title', row.title],
    ['state', stateText(row.status)],
    ['priority', priorityText(row.priority)],
    ['kind', row.kind],
    ['asked by', row.creator],
    ['for', forText(row)],
    ['task', row.task === null ? null : `${row.task}${row.isBlocking ? ', which waits for it' : ''}`],
    ['since', timeText(row.openedAtMs)],
    ['due', whenKnown(row.dueAtMs)],
    ['overdue since', whenKnown(row.overdueAtMs)],
    ['reviews', row.reviews === 0 ? null : row.reviews],
    ['reopened', row.reopens === 0 ? null : `${row.reopens} times`],
    ['escalated', row.status === 'escalated' ? row.escalation : null],
    ['rejected', row.rejection && `by ${row.rejection.by}: ${row.rejection.reason}`],
    ['answer', answerText(row)],
    ['version', row.version],
  ],
  detail: async (view, { id, description }) => {
    const ticket = (await view.look<TicketContext>(`${DESKS.openTickets}/${id}`))?.context;
    if (ticket === undefined) return { json: {}, text: description === null ? '' : `\n${description}\n` };
    const { question } = ticket;
    const thread = [...rowsOf(ticket.thread)];
    const { description: asked, options, evidence } = question;
    return { json: { description: asked, options, evidence, thread }, text: threadText(question, thread) };
  },
  open: ({ by, words, detail, options = [], priority, for: assignee, task, blocks }) => {
    const title = words.join(' ').trim();
    if (title === '') throw refusedOrder('give the question');
    if (blocks === true && task === undefined)
      throw refusedOrder('--blocks: name the task that waits with --task, or leave out --blocks');
    const asked = { kind: 'ai_to_human', title, creator: by, options: [...options] };
    const given = { description: detail, priority, assignee, task, isBlocking: blocks };
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const question = { ...asked, ...fields };
    const problem = problemOfQuestion(question);
    if (problem !== undefined) throw refusedOrder(problem);
    return {
      desk: DESKS.tickets,
      event: { type: 'tickets.open', ...question },
      said: `a ticket is opened by ${by}`,
    };
  },
  orders: {
    reply: (row, given) => ordered('tickets.reply', row, given, { text: textOf(given), ...optionOf(given) }),
    resolve: (row, given) =>
      ordered('tickets.resolve', row, given, { text: textOf(given), reason: reasonOf(given, 'resolve') }),
    reject: (row, given) => ordered('tickets.reject', row, given, { reason: reasonOf(given, 'reject') }),
    reopen: (row, given) => ordered('tickets.reopen', row, given, { reason: reasonOf(given, 'reopen') }),
    escalate: (row, given) => ordered('tickets.escalate', row, given, { reason: reasonOf(given, 'escalate') }),
    assign: (row, given) => {
      const { fields, reason } = given;
      return ordered('tickets.assign', row, given, {
        assignee: fields[0] === undefined || fields[0] === '' ? null : fields[0],
        ...(reason !== undefined && { reason }),
      });
    },
  },
};

const SAID: Readonly<Record<string, string>> = {
  'tickets.reply': 'replied to',
  'tickets.resolve': 'resolved by hand',
  'tickets.reject': 'rejected',
  'tickets.reopen': 'reopened',
  'tickets.escalate': 'escalated',
  'tickets.assign': 'assigned',
};

/** Why a question cannot become a ticket, so that it is refused here instead of at the next start. */
function problemOfQuestion(question: object): string | undefined {
  const { data, error } = ticketQuestion.safeParse(question);
  if (error !== undefined) return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return flawOfQuestion(data)?.problems.join('; ');
}

/** Makes an order. One that the ticket cannot take is refused here instead of at the next start. */
function ordered(type: keyof typeof PASSED_AS, row: TicketRow, { by }: Given, fields: object): Ordered {
  const { id, status, audience, creator, assignee } = row;
  const takes: readonly TicketStatus[] = TAKES[PASSED_AS[type]];
  if (!takes.includes(status))
    throw refusedOrder(`${id} is ${stateText(status)}: that takes a ticket that is ${takes.join(', ')}`);
  if (!mayAct({ question: { audience, creator }, assignee }, by)) {
    const others = [...new Set([...audience, creator, ...(assignee === null ? [] : [assignee])])];
    throw refusedOrder(`${by} may not do that; those who may: ${others.join(', ')}. Name one with --by`);
  }
  return { desk: DESKS.tickets, event: { type, ticket: id, by, ...fields }, said: `${id}: ${SAID[type]!} by ${by}` };
}

function textOf({ fields, option }: Given): string {
  const text = fields.join(' ').trim();
  if (text !== '') return text;
  if (option !== undefined) return option;
  throw refusedOrder('give the text of it, or an option with --option');
}

function optionOf({ option }: Given): { readonly option?: string } {
  return option === undefined ? {} : { option };
}

function reasonOf({ reason }: Given, verb: string): string {
  if (reason === undefined) throw refusedOrder(`give a reason with --reason: whoever asks is told why you ${verb} it`);
  return reason;
}

function stateText(status: TicketStatus): string {
  return status === 'in_review' ? AWAITING_CLARITY : status;
}

function forText({ assignee, audience }: TicketRow): string {
  return assignee ?? (audience.includes('*') ? 'anybody' : audience.join(', '));
}

function answerText({ resolution }: TicketRow): string | null {
  if (resolution === null) return null;
  const { text, option, by, byHand, reason, score } = resolution;
  const how = byHand ? `by hand, ${reason!}` : `clarity ${score!}`;
  return `${option ?? text} (${by}; ${how})`;
}

function threadText(
  { description, options, evidence }: TicketContext['question'],
  thread: readonly ThreadEntry[],
): string {
  const lines = [
    ...(description === '' ? [] : [description]),
    ...(options.length === 0 ? [] : [`options: ${options.join(', ')}`]),
    ...evidence.map(({ source, excerpt }) => `${source}: ${plainLine(excerpt)}`),
    ...thread.map(entryText),
  ];
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

function entryText(entry: ThreadEntry): string {
  const at = timeText(entry.atMs);
  if (entry.kind === 'follow-up') return `${at} clarity: ${[entry.text, ...entry.questions].map(plainLine).join(' ')}`;
  const { by, text, option, review, unreviewed } = entry;
  const scores =
    review === null
      ? (unreviewed ?? 'not reviewed')
      : `${review.total}: clarity ${review.clarity}, complete ${review.completeness}, accurate ${review.accuracy}`;
  return `${at} ${by}: ${plainLine(text)}${option === null ? '' : ` [${option}]`} (${scores})`;
}
