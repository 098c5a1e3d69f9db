/**
 * The guards and actions of a finished task: the wait for quiet files, the check, the ticket of an investigation and
 * the fix that follow from a failed one (D4), and the owner after too many.
 */
import { timeOf } from '../../../actors/model/ref.ts';
import { type TicketNotice, type TicketResolution } from '../../people/tickets/ticket-messages.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { inTurn, type TurnArgs } from '../../rules/turn.ts';
import { notify, settle } from '../../people/notice.ts';
import { INVESTIGATION, investigationOf } from '../checks/investigation.ts';
import { type Findings, findings } from '../delivery-ports.ts';
import { type AfterChecks } from '../owner-question.ts';
import { QUIET_MS_MAX } from '../../work/work-item.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { act, answer, ask, CYCLES_MAX, type Given, show, tell, type TaskTurn } from './task-acts.ts';
import { quietTimeOf, type TaskContext, type TaskEvent, withNote } from './task-state.ts';

/** The milliseconds until the files of a task may be quiet: a while after their last change, at most five minutes. */
export function quietMs({ context, self }: Pick<TurnArgs<TaskContext>, 'context' | 'self'>): number {
  const { quiet } = context;
  const forMs = quietTimeOf(context);
  if (quiet === null) return forMs;
  const dueAtMs = Math.min(quiet.changedAtMs + forMs, quiet.sinceMs + QUIET_MS_MAX);
  return Math.max(0, dueAtMs - timeOf(self));
}

/** The time of the last change as the port has told it; null if nobody knows. */
function changeIn(event: unknown): number | null {
  const { output } = event as { readonly output?: unknown };
  return typeof output === 'number' && Number.isFinite(output) ? output : null;
}

function isUnquiet({ context: { quiet }, event }: Given): boolean {
  const atMs = changeIn(event);
  return atMs !== null && quiet !== null && atMs > quiet.changedAtMs;
}

/** The guards of the machine about checks, by their names in the chart. */
export const checkGuards = {
  /** The files have changed since the wait began anew, so that they are not quiet. */
  isUnquiet,
  /** They have, and the wait before did not end at its longest. */
  isWaitedFor: (given: Given) => {
    const { quiet } = given.context;
    return isUnquiet(given) && quiet!.changedAtMs + quietTimeOf(given.context) < quiet!.sinceMs + QUIET_MS_MAX;
  },
  /** The end of a check after which the task has asked for another one, or was mended. */
  isStale: ({ context, event }: Given) => {
    const { round } = event as { readonly round?: number };
    return round !== undefined && round !== context.round;
  },
  isAboutCheck: ({ event }: Given) => ['check', 'visual'].includes((event as TicketNotice).about ?? ''),
  isInvestigation: ({ event }: Given) => (event as TicketNotice).about === INVESTIGATION,
  mayFix: ({ context }: Given) => context.cycles < CYCLES_MAX,
  choosesOf: ({ event }: Given, { options }: { readonly options: readonly AfterChecks[] }) => {
    const { about, resolution } = event as TicketNotice & { readonly resolution?: TicketResolution };
    const said = [resolution?.option, resolution?.text];
    return about === 'cycles' && options.some((option) => said.includes(option));
  },
};

type Told<Type extends TaskEvent['type']> = Extract<TaskEvent, { readonly type: Type }>;

/** An action for events of one type. */
const on = <Type extends TaskEvent['type']>(_: Type, does: (turn: TaskTurn, event: Told<Type>) => void) =>
  act(does as (turn: TaskTurn, event: TaskEvent) => void);

/** Has the team judge what somebody else has found, who knows of no test that was run. */
function judgeFound(turn: TaskTurn, event: Told<'task.checked' | 'task.failure'>, found: object): void {
  const { item } = turn.context;
  turn.send(DELIVERY_DESKS.verification, { type: 'check.reported', item, found: findings.parse(found) });
  answer(turn, event, 'get_next_task');
}

function problemsOf({ failures, unmet }: Findings): string {
  return [...failures.map(({ test }) => test), ...unmet].join('; ').slice(0, 500).toWellFormed();
}

function addInvestigation(turn: TaskTurn, ticket: string): void {
  turn.assign({ investigations: [...turn.context.investigations, ticket] });
  show(turn);
}

