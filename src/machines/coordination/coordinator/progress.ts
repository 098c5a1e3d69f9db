/**
 * Progress of a plan, item by item: the pure bookkeeping of the Lead Coordinator. One record per item and one tally of
 * all items keep every change small.
 */
import { type AnyActorRef } from 'xstate';
import { planIndexOf } from '../plan/plan-index.ts';
import { type ItemStanding } from '../plan/dispatcher.ts';
import { afterTask, type AwaitedTickets } from '../../people/tickets/awaited-tickets.ts';
import { type ItemDebate } from '../../work/agent-function.ts';
import { type Rerun } from './item-debates.ts';
import { type Plan } from '../plan/plan.ts';

/** The phase of an item. `failed` and `expired` are final. A completed item is `running` with nothing left to run. */
export type ItemPhase = 'running' | 'pausing' | 'paused' | 'failed' | 'expired';

export interface FailedTask {
  readonly task: string;
  readonly error: string;
}

/**
 * An item's phase as reported to people and programs. A `running` item may be waiting for people to decide or to answer
 * a ticket, which CA-031 calls WAITING_FOR_HUMAN, or may be completed.
 */
export type ToldPhase = ItemPhase | 'waitingForHuman' | 'completed';

/** A question to people for which an item waits or has waited. */
export interface ItemGate {
  readonly gate: string;
  /** Id at the gate desk from the last time that the gate was opened. */
  readonly id: string;
  /** `validated`: the item passes without being asked again. */
  readonly state: 'waiting' | 'validated' | 'timedOut' | 'withdrawn' | 'turnedDown';
  /** Names of the people who may answer the gate or validate it later. */
  readonly audience: readonly string[];
  readonly openedAtMs: number;
  /** How long people took to answer; null while the gate waits, and if nobody answered. */
  readonly answeredAfterMs: number | null;
}

/** The progress of an item. */
export interface ItemProgress {
  readonly phase: ItemPhase;
  readonly done: readonly string[];
  readonly running: readonly string[];
  readonly failed: readonly FailedTask[];
  /** Why the item is not running; null while it runs. */
  readonly reason: string | null;
  /** Number of pauses so far, used to number checkpoints. */
  readonly pauses: number;
  /** The item's PauseManager, once it has one. */
  readonly manager: AnyActorRef | null;
  /** Whether the item is resuming after a pause and no restarted task has succeeded yet. */
  readonly isResuming?: boolean;
  /** Running tasks that take longer than expected. */
  readonly overdue?: readonly string[];
  /** Gates by name. */
  readonly gates?: Readonly<Record<string, ItemGate>>;
  /** Tickets for whose answer running tasks wait. */
  readonly tickets?: AwaitedTickets;
  /** A pause that was requested while people decide; it begins after their decision (CA-031). */
  readonly deferredPause?: { readonly reason: string; readonly failedTask: string | null } | null;
  /** Debates that concern the item, by id. */
  readonly debates?: Readonly<Record<string, ItemDebate>>;
  /** Tasks that run again one after the other because a value was overridden. */
  readonly rerun?: Rerun | null;
  /**
   * Running tasks whose result will not count, because a value that they use was overridden; they run again afterwards.
   */
  readonly stale?: readonly string[];
}

/** Items by name, in the order of the plan. */
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

/** The progress of every item of the plan. O(items). */
export function itemsOf(plan: Plan, known: (item: string) => ItemProgress | undefined): Items {
  return new Map([...planIndexOf(plan).byItem.keys()].map((item) => [item, known(item) ?? UNTOUCHED]));
}

export function started(progress: ItemProgress, task: string): ItemProgress {
  return { ...progress, running: [...progress.running, task] };
}

export function completed(progress: ItemProgress, task: string): ItemProgress {
  return { ...ended(progress, task), done: [...without(progress.done, task), task] };
}

/** The progress after a task has ended without being completed. */
export function ended(progress: ItemProgress, task: string): ItemProgress {
  const { overdue = [], stale = [], tickets } = progress;
  return {
    ...progress,
    running: without(progress.running, task),
    ...(tickets !== undefined && { tickets: afterTask(tickets, task) }),
    ...(progress.overdue !== undefined && { overdue: without(overdue, task) }),
    ...(progress.stale !== undefined && { stale: without(stale, task) }),
  };
}

export function isAtGate(progress: ItemProgress): boolean {
  return openGatesOf(progress).length > 0;
}

/** Ids of the gates at which people decide about the item now. */
export function openGatesOf({ gates = {} }: ItemProgress): readonly string[] {
  return Object.values(gates).flatMap(({ state, id }) => (state === 'waiting' ? [id] : []));
}

/** Ids of the questions for whose answer the item waits: of gates, and of tickets. */
export function questionsOf(progress: ItemProgress): readonly string[] {
  return [...openGatesOf(progress), ...Object.keys(progress.tickets ?? {})];
}

/**
 * The phase of an item as it is reported.
 *
 * @param tasks Number of the item's tasks.
 */
export function toldPhase(progress: ItemProgress, tasks: number): ToldPhase {
  if (progress.phase !== 'running') return progress.phase;
  if (questionsOf(progress).length > 0) return 'waitingForHuman';
  return progress.done.length === tasks ? 'completed' : 'running';
}

/** Whether the item has ended without being completed. */
export function isLost({ phase }: ItemProgress): boolean {
  return phase === 'failed' || phase === 'expired';
}

/**
 * The standing of an item for the scheduler. While an item waits at a gate, none of its tasks start, and other items
 * still wait for it at barriers.
 */
export function standingOf(progress: ItemProgress): ItemStanding {
  const isRunning = progress.phase === 'running';
  return { starts: isRunning && !isAtGate(progress), awaited: isRunning, alone: progress.pauses > 0 };
}

/** Sums over all items. */
export interface Tally {
  readonly running: number;
  readonly done: number;
  /** Tasks of failed or expired items, which will never be done. */
  readonly lost: number;
  /** Items about which agents or people are deciding something. */
  readonly undecided: number;
}

export const EMPTY_TALLY: Tally = { running: 0, done: 0, lost: 0, undecided: 0 };

/** The contribution of one item to the sums. */
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

/**
 * The outcome of the plan: `working` while something runs or is being decided, then its end, or `paused` if it waits
 * for people.
 */
export function outcomeOf({ running, done, lost, undecided }: Tally, tasks: number): PlanOutcome {
  if (running > 0 || undecided > 0) return 'working';
  if (done + lost < tasks) return 'paused';
  return lost > 0 ? 'failed' : 'completed';
}

function without(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id);
}
