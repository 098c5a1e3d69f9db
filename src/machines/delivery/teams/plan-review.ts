/**
 * The review of a plan before its tasks are planned (D6, D7): the Planning Team has a Reviewer started for each, and a
 * Builder for one with a backend, holds each task until what it has to know is known, and marks it with that. What the
 * first release does not need is left for later.
 */
import { pairKey, pairsOf, nameKey } from '../../rules/table-keys.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { type BackendChoice } from '../plans/backend.ts';
import { type BackendChosen, type BuilderInput } from '../plans/builder.ts';
import { type PlanDocument } from '../plans/plan-document.ts';
import { type ProjectRules } from '../plans/project-kinds.ts';
import { type PlanReviewed, type ReviewerInput } from '../plans/reviewer.ts';
import { type Triaged } from '../plans/triage.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { begin, type PlanningJob, type PlanningTurn } from './planned-tasks.ts';

interface Submitted {
  readonly plan: string;
  readonly document: PlanDocument;
  readonly owner: string;
}

/** A plan under review, with what is known so far. */
interface PlanUnderReview {
  /** The Reviewer and the Builder, as long as they are at work. */
  readonly left: readonly Aid[];
  readonly isReviewed: boolean;
  readonly decided: Readonly<Record<string, Triaged>>;
  readonly project: ProjectRules | null;
  readonly choice: BackendChoice | null;
}

type Aid = 'reviewer' | 'builder';

const NOTHING = { decided: {}, project: null, choice: null };

/** The first part of the keys of tasks that are left for later. */
const LATER = 'later';

const AREAS = /backend|api\b|server|database/i;

/** Holds the tasks of a plan, and has it reviewed. */
export function review(turn: PlanningTurn, submitted: Submitted, jobs: readonly PlanningJob[]): void {
  const { plan, document, owner } = submitted;
  const { projectType, notes, features, backend_mode: isBuilt, designChoices: choices } = document;
  const left: readonly Aid[] = isBuilt ? ['reviewer', 'builder'] : ['reviewer'];
  let asked = turn.context.asked.set(nameKey(plan), { left, isReviewed: false, ...NOTHING });
  for (const job of jobs) asked = asked.set(pairKey(plan, job.item.id), job);
  turn.assign({ asked });
  const facts = { plan, name: document.name, goal: document.goal ?? document.name, owner };
  start(turn, 'reviewer', plan, { ...facts, projectType, notes, features } satisfies ReviewerInput);
  if (!isBuilt) return;
  const [primary, fallback] = [choices.backend_framework!, choices.backend_fallback ?? null];
  start(turn, 'builder', plan, { plan, owner, primary, fallback } satisfies BuilderInput);
}

function start(turn: PlanningTurn, aid: Aid, plan: string, input: object): void {
  const id = `${aid}-${plan}`;
  turn.send(DELIVERY_DESKS[`${aid}s`], { type: 'child.start', id, spec: { id, input, reportTo: turn.self } });
}

/** The rules about what Reviewers and Builders report, and about their end, after which nothing is waited for. */
export const REVIEW = {
  'plan.reviewed': (turn: PlanningTurn, { plan, decided, project }: PlanReviewed) =>
    known(turn, plan, { decided, project, isReviewed: true }),
  'backend.chosen': (turn: PlanningTurn, { plan, choice }: BackendChosen) => known(turn, plan, { choice }),
  'child.exited': (turn: PlanningTurn, { id }: { readonly id: string }) => {
    const [, aid, plan] = /^(reviewer|builder)-(.+)$/.exec(id) ?? [];
    if (plan !== undefined) known(turn, plan, {}, aid as Aid);
  },
  'task.released': released,
  // One that was left for later has ended.
  'task.dropped': (turn: PlanningTurn, { task }: { readonly task: string }) =>
    turn.assign({ asked: turn.context.asked.delete(pairKey(LATER, task)) }),
};

function known(turn: PlanningTurn, plan: string, facts: Partial<PlanUnderReview>, over?: Aid): void {
  const before = turn.context.asked.get(nameKey(plan)) as PlanUnderReview | undefined;
  if (before === undefined) return;
  const after = { ...before, ...facts, left: before.left.filter((one) => one !== over) };
  turn.assign({ asked: turn.context.asked.set(nameKey(plan), after) });
  for (const [key, job] of [...turn.context.asked.entries(pairsOf(plan))] as [string, PlanningJob][]) {
    if (!isKnown(job, after)) continue;
    turn.assign({ asked: turn.context.asked.delete(key) });
    go(turn, job, after);
  }
  if (after.left.length === 0) turn.assign({ asked: turn.context.asked.delete(nameKey(plan)) });
}

function hasBackend({ concerns }: WorkItem): boolean {
  return concerns.some((concern) => AREAS.test(concern));
}

/** Whether everything is known that a task has to know before it begins. */
function isKnown({ item, task }: PlanningJob, { left, isReviewed, decided, choice }: PlanUnderReview): boolean {
  const isDecided = isReviewed && (task.feature === undefined || Object.hasOwn(decided, task.feature));
  const isBuilt = choice !== null || !hasBackend(item);
  return (isDecided || !left.includes('reviewer')) && (isBuilt || !left.includes('builder'));
}

/** Marks a task with what is known of its plan, and has it planned, or left for later. */
function go(turn: PlanningTurn, { item, task }: PlanningJob, { decided, project, choice }: PlanUnderReview): void {
  const { isMandatory = null, note = null } = decided[task.feature ?? ''] ?? {};
  const backend = choice !== null && hasBackend(item) ? choice : undefined;
  const { type, stack, verification } = project ?? {};
  const marks: Partial<WorkItem['context']> = {
    ...(type !== undefined && { project: { type, stack: stack!, verification: verification! } }),
    ...(task.feature !== undefined && { feature: { id: task.feature, isMandatory, note } }),
    ...(backend?.framework && { backend: { framework: backend.framework, comment: backend.comment } }),
  };
  const patch = { context: { ...item.context, ...marks } };
  const marked = { ...item, ...patch };
  if (Object.keys(marks).length > 0) turn.send(WORK_DESKS.orchestrator, { type: 'task.edited', task: item.id, patch });
  const later = isMandatory === false ? `Phase 2: ${note ?? ''}` : null;
  const because = backend?.framework === null ? backend.because : later;
  if (because === null) return begin(turn, { item: marked, task });
  turn.assign({ asked: turn.context.asked.set(pairKey(LATER, item.id), { item: marked, task }) });
  turn.send(WORK_DESKS.orchestrator, { type: 'task.deferred', task: item.id, because });
}

/** A task that was left for later is planned after all. */
function released(turn: PlanningTurn, { task }: { readonly task: string }): void {
  const key = pairKey(LATER, task);
  const job = turn.context.asked.get(key) as PlanningJob | undefined;
  if (job === undefined) return;
  turn.assign({ asked: turn.context.asked.delete(key) });
  begin(turn, job);
}
