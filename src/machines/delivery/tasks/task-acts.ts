/**
 * The guards and actions of a task: they apply what sessions, people and checks say, answer orders, and report every
 * change to the orchestrator.
 */
import { type AnyActorRef } from 'xstate';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { answerOrder, type PassedOrder } from '../../rules/desk.ts';
import { inTurn, TAKEN, type Turn } from '../../rules/turn.ts';
import { type WorkStatus } from '../../work/work-item.ts';
import { judgeFact } from '../organisation/delivery-gates.ts';
import { plannedTask } from '../plans/plan-document.ts';
import { type About, ABOUT, AFTER_CHECKS, askOwner, GIVE_UP, TRY_AGAIN } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { directiveOf, refusedTask, type TaskReply } from './task-messages.ts';
import { type FinishEvent, type ReportEvent, shownOf, type TaskChanged } from './task-state.ts';
import { type TaskContext, type TaskEvent, type TaskNews, withNote } from './task-state.ts';

/** Fixes of a task that fails its checks, before its owner is asked (MX-057). */
export const CYCLES_MAX = 3;
/** Pings before the owner of a task is asked. */
const PINGS_MAX = 3;

export type TaskTurn = Turn<TaskContext>;
export type Given = { readonly context: TaskContext; readonly event: TaskEvent };

export const act = (does: (turn: TaskTurn, event: TaskEvent) => void) =>
  inTurn<TaskContext, TaskEvent, undefined>(does);

const report = (event: TaskEvent) => event as ReportEvent | FinishEvent;

/** Whether a ticket is one that the task, or its team, has asked its owner; the others are questions of the session. */
function isOwn(about: string | null | undefined): about is About {
  return (ABOUT as readonly (string | null | undefined)[]).includes(about);
}

const GOES_ON: readonly WorkStatus[] = ['pending', 'ready', 'partial', 'in_verification'];

interface Entered {
  readonly status: WorkStatus;
  /** Why it stands as it does, in the state that is entered. */
  readonly because?: string;
}

/** The guards of the machine, by their names in the chart. */
export const taskGuards = {
  isStranger: ({ context, event }: Given) => report(event).coder !== context.coder,
  says: ({ event }: Given, { status }: { readonly status: string }) => report(event).status === status,
  mayRetry: ({ context: { failures, times }, event }: Given) =>
    report(event).status === 'failed' && failures < times.retryMs.length,
  /** RACI 7: a task that is done names the files that have changed. */
  isDone: ({ event }: Given) => isDone(event as FinishEvent),
  mayPing: ({ context }: Given) => context.pings < PINGS_MAX,
  isAwaited: ({ event }: Given) => event.type === 'ticket.opened' && event.isBlocking && !isOwn(event.about),
  isManaged: ({ event }: Given) => event.type === 'task.give' && event.isManaged,
  /** A notice about a ticket for which the task does not wait any more. */
  isUnknown: ({ context, event }: Given) => context.tickets[(event as TicketNotice).ticket] === undefined,
  /** A session that was given up, and goes on after all. */
  mayResume: ({ context, event }: Given) => {
    const { coder, status, hasRoom } = event as ReportEvent;
    return context.reason === 'stall' && coder === context.coder && status === 'in_progress' && hasRoom;
  },
  mayFinishLate: ({ context, event }: Given) =>
    context.reason === 'stall' && report(event).coder === context.coder && isDone(event as FinishEvent),
  lacksSize: ({ context }: Given) => context.reason === 'size',
  isGivenUp: ({ event }: Given) =>
    event.type === 'ticket.resolved' &&
    isOwn(event.about) &&
    [event.resolution.option, event.resolution.text].includes(GIVE_UP),
  isUnsized: ({ event }: Given) => event.type === 'ticket.resolved' && event.about === 'size',
  isLast: ({ context, event }: Given) =>
    Object.keys(context.tickets).every((ticket) => ticket === (event as TicketNotice).ticket),
  isQuestion: ({ event }: Given) => !isOwn((event as TicketNotice).about),
};

function isDone({ status, files }: FinishEvent): boolean {
  return status === 'done' && judgeFact('files', { files: files.length }).isPassed;
}

