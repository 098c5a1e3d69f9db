/**
 * The Programming Orchestrator (MX-004): the desk and the queue of tasks. It releases what may begin, gives it to coding
 * sessions (pulls.ts), passes on what they and people say, and has work that follows from checks planned. Each task is
 * an actor of its own (task.ts). It speaks for coding agents and for the Clarity Agent, which are outside.
 */
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { TICKET_NOTICES } from '../../people/tickets/ticket-messages.ts';
import { type ChildExited, type OrderAnswered } from '../../rules/desk.ts';
import { order, ruledAgent, type Rules } from '../../rules/turn.ts';
import { type HandoffGiven, type HandoffInformed, type HandoffRefused } from '../organisation/handoff-messages.ts';
import { notify } from '../../people/notice.ts';
import { change, done, list, passOn, places, report, show } from './task-orders.ts';
import {
  desk,
  newOrchestrator,
  type OrchestratorContext,
  type OrchestratorTurn,
  type TaskEmitted,
} from './orchestrator-state.ts';
import { feed, given, heldBack, idles, next, pulled } from './pulls.ts';
import { asked, escalated, ticketNotice } from './task-questions.ts';
import {
  checked,
  clarified,
  coded,
  decomposed,
  delegated,
  enqueued,
  estimated,
  failedCheck,
  finished,
  lost,
  needsFix,
  planned,
  replan,
  sync,
  unsized,
} from './task-progress.ts';
import { taskOrders } from './task-messages.ts';

/** What the orchestrator does with a hand-off that it is given, by row of the table of responsibilities. */
const GIVEN: Readonly<Record<HandoffGiven['occasion'], (turn: OrchestratorTurn, given: HandoffGiven) => void>> = {
  planned: enqueued,
  pulled,
  checked: failedCheck,
  replied: (turn, { load }) => passOn(turn, load as Parameters<typeof passOn>[1]),
  // The Answer Team has the question, and its ticket brings it to people.
  asked: () => {},
  unanswered: () => {},
  done: () => {},
  'broken-down': () => {},
};

const RULES = {
  'tasks.next': order(taskOrders['tasks.next'], next),
  'tasks.report': order(taskOrders['tasks.report'], report),
  'tasks.done': order(taskOrders['tasks.done'], done),
  'tasks.list': order(taskOrders['tasks.list'], list),
  'tasks.show': order(taskOrders['tasks.show'], show),
  'tasks.unblock': order(taskOrders['tasks.unblock'], (turn: OrchestratorTurn, event) =>
    desk(turn).pass(event.task, { ...event, type: 'task.unblock' }),
  ),
  'tasks.fail': order(taskOrders['tasks.fail'], (turn: OrchestratorTurn, event) =>
    desk(turn).pass(event.task, { ...event, type: 'task.fail' }),
  ),
  'tasks.change': order(taskOrders['tasks.change'], change),
  'tasks.places': order(taskOrders['tasks.places'], places),
  'task.planned': planned,
  'task.estimated': estimated,
  'task.unsized': unsized,
  'task.changed': sync,
  'task.given': given,
  'task.finished': finished,
  'task.needsFix': needsFix,
  'task.replan': replan,
  'task.clarified': clarified,
  'task.checked': checked,
  'coder.idle': idles,
  'coder.done': coded,
  'coding.drained': (turn: OrchestratorTurn, { isDrained }: { readonly isDrained: boolean }) => {
    turn.assign({ isDrained });
    feed(turn);
  },
  'queue.waits': nobody,
  'handoff.given': (turn: OrchestratorTurn, event: HandoffGiven) => GIVEN[event.occasion](turn, event),
  'handoff.informed': (turn: OrchestratorTurn, event: HandoffInformed) => {
    if (event.occasion === 'planned') delegated(turn, event);
    if (event.occasion === 'broken-down') decomposed(turn, event);
    if (event.occasion === 'asked') countQuestion(turn, event);
  },
  'handoff.refused': (turn: OrchestratorTurn, event: HandoffRefused) => {
    if (event.occasion === 'pulled') heldBack(turn, event);
    if (event.occasion === 'done') lost(turn, event);
  },
  'question.asked': asked,
  'question.escalated': escalated,
  ...(Object.fromEntries(TICKET_NOTICES.map((type) => [type, ticketNotice])) as Record<
    (typeof TICKET_NOTICES)[number],
    typeof ticketNotice
  >),
  'order.answered': (turn: OrchestratorTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': (turn: OrchestratorTurn, { id }: ChildExited) => {
    const row = desk(turn).records.get(id);
    if (row === undefined || row.isOver) return;
    sync(turn, { id, shown: { ...row, status: 'failed', because: 'its actor has failed', atMs: turn.nowMs } });
  },
} satisfies Rules<OrchestratorContext, TaskEmitted>;

/** The agent of the orchestrator. */
export const orchestrator: AnyAgent = ruledAgent({
  name: 'orchestrator',
  rules: RULES as Rules<OrchestratorContext>,
  context: newOrchestrator,
});

function countQuestion(turn: OrchestratorTurn, { item: { id } }: HandoffInformed): void {
  const row = desk(turn).records.get(id);
  if (row !== undefined) desk(turn).change(id, { questions: row.questions + 1 });
}

/** Tells people that tasks wait, and that no session works or asks for one (MX-049). */
function nobody(turn: OrchestratorTurn): void {
  const { queue, working } = turn.context;
  if (queue.size === 0 || working.size > 0) return;
  notify(turn, {
    ...{ subject: 'the queue of tasks', kind: 'tasks.waiting', priority: 'MEDIUM' },
    title: `${queue.size} tasks wait, and no coding agent asks for one`,
    detail: 'A coding agent gets its next task by the tool getNextTask.',
  });
}
