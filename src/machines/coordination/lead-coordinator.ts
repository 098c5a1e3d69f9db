/**
 * The Lead Coordinator (seed 002, CA-001 to CA-006): carries out a plan. It starts each task as soon as its dependencies
 * and its agent's capacity allow, by the same rule as the schedule; keeps what came of them; and pauses an item whose task
 * has failed for good while the others go on. Pure: decisions in progress.ts and schedule.ts, actors started by Bosses.
 */
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../actors/agent.ts';
import { type ItemCheckpoint, type PauseManagerReport, type PauseRequest } from './pause-manager.ts';
import { itemOf, type Plan, type PlanTask } from './plan.ts';
import { completed, failed, itemNames, type ItemProgress, itemsOf, nextTasks, outcomeOf, started } from './progress.ts';
import { stageName, type TaskCompleted } from './stage.ts';

/** System ids of the Bosses that the coordinator has its helpers started by. */
export const STAGES = 'stages';
export const PAUSES = 'pauses';

/** A retry budget counts over the whole life of a task: failures of any age. */
const TASK_PERIOD_MS = 10 * 365 * 24 * 60 * 60 * 1000;

/** Spreads retries of tasks that failed together. */
const RETRY_JITTER = 0.2;

export interface CoordinatorInput {
  readonly plan: Plan;
}

/** One record an item, each under a key of its own, so that a change is as small as what it is about. */
export type CoordinatorContext = {
  readonly plan: Plan;
} & { readonly [key in `item:${string}`]?: ItemProgress } & { readonly [key in `results:${string}`]?: Readonly<Record<string, unknown>> };

type Event =
  | { readonly type: 'plan.pause'; readonly item: string; readonly reason?: string | undefined }
  | { readonly type: 'plan.resume'; readonly item: string }
  | { readonly type: 'child.exited'; readonly id: string; readonly error: unknown }
  | TaskCompleted
  | PauseManagerReport;

/** What is said to whoever watches, once it is durable. */
export type CoordinatorEmitted =
  | { readonly type: 'item.paused'; readonly item: string; readonly reason: string; readonly task: string | null }
  | { readonly type: 'item.resumed'; readonly item: string };

