/**
 * The Planning Team (MX-005, D1): takes plans, numbers their tasks, registers them with the queue, and hands each to
 * the queue or to the decomposition, as the table of responsibilities says. It estimates nothing: minutes come from the
 * plan or from the port `estimate`.
 */
import { order, type OrderReply, refused, type Rules, TAKEN } from '../../rules/turn.ts';
import { type Known } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { CONTRACTS } from '../delivery-ports.ts';
import {
  type HandedItem,
  type HandoffGiven,
  type HandoffRefused,
  offerHandoff,
} from '../organisation/handoff-messages.ts';
import { askOwner } from '../owner-question.ts';
import { flawsOfPlan, keyOf, type PlanDocument, type PlannedTask } from '../plans/plan-document.ts';
import { planOrder } from '../tasks/task-messages.ts';
import { addJob, toTask, type TeamContext, type TeamTurn, type TeamWork } from './team.ts';

/** A task that waits for its estimate. */
interface PlanningJob {
  readonly item: WorkItem;
  readonly task: PlannedTask;
}
type PlanningTurn = TeamTurn<PlanningJob>;

/** Tasks that follow from another one. */
type FollowUp = Readonly<{ of: WorkItem; tasks: readonly PlannedTask[] }>;

/** The reply to a plan. */
export interface PlanReply extends OrderReply {
  readonly plan: string | null;
  /** The ids of its tasks, in their order. */
  readonly tasks: readonly string[];
}

/** Facts that the subtasks of a task share with it. */
type Around = Pick<WorkItem, 'parent' | 'depth' | 'owner' | 'priority' | 'dependencies'> &
  Pick<WorkItem['context'], 'plan' | 'style' | 'acceptance'>;

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
    'task.followUp': (turn: PlanningTurn, { of, tasks }: FollowUp) => void planAll(turn, tasks, within(of)),
    'task.lacksContext': (turn: PlanningTurn, { item }: { readonly item: WorkItem }) =>
      askOwner(turn, item, { about: 'context', title: `When is ${item.id} done? ${item.title}`, text: CONTEXT_LACKS }),
  } satisfies Rules<TeamContext<PlanningJob>>;
  return { team: 'planning', rules, contract: CONTRACTS.estimate, ask: ({ task }) => task, finish: estimated };
}

const CONTEXT_LACKS = 'It has no acceptance criteria. Your reply is taken as its criterion.';

/** Facts of the tasks of a plan, around which there is no task. */
const TOP = { parent: null, depth: 0, priority: 2, dependencies: [], acceptance: [] } as const;

function submit(turn: PlanningTurn, document: PlanDocument, by: string, hasEstimates: boolean): PlanReply {
  const full = turn.context.isFull ? ['as many tasks are under way as may be: hand it in later'] : [];
  const flaws = [...full, ...flawsOfPlan(document, hasEstimates)];
  if (flaws.length > 0) return { ...refused(...flaws.slice(0, 20)), plan: null, tasks: [] };
  turn.assign({ plans: turn.context.plans + 1 });
  const { name, owner = by, style, tasks } = document;
  const around = { ...TOP, owner, plan: name, style };
  return { ...TAKEN, plan: `PLAN-${turn.context.plans}`, tasks: planAll(turn, tasks, around).map(({ id }) => id) };
}

/** Numbers and registers tasks beside each other, and plans each of them. */
function planAll(turn: PlanningTurn, tasks: readonly PlannedTask[], around: Around): readonly WorkItem[] {
  const first = turn.context.tasks + 1;
  turn.assign({ tasks: turn.context.tasks + tasks.length });
  const ids = new Map(tasks.map((task, at) => [keyOf(task), idOf(first + at)]));
  const items = tasks.map((task, at) => itemOf(task, idOf(first + at), ids, around));
  for (const item of items) turn.send(WORK_DESKS.orchestrator, { type: 'task.planned', item });
  for (const [at, item] of items.entries())
    if (item.minutes === null) addJob(turn, { item, task: tasks[at]! });
    else plan(turn, item, tasks[at]!.subtasks);
  return items;
}

function idOf(number: number): string {
  return `TASK-${String(number).padStart(3, '0')}`;
}

function itemOf(task: PlannedTask, id: string, ids: ReadonlyMap<string, string>, around: Around): WorkItem {
  const { title, description, kind, minutes, concerns, files, dependsOn } = task;
  const { plan, parent, depth, owner } = around;
  const acceptance = task.acceptance.length > 0 ? task.acceptance : around.acceptance;
  return {
    ...{ id, kind, title, description, minutes, concerns, parent, depth, owner, origin: 'planning' },
    // What waits for the whole waits for its parts, and the parts for what the whole waits for.
    dependencies: [...new Set([...around.dependencies, ...dependsOn.map((key) => ids.get(key)!)])],
    priority: task.priority ?? around.priority,
    context: { plan, acceptance, files, style: task.style ?? around.style },
  };
}

/** D1: the table of responsibilities decides whether the queue or the decomposition gets a task. */
function plan(turn: PlanningTurn, item: WorkItem, subtasks: readonly PlannedTask[]): void {
  const facts = { size: item.minutes ?? NaN, concerns: item.concerns.length, blockers: 0 };
  offerHandoff(turn, { occasion: 'planned', from: 'planning', item, facts, load: { subtasks } });
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

/** The facts that a work item shares with those that are part of it or follow from it. */
function within({ id: parent, depth, owner, priority, context: { plan: name, style, acceptance } }: WorkItem): Around {
  return { parent, depth, owner, priority, plan: name, style, acceptance, dependencies: [] };
}
