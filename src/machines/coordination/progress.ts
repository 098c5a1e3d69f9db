/**
 * How far a plan has come, item by item: the pure bookkeeping of the Lead Coordinator. What happens next follows from it
 * by schedule.ts; a record per item keeps every change small.
 */
import { type AnyActorRef } from 'xstate';
import { itemOf, type Plan, type PlanTask } from './plan.ts';
import { pickReady, type Progress } from './schedule.ts';

export type ItemPhase = 'running' | 'pausing' | 'paused' | 'resuming';

export interface FailedTask {
  readonly task: string;
  readonly error: string;
}

export interface ItemProgress {
  readonly phase: ItemPhase;
  readonly done: readonly string[];
  readonly running: readonly string[];
  readonly failed: readonly FailedTask[];
  /** Why it is paused or pausing; null while it runs. */
  readonly reason: string | null;
  /** Pauses so far: numbers the checkpoints. */
  readonly pauses: number;
  /** Its PauseManager, once it has one. */
  readonly manager: AnyActorRef | null;
}

export type Items = ReadonlyMap<string, ItemProgress>;

const UNTOUCHED: ItemProgress = { phase: 'running', done: [], running: [], failed: [], reason: null, pauses: 0, manager: null };

/** Every item of the plan, with what is known of it. */
export function itemsOf(plan: Plan, known: (item: string) => ItemProgress | undefined): Items {
  return new Map([...itemNames(plan)].map((item) => [item, known(item) ?? UNTOUCHED]));
}

export function itemNames(plan: Plan): ReadonlySet<string> {
  return new Set(plan.tasks.map(itemOf));
}

export function started(progress: ItemProgress, task: string): ItemProgress {
  return { ...progress, running: [...progress.running, task] };
}

export function completed(progress: ItemProgress, task: string): ItemProgress {
  return { ...progress, running: without(progress.running, task), done: [...without(progress.done, task), task] };
}

/** Records the failure; pausing is a step of its own. */
export function failed(progress: ItemProgress, failure: FailedTask): ItemProgress {
  return { ...progress, running: without(progress.running, failure.task), failed: [...progress.failed, failure] };
}

/** The tasks that start now, in order. */
export function nextTasks(plan: Plan, items: Items): readonly PlanTask[] {
  return pickReady(plan, progressOf(items));
}

function progressOf(items: Items): Progress {
  const all = [...items];
  const named = (condition: (progress: ItemProgress) => boolean) => all.filter(([, item]) => condition(item)).map(([name]) => name);
  return {
    done: all.flatMap(([, { done }]) => done),
    running: all.flatMap(([, { running }]) => running),
    paused: named(({ phase }) => phase !== 'running'),
    failed: [],
    resumed: named(({ phase, pauses }) => phase === 'running' && pauses > 0),
  };
}

/** `working` while something runs or is being decided; then how it ended, or what it waits for. */
export function outcomeOf(plan: Plan, items: Items): 'working' | 'completed' | 'paused' {
  const all = [...items.values()];
  const isBusy = all.some(({ running, phase }) => running.length > 0 || phase === 'pausing' || phase === 'resuming');
  if (isBusy || nextTasks(plan, items).length > 0) return 'working';
  const done = all.reduce((sum, item) => sum + item.done.length, 0);
  return done === plan.tasks.length ? 'completed' : 'paused';
}

function without(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id);
}