/** The actions of the machine, by their names in the chart. */
export const taskActions = {
  /** Reports the state to the orchestrator. */
  enter: inTurn((turn: TaskTurn, _: TaskEvent, { status, because }: Entered) => {
    const { reason, tickets, pausedAtMs } = turn.context;
    turn.assign({ status });
    // What goes on has no reason to stand still.
    if (GOES_ON.includes(status) && reason !== 'fix') turn.assign({ reason: null, because: null });
    if (because !== undefined) turn.assign({ because });
    const isPaused = status === 'blocked' && Object.keys(tickets).length > 0;
    turn.assign({ pausedAtMs: isPaused ? (pausedAtMs ?? turn.nowMs) : null });
    show(turn);
  }),

  take: act((turn, event) => {
    if (event.type !== 'task.give') return;
    const attempts = turn.context.attempts + 1;
    turn.assign({ coder: event.coder, attempts, percent: null, reason: null, because: null });
    direct(turn);
  }),
  direct: act((turn) => direct(turn)),
  noteItem: act((turn, event) => {
    if (event.type === 'task.edit') turn.assign({ item: event.item, ...withNote(turn.context, event.note) });
  }),

  noteReport: act((turn, event) => {
    const { percent, details, tokens } = event as ReportEvent;
    const { context } = turn;
    const said = { percent: percent ?? context.percent, because: details || null };
    turn.assign({ ...said, reason: null, tokens: context.tokens + tokens });
    answer(turn, event, 'continue');
  }),
  noteDone: act((turn, event) => {
    const { type: _, task: __, order: ___, replyTo: ____, coder: _____, ...said } = event as FinishEvent;
    turn.assign({ report: said, percent: 100, reason: null, because: null });
    answer(turn, event, 'get_next_task');
  }),
  notePart: act((turn, event) => {
    turn.assign(withNote(turn.context, `Done in part: ${(event as FinishEvent).details}`));
    answer(turn, event, 'get_next_task');
  }),
  noteFailure: act((turn, event) => {
    const because = detailsOf(event) || 'the session reported a failure';
    const failures = turn.context.failures + 1;
    turn.assign({ failures, reason: 'failure', because, ...withNote(turn.context, `Failed: ${because}`) });
    answer(turn, event, 'get_next_task');
  }),
  /** The session cannot go on, and says why. */
  noteStuck: act((turn, event) => {
    const because = detailsOf(event) || 'the session reported that it cannot go on';
    turn.assign({ reason: 'coder', because });
    ask(turn, 'coder', because);
    answer(turn, event, 'get_next_task');
  }),
  noteBlock: act((turn, event) => {
    if (event.type !== 'task.block') return;
    turn.assign({ reason: event.reason, because: event.because });
    if (event.reason === 'size' || event.reason === 'failure') ask(turn, event.reason, event.because);
  }),

  ping: act((turn) => turn.assign({ pings: turn.context.pings + 1 })),
  forgetPings: act((turn) => turn.assign({ pings: 0 })),
  askAfterStall: act((turn) => {
    const because = `${turn.context.coder ?? 'its session'} has said nothing, and answered none of ${PINGS_MAX} pings`;
    turn.assign({ reason: 'stall', because });
    ask(turn, 'stall', because);
  }),
  askAfterFailure: act((turn) => {
    turn.assign({ failures: 0 });
    ask(turn, 'failure', turn.context.because ?? '');
  }),
  askAgain: act((turn, event) => {
    const { ticket, about } = event as TicketNotice;
    forget(turn, ticket);
    if (isOwn(about)) ask(turn, about, turn.context.because ?? '');
  }),

  handOff: act((turn) => tell(turn, { type: 'task.finished', id: turn.context.id, report: turn.context.report! })),
  replan: act((turn) => turn.send(DELIVERY_DESKS.planning, { type: 'task.returned', item: turn.context.item })),

  noteTicket: act((turn, event) => {
    const notice = event as TicketNotice;
    const { ticket, about } = notice;
    if (ENDS.includes(notice.type)) forget(turn, ticket);
    if (notice.type !== 'ticket.opened' || !notice.isBlocking) return;
    const { status, tickets } = turn.context;
    const askedIn = about === 'check' || about === 'visual' ? 'in_verification' : 'blocked';
    // The task has gone on since it asked.
    if (isOwn(about) && status !== askedIn) return rejectTicket(turn, ticket);
    turn.assign({ tickets: { ...tickets, [ticket]: about ?? '' } });
    if (!isOwn(about)) turn.assign({ reason: 'question', because: notice.title });
  }),
  noteAnswer: act((turn, event) => {
    const notice = event as TicketNotice;
    forget(turn, notice.ticket);
    if (notice.type === 'ticket.resolved') {
      const { by, text, option } = notice.resolution;
      const isChoice = option === TRY_AGAIN || option === GIVE_UP;
      const said = option ?? text;
      const because = said === GIVE_UP ? `${by} has given it up` : turn.context.because;
      // One more check, after which the owner is asked again; any other way has all fixes before it.
      if (notice.about === 'cycles') turn.assign({ cycles: said === 'retry-once' ? CYCLES_MAX : 0, reason: null });
      turn.assign({
        because: said === 'skip' ? `${by} accepts it as it is` : because,
        ...(isChoice && text === option ? {} : withNote(turn.context, `${by}: ${text}`)),
      });
      if (notice.about === 'context') withCriterion(turn, text);
    } else if (notice.type === 'ticket.rejected')
      turn.assign({ because: `${notice.by} has rejected ${notice.ticket}: ${notice.reason}` });
  }),
  noteUnblock: act((turn, event) => {
    if (event.type !== 'task.unblock') return;
    turn.assign({ failures: 0, cycles: 0, ...withNote(turn.context, event.note && `${event.by}: ${event.note}`) });
    answer(turn, event, 'continue');
  }),
  noteGivenUp: act((turn, event) => {
    if (event.type !== 'task.fail') return;
    turn.assign({ because: `given up by ${event.by}: ${event.reason}` });
    answer(turn, event, 'stop');
  }),
  noteDoom: act((turn, event) => event.type === 'task.doom' && turn.assign({ because: event.because })),
  /** Nobody needs the answers any more. */
  rejectTickets: act((turn) => {
    for (const ticket of Object.keys(turn.context.tickets)) rejectTicket(turn, ticket);
    turn.assign({ tickets: {} });
  }),

  refuse: act((turn, event) => {
    const { id, status, because, coder: own } = turn.context;
    const { coder } = event as Partial<ReportEvent>;
    const problem =
      coder !== undefined && coder !== own
        ? `${id} is not with ${coder}${own === null ? '' : `: ${own} has it, or had it last`}`
        : `${id} is ${status}${because === null ? '' : `: ${because}`}`;
    answerOrder(turn as never, id, event as PassedOrder, refusedTask('conflict', problem));
  }),
};