const machine = setup({
  types: {} as { context: CoordinatorContext; events: Event; emitted: CoordinatorEmitted; input: CoordinatorInput },
  guards: {
    isCompleted: ({ context }) => outcomeOf(context.plan, itemsIn(context)) === 'completed',
    isStuck: ({ context }) => outcomeOf(context.plan, itemsIn(context)) === 'paused',
    isPausable: ({ context, event }) => event.type === 'plan.pause' && isUnfinished(context, event.item),
    isPaused: ({ context, event }) => event.type === 'plan.resume' && itemsIn(context).get(event.item)?.phase === 'paused',
    isRunning: ({ context, event }) => event.type === 'task.completed' && isRunningTask(context, event.task),
    hasFailed: ({ context, event }) => event.type === 'child.exited' && isRunningTask(context, event.id),
  },
  actions: {
    /** Starts every task that can start. */
    dispatch: enqueueActions(({ context, enqueue, self, system }) => {
      const ready = nextTasks(context.plan, itemsIn(context));
      if (ready.length === 0) return;
      const changed = new Map<string, ItemProgress>();
      for (const task of ready) {
        const item = itemOf(task);
        changed.set(item, started(changed.get(item) ?? itemIn(context, item), task.id));
        enqueue.sendTo(system.get(STAGES) as AnyActorRef, { type: 'child.start', id: task.id, spec: taskBoss(task, context, self) });
      }
      for (const [item, progress] of changed) enqueue.assign(record(item, progress));
    }),
  },
}).createMachine({
  id: 'lead-coordinator',
  context: ({ input }) => ({ plan: input.plan }),
  initial: 'working',
  on: {
    'task.completed': {
      guard: 'isRunning',
      target: '.working',
      actions: enqueueActions(({ context, event, enqueue, system }) => {
        const item = itemNameOf(context, event.task);
        const key = stageOf(context, event.task) ?? event.task;
        enqueue.assign(record(item, completed(itemIn(context, item), event.task)));
        enqueue.assign(recordResults(item, { ...resultsOf(context, item), [key]: event.output }));
        enqueue.sendTo(system.get(STAGES) as AnyActorRef, { type: 'child.terminate', id: event.task });
      }),
    },
    // A task's Boss has used up its attempts (CA-041: the item pauses, the others go on).
    'child.exited': {
      guard: 'hasFailed',
      target: '.working',
      actions: enqueueActions(({ context, event, enqueue, self, system }) => {
        const item = itemNameOf(context, event.id);
        const error = errorText(event.error);
        const progress = failed(itemIn(context, item), { task: event.id, error });
        const request: PauseRequest = { reason: `${event.id} failed: ${error}`, trigger: 'AUTO_TIER2', failedTask: event.id };
        enqueue.assign(record(item, pausing(progress, request)));
        askToPause(enqueue.sendTo as SendTo, { item, progress, request, self, boss: system.get(PAUSES) as AnyActorRef });
      }),
    },
    'plan.pause': {
      guard: 'isPausable',
      target: '.working',
      actions: enqueueActions(({ context, event: { item, reason }, enqueue, self, system }) => {
        const progress = itemIn(context, item);
        const request: PauseRequest = { reason: reason ?? 'paused by hand', trigger: 'MANUAL', failedTask: null };
        enqueue.assign(record(item, pausing(progress, request)));
        askToPause(enqueue.sendTo as SendTo, { item, progress, request, self, boss: system.get(PAUSES) as AnyActorRef });
      }),
    },
    'plan.resume': {
      guard: 'isPaused',
      target: '.working',
      actions: enqueueActions(({ context, event: { item }, enqueue }) => {
        const progress = itemIn(context, item);
        enqueue.assign(record(item, { ...progress, phase: 'resuming' }));
        enqueue.sendTo(progress.manager!, { type: 'resume.request' });
      }),
    },
    'pause.pausing': {
      target: '.working',
      actions: assign(({ context, event: { item, manager } }) => record(item, { ...itemIn(context, item), manager })),
    },
    'pause.paused': {
      target: '.working',
      actions: enqueueActions(({ context, event: { item, request }, enqueue }) => {
        enqueue.assign(record(item, { ...itemIn(context, item), phase: 'paused' }));
        enqueue.emit({ type: 'item.paused', item, reason: request.reason, task: request.failedTask });
      }),
    },
    'pause.resuming': {
      target: '.working',
      actions: enqueueActions(({ context, event: { item, plan }, enqueue }) => {
        const { manager, done, ...rest } = itemIn(context, item);
        const kept = done.filter((task) => plan.skip.includes(task));
        enqueue.assign(record(item, { ...rest, manager, done: kept, failed: [], phase: 'running', reason: null }));
        enqueue.sendTo(manager!, { type: 'resume.completed' });
        enqueue.emit({ type: 'item.resumed', item });
      }),
    },
  },
  states: {
    working: {
      // Every event leads back here, so that each is followed by what it makes possible.
      entry: ['dispatch', enqueueActions(({ context, enqueue }) => saveCheckpoints(context, enqueue.sendTo as SendTo))],
      always: [
        { guard: 'isCompleted', target: 'completed' },
        { guard: 'isStuck', target: 'paused' },
      ],
    },
    /** Nothing runs and nothing can: somebody has to resume an item. */
    paused: {},
    completed: {},
  },
});

export const leadCoordinator = defineAgent({
  name: 'lead-coordinator',
  machine,
  events: {
    'plan.pause': z.object({ item: z.string(), reason: z.string().max(1_000).optional() }),
    'plan.resume': z.object({ item: z.string() }),
  },
});

/** Progress of every item as the coordinator's context holds it. */
export function itemsIn(context: CoordinatorContext): ReturnType<typeof itemsOf> {
  return itemsOf(context.plan, (item) => context[itemKey(item)]);
}

/** Outputs of the completed tasks of an item, by stage; in a plan of tasks by task id. */
export function resultsOf(context: CoordinatorContext, item: string): Readonly<Record<string, unknown>> {
  return context[resultsKey(item)] ?? {};
}

type SendTo = (to: AnyActorRef, event: { readonly type: string }) => void;

function itemKey(item: string): `item:${string}` {
  return `item:${item}`;
}

function resultsKey(item: string): `results:${string}` {
  return `results:${item}`;
}

