/**
 * The Programming Orchestrator (MX-004): the desk and the queue of tasks. It gives what may begin to coding sessions
 * (pulls.ts), passes on what they and people say (task-orders.ts), and has everything follow from it
 * (task-progress.ts). Each task is an actor of its own (task.ts). The orchestrator speaks for coding agents and for the
 * Clarity Agent, which are outside.
 */
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { TASK_ENTRIES_KEPT_MAX } from '../../limits.ts';
import { type OrderAnswered } from '../../rules/desk.ts';
import { ruledAgent, type Rules } from '../../rules/turn.ts';
import { type HandoffGiven, type HandoffInformed, type HandoffRefused } from '../organisation/handoff-messages.ts';
import { type Occasion } from '../organisation/raci.ts';
import { counting, desk, newOrchestrator, tasksInOneTable } from './orchestrator-state.ts';
import { type OrchestratorContext, type OrchestratorTurn } from './orchestrator-state.ts';
import { taskEntry } from './task-figures.ts';
import { heldBack, pulled, SESSIONS } from './pulls.ts';
import { countQuestion, ORDERS, passOn } from './task-orders.ts';
import { JUNK } from './task-junk.ts';
import { HANDED, PROGRESS } from './task-progress.ts';

type Handed<Event> = Partial<Record<Occasion, (turn: OrchestratorTurn, event: Event) => void>>;

/** Rules for hand-offs that the orchestrator is given. The others are carried out by those who offer them. */
const GIVEN: Handed<HandoffGiven> = { planned: HANDED.enqueued, pulled, checked: HANDED.failedCheck, replied: passOn };
const INFORMED: Handed<HandoffInformed> = {
  ...{ planned: HANDED.delegated, 'broken-down': HANDED.decomposed, asked: countQuestion },
};
const REFUSED: Handed<HandoffRefused> = { pulled: heldBack, done: HANDED.lost };

const RULES = {
  ...SESSIONS,
  ...ORDERS,
  ...PROGRESS,
  ...JUNK,
  'handoff.given': (turn: OrchestratorTurn, event: HandoffGiven) => GIVEN[event.occasion]?.(turn, event),
  'handoff.informed': (turn: OrchestratorTurn, event: HandoffInformed) => INFORMED[event.occasion]?.(turn, event),
  'handoff.refused': (turn: OrchestratorTurn, event: HandoffRefused) => REFUSED[event.occasion]?.(turn, event),
  'order.answered': (turn: OrchestratorTurn, event: OrderAnswered) => desk(turn).answer(event),
};

/** The agent of the orchestrator. Its records `tasks` are the log of tasks. */
export const orchestrator: AnyAgent = ruledAgent({
  name: 'orchestrator',
  rules: RULES as unknown as Rules<OrchestratorContext>,
  context: newOrchestrator,
  // The first version neither passed on what others check, nor counted; the second one merged nothing; the third one
  // had a table for open tasks and one for others.
  ...{ version: 4, migrate: { 2: counting, 3: (old: object) => old, 4: tasksInOneTable } },
  records: { tasks: { schema: taskEntry, keep: { count: TASK_ENTRIES_KEPT_MAX } } },
});