/** The notices by which a ticket has ended. */
const ENDS: readonly TicketNotice['type'][] = ['ticket.resolved', 'ticket.rejected', 'ticket.failed'];

function rejectTicket(turn: TaskTurn, ticket: string): void {
  const reason = 'nothing waits for it any more: its task has gone on, or has ended';
  turn.send(PEOPLE_DESKS.tickets, { type: 'tickets.reject', ticket, by: 'orchestrator', reason });
}

/** Shows the orchestrator how the task stands. */
export function show(turn: TaskTurn): void {
  const shown = shownOf(turn.context, turn.nowMs);
  const { id, desk } = turn.context;
  turn.send(desk, { type: 'task.changed', id, shown, task: turn.self } satisfies TaskChanged);
}

function direct(turn: TaskTurn): void {
  const { item, notes, attempts } = turn.context;
  tell(turn, { type: 'task.given', id: turn.context.id, directive: directiveOf(item, notes, attempts) });
}

export function tell(turn: TaskTurn, news: TaskNews): void {
  turn.send(turn.context.desk, news);
}

/** Answers an order, and has the work planned that was found on the way, whatever has become of the task. */
export function answer(turn: TaskTurn, event: TaskEvent, nextAction: TaskReply['nextAction']): void {
  const found = event.type === 'task.finish' ? event.followUps : [];
  const tasks = found.map(({ details: description, ...task }) => plannedTask.parse({ ...task, description }));
  if (tasks.length > 0) turn.send(DELIVERY_DESKS.planning, { type: 'task.followUp', of: turn.context.item, tasks });
  const reply: TaskReply = { ...TAKEN, code: null, nextAction, cascaded: cascadeOf(turn) };
  answerOrder(turn as Turn<{ readonly desk: AnyActorRef }>, turn.context.id, event as PassedOrder, reply);
}

/** A session that goes on after all settles the ticket about its silence, and unblocks its task. */
function cascadeOf({ context: { id, status, tickets } }: TaskTurn): NonNullable<TaskReply['cascaded']> {
  if (status !== 'blocked') return { ticketsResolved: [], tasksUnblocked: [] };
  return { ticketsResolved: Object.keys(tickets), tasksUnblocked: [id] };
}

function detailsOf(event: TaskEvent): string {
  return (event as ReportEvent | FinishEvent).details;
}

function forget(turn: TaskTurn, ticket: string): void {
  const { [ticket]: _, ...tickets } = turn.context.tickets;
  turn.assign({ tickets });
}

/** Its owner has said when the task is done. */
function withCriterion(turn: TaskTurn, text: string): void {
  const { item, id: task, desk } = turn.context;
  const patch = { context: { ...item.context, acceptance: [text.slice(0, 500).toWellFormed()] } };
  turn.send(desk, { type: 'task.edited', task, patch });
}

const QUESTIONS: Partial<Record<About, string>> = {
  ...{ stall: 'stands still', failure: 'fails', coder: 'cannot go on', size: 'has no size that fits' },
  cycles: 'fails its checks',
};

export function ask(turn: TaskTurn, about: About, text: string): void {
  const { item } = turn.context;
  const usual = about === 'cycles' ? [...AFTER_CHECKS, GIVE_UP] : [TRY_AGAIN, GIVE_UP];
  const options = about === 'coder' ? [] : usual;
  askOwner(turn, item, { about, title: `${item.id} ${QUESTIONS[about]}: ${item.title}`, text, options });
}