/** The actions of the machine about checks, by their names in the chart. */
export const checkActions = {
  /** Begins to wait for quiet files, or goes on. */
  settle: act((turn) => {
    const { quiet } = turn.context;
    turn.assign({ quiet: quiet ?? { sinceMs: turn.nowMs, changedAtMs: turn.nowMs } });
  }),
  noteChange: act((turn, event) => {
    const quiet = turn.context.quiet!;
    const changedAtMs = Math.max(Math.min(changeIn(event)!, turn.nowMs), quiet.changedAtMs + 1);
    turn.assign({ quiet: { ...quiet, changedAtMs } });
  }),
  askCheck: act((turn) => {
    const { item, report, quiet } = turn.context;
    const round = turn.context.round + 1;
    const isTimedOut = quiet !== null && turn.nowMs < quiet.changedAtMs + quietTimeOf(turn.context);
    turn.assign({ quiet: null, isTimedOut, round });
    turn.send(DELIVERY_DESKS.verification, { type: 'check.due', item, report, round });
  }),
  noteVerdict: on('task.judged', (turn, event) => {
    const { checks, flawed } = turn.context;
    const isFlawed = event.verdict.remaining.length > 0;
    turn.assign({ verdict: event.verdict, checks: checks + 1, flawed: flawed + (isFlawed ? 1 : 0) });
    show(turn);
  }),
  notePassed: act((turn) => turn.assign({ reason: null, because: null, found: null })),
  noteMended: act((turn) => turn.assign({ reason: null })),

  /** D4: a ticket first, then a task that mends. */
  needFix: on('task.found', (turn, event) => {
    const { item, cycles } = turn.context;
    const { found } = event;
    // A number of its own: checks that are still under way are stale, and each investigation has another key.
    const round = turn.context.round + 1;
    turn.assign({ cycles: cycles + 1, round, found, reason: 'fix', because: problemsOf(found) });
    turn.send(PEOPLE_DESKS.tickets, investigationOf(item, found, round));
  }),
  orderFix: act((turn, event) => {
    const { id, found } = turn.context;
    const ticket = event.type === 'ticket.opened' ? event.ticket : null;
    if (ticket !== null) addInvestigation(turn, ticket);
    if (found === null) return;
    turn.assign({ found: null });
    tell(turn, { type: 'task.needsFix', id, found, ticket });
  }),
  noteInvestigation: act((turn, event) => addInvestigation(turn, (event as TicketNotice).ticket)),
  askAfterChecks: act((turn, event) => {
    const { found } = event as Partial<Extract<TaskEvent, { readonly type: 'task.found' }>>;
    const why = found === undefined ? 'its fix was given up' : `still: ${problemsOf(found)}`;
    const because = `${turn.context.cycles} fixes have not mended it: ${why}`;
    turn.assign({ reason: 'checks', because, ...withNote(turn.context, because) });
    tell(turn, { type: 'task.unfixed', id: turn.context.id });
    ask(turn, 'cycles', because);
  }),
  /** Ends the tickets of investigations with what has become of the task. */
  endInvestigations: inTurn((turn: TaskTurn, _: TaskEvent, { passes }: { readonly passes: boolean }) => {
    const { id, investigations } = turn.context;
    const said = { by: 'verification', reason: `the check of ${id} has ended` };
    const end = passes ? { type: 'tickets.resolve', text: `${id} is verified` } : { type: 'tickets.reject' };
    for (const ticket of investigations) turn.send(PEOPLE_DESKS.tickets, { ...end, ...said, ticket });
  }),

  /** The result of a check that somebody else has made: it counts as one of the team. */
  noteChecked: on('task.checked', (turn, event) => judgeFound(turn, event, event)),
  reportFailure: on('task.failure', (turn, event) => judgeFound(turn, event, { failures: [event] })),
  noteTestFailure: on('task.failure', (turn, event) => {
    turn.assign(withNote(turn.context, `${event.coder}: the test "${event.test}" fails: ${event.message}`));
    answer(turn, event, 'continue');
  }),
  remindLook: act((turn) => {
    const { id, item } = turn.context;
    notify(turn, {
      ...{ subject: id, kind: 'task.unseen', priority: 'MEDIUM', title: `${id} waits for a person who looks at it` },
      detail: `${item.owner} is asked in a ticket: ${item.title}`,
    });
  }),
  settleLook: act((turn) =>
    settle(turn, { subject: turn.context.id, kinds: ['task.unseen'], because: 'the task waits for nobody any more' }),
  ),
};
