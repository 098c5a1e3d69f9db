/**
 * The Task Decomposition Agent (MX-012, MX-073): breaks a task that is too large into valid subtasks, those of the plan
 * or of the port `decompose`, and hands them back to the Planning Team. What cannot be broken down goes back as it is.
 */
import { type Known } from '../../work/port.ts';
import { type Rules } from '../../rules/turn.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { CONTRACTS } from '../delivery-ports.ts';
import { type HandoffGiven, type HandoffRefused, offerHandoff } from '../organisation/handoff-messages.ts';
import { flawsOfSubtasks, regrouped } from '../plans/decomposition.ts';
import { type PlannedTask } from '../plans/plan-document.ts';
import { addJob, toTask, type TeamContext, type TeamTurn, type TeamWork } from './team.ts';

type DecompositionTurn = TeamTurn<WorkItem>;

const RULES = {
  'handoff.given': (turn: DecompositionTurn, { item, load }: HandoffGiven) => {
    const { subtasks } = load as { readonly subtasks: readonly PlannedTask[] };
    if (subtasks.length > 0) submit(turn, item as WorkItem, subtasks);
    else addJob(turn, item as WorkItem);
  },
  'handoff.refused': (turn: DecompositionTurn, { item, load, because }: HandoffRefused) => {
    const { flaws = [because] } = (load ?? {}) as { readonly flaws?: readonly string[] };
    returned(turn, item.id, flaws.join('; '));
  },
} satisfies Rules<TeamContext<WorkItem>>;

/** The work of the Task Decomposition Agent. */
export const decompositionWork: TeamWork<WorkItem, WorkItem, readonly PlannedTask[]> = {
  team: 'decomposition',
  rules: RULES,
  contract: CONTRACTS.decompose as never,
  ask: (item) => item,
  finish(turn, item, answer: Known<readonly PlannedTask[] | null>) {
    if (!answer.isKnown) returned(turn, item.id, answer.why);
    else if (answer.value === null) returned(turn, item.id, 'nobody can break it down: it needs a manual breakdown');
    else submit(turn, item, answer.value);
  },
};

/** Hands subtasks back to the Planning Team if they are valid. */
function submit(turn: DecompositionTurn, item: WorkItem, given: readonly PlannedTask[]): void {
  const subtasks = regrouped(given);
  const flaws = flawsOfSubtasks(subtasks, item.depth);
  offerHandoff(turn, {
    ...{ occasion: 'broken-down', from: 'decomposition', item, facts: { flaws: flaws.length } },
    load: { subtasks, flaws: flaws.slice(0, 5) },
  });
}

/** Returns a task that cannot be broken down: its owner decides. */
function returned(turn: DecompositionTurn, task: string, because: string): void {
  toTask(turn, task, { type: 'task.block', reason: 'size', because });
}
