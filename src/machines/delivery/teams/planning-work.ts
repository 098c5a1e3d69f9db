/**
 * The Planning Team (MX-005, D1): takes plans, has each reviewed (plan-review.ts), and hands its tasks to the queue or
 * to the decomposition (planned-tasks.ts). It estimates nothing: minutes come from the plan or from the port
 * `estimate`.
 */
import { type AnyActorRef } from 'xstate';
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
import { type Junk, junkOf } from '../upkeep/junk-rules.ts';
import { toTask, type TeamContext, type TeamWork } from './team.ts';

/** Tasks that follow from another one. */
type FollowUp = Readonly<{ of: WorkItem; tasks: readonly PlannedTask[]; heldAtMs?: number }>;

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
    'upkeep.scan': (turn: PlanningTurn, { sinceMs, askedBy }: Scan) =>
      turn.send(askedBy, { type: 'upkeep.found', junk: staleIn(turn, sinceMs).map(({ junk }) => junk) }),
    'upkeep.clear': clear,
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
  const { name, owner = by, style, quietMs } = document;
  const tasks = tasksOf(document);
  const items = register(turn, tasks, {
    ...{ ...TOP, owner, plan: name, style },
    ...(quietMs !== undefined && { quietMs }),
  });
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
  const { nowMs, context } = turn;
  const { asked, nextJob } = context;
  const isFix = tasks.every(({ kind }) => kind === 'fix');
  if (isFix || (!asked.has(HALTED) && tasks.length <= BATCH_MAX)) return planAll(turn, tasks, within(of));
  turn.assign({
    asked: asked.set(pairKey(HELD, numberKey(nextJob)), { ...found, heldAtMs: nowMs }),
    nextJob: nextJob + 1,
  });
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

type Scan = Readonly<{ sinceMs: number; askedBy: AnyActorRef }>;

/** Held work that has waited since then, by its name among all junk. That of an earlier version stays. */
function staleIn({ context: { asked } }: PlanningTurn, sinceMs: number) {
  const held = [...asked.entries(pairsOf(HELD))] as [string, FollowUp][];
  const stale = held.filter(([, { heldAtMs = Infinity }]) => heldAtMs <= sinceMs);
  return stale.map(([row, { of, tasks }]) => {
    const title = tasks.map((one) => one.title).join('; ');
    return { row, tasks, junk: junkOf({ ...of, title }, 'held', row) };
  });
}

/** Withdraws held work by the word of the Updater, which keeps it on record. */
function clear(turn: PlanningTurn, { junk, because, sinceMs, askedBy }: Scan & { junk: Junk; because: string }): void {
  const { row, tasks = [] } = staleIn(turn, sinceMs).find((one) => one.junk.key === junk.key) ?? {};
  turn.send(askedBy, { type: 'upkeep.cleared', junk, because, isDone: row !== undefined, items: tasks });
  if (row === undefined) return;
  turn.assign({ asked: turn.context.asked.delete(row) });
  turn.send(DELIVERY_DESKS.overseer, { type: 'generation.withdrawn', count: tasks.length });
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
