/**
 * The Planning Team (MX-005, D1): takes plans, has each reviewed (plan-review.ts), and hands its tasks to the queue or
 * to the decomposition (planned-tasks.ts). It estimates nothing: minutes come from the plan or from the port
 * `estimate`.
 */
import { numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { order, type OrderReply, refused, type Rules, TAKEN } from '../../rules/turn.ts';
import { type Known } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { CONTRACTS } from '../delivery-ports.ts';
import { type HandedItem, type HandoffGiven, type HandoffRefused } from '../organisation/handoff-messages.ts';
import { askOwner } from '../owner-question.ts';
import { BATCH_MAX } from '../oversight/oversight-rules.ts';
import { flawsOfPlan, type PlanDocument, type PlannedTask, tasksOf } from '../plans/plan-document.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { planOrder } from '../tasks/task-messages.ts';
import { REVIEW, review } from './plan-review.ts';
import { plan, planAll, type PlanningJob, type PlanningTurn, register, TOP, within } from './planned-tasks.ts';
import { toTask, type TeamContext, type TeamWork } from './team.ts';

/** Tasks that follow from another one. */
type FollowUp = Readonly<{ of: WorkItem; tasks: readonly PlannedTask[] }>;

/** The reply to a plan. */
export interface PlanReply extends OrderReply {
  readonly plan: string | null;
  /** The ids of its tasks, in their order. */
  readonly tasks: readonly string[];
}

/** Makes what the Planning Team does; `hasEstimates`: whether a port knows estimates that a plan lacks. */
export function planningWork(hasEstimates: boolean): TeamWork<PlanningJob, PlannedTask, number | null> {
  const rules = {
    'plan.submit': order(planOrder, (turn: PlanningTurn, { plan, by }) => submit(turn, plan, by, hasEstimates)),
    'queue.room': (turn: PlanningTurn, { isFull }: Pick<TeamContext, 'isFull'>) => turn.assign({ isFull }),
    'handoff.given': formalise,
    // A task that neither the queue nor the decomposition takes is its owner's.
    'handoff.refused': (turn: PlanningTurn, { item, because }: HandoffRefused) => unsized(turn, item, because),
    'task.returned': (turn: PlanningTurn, { item }: { readonly item: WorkItem }) => plan(turn, item, []),
    // Work that was found in or behind a task is planned as any other.
    ...REVIEW,
    'task.followUp': followUp,
    'generation.halted': (turn: PlanningTurn, { isHalted }: { readonly isHalted: boolean }) => {
      const { asked } = turn.context;
      turn.assign({ asked: isHalted ? asked.set(HALTED, true) : asked.delete(HALTED) });
    },
    'generation.released': release,
    'task.lacksContext': (turn: PlanningTurn, { item }: { readonly item: WorkItem }) =>
      askOwner(turn, item, { about: 'context', title: `When is ${item.id} done? ${item.title}`, text: CONTEXT_LACKS }),
  } satisfies Rules<TeamContext<PlanningJob>>;
  return { team: 'planning', rules, contract: CONTRACTS.estimate, ask: ({ task }) => task, finish: estimated };
}

const CONTEXT_LACKS = 'It has no acceptance criteria. Your reply is taken as its criterion.';

function submit(turn: PlanningTurn, document: PlanDocument, by: string, hasEstimates: boolean): PlanReply {
  const full = turn.context.isFull ? ['as many tasks are under way as may be: hand it in later'] : [];
  const flaws = [...full, ...flawsOfPlan(document, hasEstimates)];
  if (flaws.length > 0) return { ...refused(...flaws.slice(0, 20)), plan: null, tasks: [] };
  turn.assign({ plans: turn.context.plans + 1 });
  const { name, owner = by, style } = document;
  const tasks = tasksOf(document);
  const items = register(turn, tasks, { ...TOP, owner, plan: name, style });
  const id = `PLAN-${turn.context.plans}`;
  const jobs = items.map((item, at) => ({ item, task: tasks[at]! }));
  review(turn, { plan: id, document, owner }, jobs);
  return { ...TAKEN, plan: id, tasks: items.map((item) => item.id) };
}

/** The keys of the halt, and of work that waits for its end or for approval. */
const HALTED = 'halted';
const HELD = 'held';

/** Plans work that was found. It is held during a halt, and a large batch until it is approved; fixes never are. */
function followUp(turn: PlanningTurn, found: FollowUp): void {
  const { of, tasks } = found;
  const { asked, nextJob } = turn.context;
  const isFix = tasks.every(({ kind }) => kind === 'fix');
  if (isFix || (!asked.has(HALTED) && tasks.length <= BATCH_MAX)) return planAll(turn, tasks, within(of));
  turn.assign({ asked: asked.set(pairKey(HELD, numberKey(nextJob)), found), nextJob: nextJob + 1 });
  turn.send(DELIVERY_DESKS.overseer, { type: 'generation.held', count: tasks.length, owner: of.owner });
}

/** Plans the work that was held, or drops it if a person wants none of it. */
function release(turn: PlanningTurn, { isKept }: { readonly isKept: boolean }): void {
  for (const [key, found] of [...turn.context.asked.entries(pairsOf(HELD))]) {
    const { of, tasks } = found as FollowUp;
    turn.assign({ asked: turn.context.asked.delete(key) });
    if (isKept) planAll(turn, tasks, within(of));
  }
}

function estimated(turn: PlanningTurn, { item, task }: PlanningJob, answer: Known<number | null>): void {
  const minutes = answer.isKnown ? answer.value : null;
  if (minutes === null) return unsized(turn, item, 'nobody can estimate it');
  turn.send(WORK_DESKS.orchestrator, { type: 'task.edited', task: item.id, patch: { minutes } });
  plan(turn, { ...item, minutes }, task.subtasks);
}

function unsized(turn: PlanningTurn, { id: task }: HandedItem, because: string): void {
  toTask(turn, task, { type: 'task.block', reason: 'size', because });
}

/** RACI 2: plans the subtasks of a task, which is from now on done by them. */
function formalise(turn: PlanningTurn, { item, load }: HandoffGiven): void {
  const { subtasks } = load as { readonly subtasks: readonly PlannedTask[] };
  const { depth, dependencies } = item as WorkItem;
  planAll(turn, subtasks, { ...within(item as WorkItem), depth: depth + 1, dependencies });
}