function record(item: string, progress: ItemProgress): Partial<CoordinatorContext> {
  const patch: { [key in `item:${string}`]?: ItemProgress } = { [itemKey(item)]: progress };
  return patch as Partial<CoordinatorContext>;
}

function recordResults(item: string, results: Readonly<Record<string, unknown>>): Partial<CoordinatorContext> {
  const patch: { [key in `results:${string}`]?: Readonly<Record<string, unknown>> } = { [resultsKey(item)]: results };
  return patch as Partial<CoordinatorContext>;
}

function itemIn(context: CoordinatorContext, item: string): ItemProgress {
  return itemsIn(context).get(item)!;
}

function isUnfinished(context: CoordinatorContext, item: string): boolean {
  if (!itemNames(context.plan).has(item)) return false;
  const { phase, done } = itemIn(context, item);
  return phase === 'running' && done.length < context.plan.tasks.filter((task) => itemOf(task) === item).length;
}

function taskIn(context: CoordinatorContext, id: string): PlanTask | undefined {
  return context.plan.tasks.find((task) => task.id === id);
}

function itemNameOf(context: CoordinatorContext, id: string): string {
  return itemOf(taskIn(context, id)!);
}

function stageOf(context: CoordinatorContext, id: string): string | null {
  return taskIn(context, id)!.stage;
}

function isRunningTask(context: CoordinatorContext, id: string): boolean {
  const task = taskIn(context, id);
  return task !== undefined && itemIn(context, itemOf(task)).running.includes(id);
}

function pausing(progress: ItemProgress, { reason }: PauseRequest): ItemProgress {
  return { ...progress, phase: 'pausing', reason, pauses: progress.phase === 'pausing' ? progress.pauses : progress.pauses + 1 };
}

function askToPause(
  sendTo: SendTo,
  facts: { item: string; progress: ItemProgress; request: PauseRequest; self: AnyActorRef; boss: AnyActorRef },
): void {
  const { item, progress, request, self: coordinator, boss } = facts;
  if (progress.phase === 'pausing') return;
  if (progress.manager !== null) {
    sendTo(progress.manager, { type: 'pause.request', request } as { type: string });
    return;
  }
  const spec = { id: item, agent: 'pause-manager', restart: 'transient', input: { item, request, coordinator } };
  sendTo(boss, { type: 'child.start', id: item, spec } as { type: string });
}

/** Items that are pausing and quiet are at a stage boundary: their checkpoint is whole (CA-021). */
function saveCheckpoints(context: CoordinatorContext, sendTo: SendTo): void {
  for (const [item, { phase, running, manager, done, failed: failures, pauses }] of itemsIn(context)) {
    if (phase !== 'pausing' || running.length > 0 || manager === null) continue;
    const own = context.plan.tasks.filter((task) => itemOf(task) === item);
    const ids = new Set(own.map(({ id }) => id));
    const checkpoint: ItemCheckpoint = {
      checkpointId: `${item}#${pauses}`,
      tasks: own.map(({ id, duration, after }) => ({ id, duration, after: after.filter((other) => ids.has(other)) })),
      completed: done,
      failed: failures.map(({ task }) => task),
    };
    sendTo(manager, { type: 'checkpoint.saved', checkpoint } as { type: string });
  }
}

/** One Boss per task: its intensity is the task's retry budget, so that no task spends another's. */
function taskBoss(task: PlanTask, context: CoordinatorContext, coordinator: AnyActorRef): object {
  const { attempts, backoff } = task.retry;
  const stage = {
    id: 'agent',
    agent: stageName(task.agent),
    restart: 'transient',
    backoff: { ...backoff, jitter: RETRY_JITTER },
    input: { task, results: resultsFor(task, context), coordinator },
  };
  const boss = { intensity: attempts - 1, periodMs: TASK_PERIOD_MS, children: [stage] };
  return { id: task.id, restart: 'temporary', reportTo: coordinator, boss };
}

/** What a task may build on: everything its item has; in a plan of tasks, what it waits for. */
function resultsFor(task: PlanTask, context: CoordinatorContext): Readonly<Record<string, unknown>> {
  if (task.item !== null) return resultsOf(context, task.item);
  return Object.assign({}, ...task.after.map((id) => resultsOf(context, id))) as Record<string, unknown>;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
