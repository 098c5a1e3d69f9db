/**
 * How far a plan has come, item by item: the pure bookkeeping of the Lead Coordinator. A record per item and a tally of
 * them all keep every change small.
 */
import { type AnyActorRef } from 'xstate';
import { planIndexOf } from '../plan/plan-index.ts';
import { type ItemStanding } from '../plan/dispatcher.ts';
import { type ItemDebate } from '../../work/agent-function.ts';
import { type Rerun } from './item-debates.ts';
import { type Plan } from '../plan/plan.ts';

/** `failed` and `expired` are for good. An item that is done is `running` with nothing left to run. */
export type ItemPhase = 'running' | 'pausing' | 'paused' | 'failed' | 'expired';

export interface FailedTask {
  readonly task: string;
  readonly error: string;
}

/** A question to people that an item waits for, or has waited for. */
export interface ItemGate {
  readonly gate: string;
  /** `validated`: the item passes without being asked again. */
  readonly state: 'waiting' | 'validated' | 'timedOut' | 'turnedDown';
  readonly openedAtMs: number;
  /** How long people took; null while the gate waits, and where nobody answered. */
  readonly answeredAfterMs: number | null;
}

export interface ItemProgress {
  readonly phase: ItemPhase;
  readonly done: readonly string[];
  readonly running: readonly string[];
  readonly failed: readonly FailedTask[];
  /** Why it is not running; null while it runs. */
  readonly reason: string | null;
  /** Pauses so far: numbers the checkpoints. */
  readonly pauses: number;
  /** Its PauseManager, once it has one. */
  readonly manager: AnyActorRef | null;
  /** It goes on after a pause, and nothing that runs again has succeeded yet. */
  readonly isResuming?: boolean;
  /** Tasks under way that take longer than expected. */
  readonly overdue?: readonly string[];
  /** By gate. */
  readonly gates?: Readonly<Record<string, ItemGate>>;
  /** A pause that was asked for while people decide: it comes when they have (CA-031). */
  readonly deferredPause?: { readonly reason: string; readonly failedTask: string | null } | null;
  /** Debates that it has to do with, by id. */
  readonly debates?: Readonly<Record<string, ItemDebate>>;
  /** Tasks that run again one after the other because a value was overridden. */
  readonly rerun?: Rerun | null;
  /**
   * Tasks under way whose result will not count: they run with a value that was overridden meanwhile, and run again
   * then.
   */
  readonly stale?: readonly string[];
}

/** By name, in the order of the plan. */
export type Items = ReadonlyMap<string, ItemProgress>;

export const UNTOUCHED: ItemProgress = {
  phase: 'running',
  done: [],
  running: [],
  failed: [],
  reason: null,
  pauses: 0,
  manager: null,
};

/** Every item of the plan, with what is known of it. O(items). */
export function itemsOf(plan: Plan, known: (item: string) => ItemProgress | undefined): Items {
  return new Map([...planIndexOf(plan).byItem.keys()].map((item) => [item, known(item) ?? UNTOUCHED]));
}

export function started(progress: ItemProgress, task: string): ItemProgress {
  return { ...progress, running: [...progress.running, task] };
}

export function completed(progress: ItemProgress, task: string): ItemProgress {
  return { ...ended(progress, task), done: [...without(progress.done, task), task] };
}

/** The task runs no more, and is not done. */
export function ended(progress: ItemProgress, task: string): ItemProgress {
  const { overdue = [], stale = [] } = progress;
  return {
    ...progress,
    running: without(progress.running, task),
    ...(progress.overdue !== undefined && { overdue: without(overdue, task) }),
    ...(progress.stale !== undefined && { stale: without(stale, task) }),
  };
}

export function isAtGate({ gates = {} }: ItemProgress): boolean {
  return Object.values(gates).some(({ state }) => state === 'waiting');
}

/** Whether it has ended without being done. */
export function isLost({ phase }: ItemProgress): boolean {
  return phase === 'failed' || phase === 'expired';
}

/** How the scheduler is to see it. At a gate nothing of it starts, but the others go on waiting for it at barriers. */
export function standingOf(progress: ItemProgress): ItemStanding {
  const isRunning = progress.phase === 'running';
  return { starts: isRunning && !isAtGate(progress), awaited: isRunning, alone: progress.pauses > 0 };
}

/** Sums over all items. */
export interface Tally {
  readonly running: number;
  readonly done: number;
  /** Tasks that will never be done: of items that failed or expired. */
  readonly lost: number;
  /** Items of which something is being decided, by agents or by people. */
  readonly undecided: number;
}

export const EMPTY_TALLY: Tally = { running: 0, done: 0, lost: 0, undecided: 0 };

/** What one item adds to the sums. */
export function tallyOf(progress: ItemProgress, tasks: number): Tally {
  const { running, done, phase } = progress;
  return {
    running: running.length,
    done: done.length,
    lost: isLost(progress) ? tasks - done.length : 0,
    undecided: phase === 'pausing' || (phase === 'running' && isAtGate(progress)) ? 1 : 0,
  };
}

export type PlanOutcome = 'working' | 'completed' | 'failed' | 'paused';

/** `working` while something runs or is being decided; then how it ended, or that it waits for somebody. */
export function outcomeOf({ running, done, lost, undecided }: Tally, tasks: number): PlanOutcome {
  if (running > 0 || undecided > 0) return 'working';
  if (done + lost < tasks) return 'paused';
  return lost > 0 ? 'failed' : 'completed';
}

function without(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id);
}
