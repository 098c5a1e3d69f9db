/**
 * One turn of the Lead Coordinator: the changes of an event are collected here and carried out at the end
 * (lead-coordinator.ts). Decisions (task-decisions.ts, pause-decisions.ts, gate-decisions.ts) read and write through
 * the ledger; they know neither XState nor how the scheduler is kept up to date.
 */
import { type AnyActorRef } from 'xstate';
import { FINDINGS_KEPT_MAX } from '../../limits.ts';
import { planIndexOf, taskOf } from '../plan/plan-index.ts';
import {
  capacityIn,
  checkpointIn,
  type CoordinatorContext,
  type Finding,
  type GatePlace,
  itemIn,
  itemsIn,
  type KeptCheckpoint,
  NO_ITEM,
  outputsOf,
  performanceIn,
  resultIn,
} from './coordinator-context.ts';
import { PLAN_DESKS } from '../system-ids.ts';
import { Dispatcher, type PlanProgress } from '../plan/dispatcher.ts';
import { PLAN_GATES } from '../../people/gates/gate-name.ts';
import { alertOf, type Notice, settlementOf } from '../../people/notice.ts';
import { nameKey, numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { type Message } from '../messages/messages.ts';
import { type Performance } from './performance.ts';
import { capacityOf, type Plan, type PlanTask } from '../plan/plan.ts';
import { itemOf } from '../../work/task.ts';
import {
  completed,
  ended,
  type ItemProgress,
  type Items,
  standingOf,
  started,
  type Tally,
  tallyOf,
} from './progress.ts';
import { withWideRow } from '../../rules/wide-rows.ts';

/** Events emitted to watchers once they are durable. */
export type CoordinatorEmitted =
  | { readonly type: 'item.paused'; readonly item: string; readonly reason: string; readonly task: string | null }
  | { readonly type: 'item.resumed'; readonly item: string }
  | { readonly type: 'item.failed'; readonly item: string; readonly reason: string; readonly task: string | null }
  | { readonly type: 'item.expired'; readonly item: string; readonly reason: string }
  | { readonly type: 'task.overdue'; readonly item: string; readonly task: string; readonly expectedMs: number }
  | {
      readonly type: 'message.undeliverable';
      readonly messageType: string;
      readonly from: string;
      /** The receiver as the sender named it. */
      readonly to: string | null;
      /** The actor that the message would have gone to. */
      readonly receiver: string;
      /** The event types that this actor takes; null if there is no actor of that name. */
      readonly takes: readonly string[] | null;
    }
  | {
      readonly type: 'failure.correlated';
      readonly items: readonly string[];
      readonly rootCause: string;
      readonly correlationId: string;
    }
  /** Work continues with this provisional value (CA-124); `flagged` are the tasks that depend on it. */
  | {
      readonly type: 'debate.provisional';
      readonly debate: string;
      readonly item: string | null;
      readonly topic: string;
      readonly statement: string;
      readonly flagged: readonly string[];
    }
  | {
      readonly type: 'debate.deferred';
      readonly debate: string;
      readonly item: string | null;
      readonly untilMs: number;
    }
  /** `rerun` are the tasks that run again because of the decision (CA-134). */
  | {
      readonly type: 'debate.decided';
      readonly debate: string;
      readonly item: string | null;
      readonly outcome: string;
      readonly statement: string | null;
      readonly by: string | null;
      readonly rerun: readonly string[];
    }
  | {
      readonly type: 'plan.rescheduled';
      readonly agentType: string;
      readonly capacity: number | null;
      readonly makespan: number;
      readonly blocked: number;
    };

export interface Outgoing {
  /** The receiver: a system id, or the actor itself. */
  readonly to: string | AnyActorRef;
  readonly event: { readonly type: string };
}

/** A delayed event from the coordinator to itself. */
export interface DelayedEvent {
  readonly id: string;
  readonly delayMs: number;
  readonly event: { readonly type: 'checkpoint.due'; readonly task: string };
}

/**
 * The dispatcher of each context, by the context's tally. A dispatcher changes with every event, so it is moved from
 * one context to the next and never shared. After an undone turn or a restart of the process there is none, and it is
 * rebuilt from the records.
 */
const dispatchers = new WeakMap<Tally, Dispatcher>();

export class PlanLedger {
  readonly plan: Plan;
  readonly nowMs: number;
  readonly self: AnyActorRef;
  /** Finds the actor with a system id; undefined if there is none. */
  readonly find: (systemId: string) => AnyActorRef | undefined;
  readonly outgoing: Outgoing[] = [];
  readonly emitted: CoordinatorEmitted[] = [];
  readonly delayed: DelayedEvent[] = [];
  readonly #before: CoordinatorContext;
  /** The context including the changes of this turn. */
  readonly #context: CoordinatorContext;
  readonly #patch: object = {};
  readonly #touched = new Set<string>();
  readonly #dispatcher: Dispatcher;
  #tally: Tally;

  constructor(context: CoordinatorContext, { nowMs, self, find }: Pick<PlanLedger, 'nowMs' | 'self' | 'find'>) {
    this.plan = context.plan;
    this.nowMs = nowMs;
    this.self = self;
    this.find = find;
    this.#before = context;
    this.#context = { ...context };
    this.#tally = context.tally;
    const known = dispatchers.get(context.tally);
    dispatchers.delete(context.tally);
    this.#dispatcher = known ?? new Dispatcher(planIndexOf(context.plan), positionIn(context));
  }

  /** Whether an actor has that system id. */
  isPresent(systemId: string): boolean {
    return this.find(systemId) !== undefined;
  }

  /** The task with that id; undefined if the plan has none. */
  task(id: string): PlanTask | undefined {
    return taskOf(planIndexOf(this.plan), id);
  }

  has(item: string): boolean {
    return planIndexOf(this.plan).byItem.has(item);
  }

  /** The tasks of an item in file order. */
  tasksOf(item: string): readonly PlanTask[] {
    return planIndexOf(this.plan).byItem.get(item)!;
  }

  /** All items. O(items). */
  items(): Items {
    return itemsIn(this.#context);
  }

  /** Items that this turn has changed. */
  touched(): readonly string[] {
    return [...this.#touched];
  }

  /** Records an open gate and returns its new id, for {@link closeGate}. */
  openGate(place: GatePlace): string {
    const { gates, gatesOfItems } = this.#context;
    const gatesOpened = this.#context.gatesOpened + 1;
    const id = `${PLAN_GATES}${place.gate}.${gatesOpened}`;
    this.#assign({
      gatesOpened,
      gates: gates.set(nameKey(id), place),
      gatesOfItems: gatesOfItems.set(pairKey(place.item, id), id),
    });
    return id;
  }

  /** Removes an open gate and returns its place. Undefined if the gate is closed or of another plan. */
  closeGate(id: string): GatePlace | undefined {
    const { gates, gatesOfItems } = this.#context;
    const place = gates.get(nameKey(id));
    if (place !== undefined)
      this.#assign({ gates: gates.delete(nameKey(id)), gatesOfItems: gatesOfItems.delete(pairKey(place.item, id)) });
    return place;
  }

  /** Ids of the gates at which an item waits. */
  gatesOf(item: string): readonly string[] {
    return [...this.#context.gatesOfItems.values(pairsOf(item))];
  }

  /** Findings about an item, and those about no particular item, the oldest first. */
  findings(item: string): readonly Finding[] {
    const { findings } = this.#context;
    const about = [...findings.values(pairsOf(NO_ITEM)), ...(item === NO_ITEM ? [] : findings.values(pairsOf(item)))];
    return about.sort((a, b) => a.number - b.number);
  }

  /** Keeps a finding about an item and drops the oldest one about it if there are too many. */
  keepFinding(item: string, finding: Omit<Finding, 'number'>): void {
    const { findings, findingsMade: number } = this.#context;
    const own = [...findings.keys(pairsOf(item))];
    const rest = own.length < FINDINGS_KEPT_MAX ? findings : findings.delete(own[0]!); // there are some
    this.#assign({
      findingsMade: number + 1,
      findings: rest.set(pairKey(item, numberKey(number)), { ...finding, number }),
    });
  }

  dropFindings(item: string): void {
    let { findings } = this.#context;
    for (const key of [...findings.keys(pairsOf(item))]) findings = findings.delete(key);
    this.#assign({ findings });
  }

  /** Names of the items that a debate concerns. */
  itemsOfDebate(debate: string): readonly string[] {
    return [...this.#context.itemsOfDebates.values(pairsOf(debate))];
  }

  /** The context including the changes of this turn. */
  get now(): CoordinatorContext {
    return this.#context;
  }

  item(item: string): ItemProgress {
    return itemIn(this.#context, item);
  }

  isRunning(id: string): boolean {
    const task = this.task(id);
    return task !== undefined && this.item(itemOf(task)).running.includes(id);
  }

  /** Changes an item's progress, except its running and completed tasks. */
  change(item: string, change: Partial<Omit<ItemProgress, 'running' | 'done'>>): void {
    this.#put(item, { ...this.item(item), ...change });
  }

  complete(id: string): void {
    const item = itemOf(this.task(id)!);
    this.#put(item, completed(this.item(item), id));
    this.#dispatcher.complete(id);
  }

  /** Records that a task has ended without being completed. */
  stop(id: string): void {
    const item = itemOf(this.task(id)!);
    this.#put(item, ended(this.item(item), id));
    this.#dispatcher.stop(id);
  }

  /** Reopens all completed tasks of an item except these. */
  keepDone(item: string, kept: readonly string[]): void {
    const progress = this.item(item);
    const again = progress.done.filter((id) => !kept.includes(id));
    this.#put(item, { ...progress, done: progress.done.filter((id) => kept.includes(id)) });
    for (const id of again) this.#dispatcher.reopen(id);
  }

  /** Outputs of the item's completed tasks, by stage; in a plan of tasks by task id. */
  results(item: string): Readonly<Record<string, unknown>> {
    return outputsOf(this.tasksOf(item), (task) => resultIn(this.#context, task));
  }

  putResult(task: string, output: unknown): void {
    this.#assign(withWideRow(this.#context, 'results', nameKey(task), { output }));
  }

  dropResults(item: string): void {
    for (const { id } of this.tasksOf(item))
      this.#assign(withWideRow(this.#context, 'results', nameKey(id), undefined));
  }

  checkpoint(task: string): KeptCheckpoint | undefined {
    return checkpointIn(this.#context, task);
  }

  putCheckpoint(task: string, kept: KeptCheckpoint | undefined): void {
    if (kept !== undefined || this.checkpoint(task) !== undefined)
      this.#assign(withWideRow(this.#context, 'checkpoints', nameKey(task), kept));
  }

  count(agentType: string, change: Partial<Performance>): void {
    const before = performanceIn(this.#context, agentType);
    const sums = Object.entries(change).map(
      ([name, value]) => [name, before[name as keyof Performance] + value] as const,
    );
    const after = { ...before, ...Object.fromEntries(sums) };
    this.#assign({ performance: this.#context.performance.set(nameKey(agentType), after) });
  }

  /** Sets the capacity of an agent type; null restores the plan's. */
  setCapacity(agentType: string, places: number | null): void {
    const { [agentType]: _, ...others } = this.#context.capacity;
    this.#assign({ capacity: places === null ? others : { ...others, [agentType]: places } });
    this.#dispatcher.setCapacity(agentType, places ?? capacityOf(this.plan.capacity, agentType));
  }

  send<Event extends { readonly type: string }>(to: string | AnyActorRef, event: Event): void {
    this.outgoing.push({ to, event });
  }

  /** Sends a desk a message that fits a schema of messages.ts. */
  tell(to: keyof typeof PLAN_DESKS, message: Message): void {
    this.send(PLAN_DESKS[to], message);
  }

  /** Notifies people. */
  notify(notice: Notice): void {
    this.tell('alerts', alertOf(notice));
  }

  /** Starts every task that can start now, taking its place. */
  start(): readonly PlanTask[] {
    const tasks = this.#dispatcher.start();
    for (const { id, item } of tasks) this.#put(item ?? id, started(this.item(item ?? id), id));
    return tasks;
  }

  /** The current progress of the plan. */
  position(): PlanProgress {
    return positionIn(this.#context);
  }

  /** Ends the turn and returns the patch of the context, if any. The dispatcher moves on to the resulting context. */
  close(): Partial<CoordinatorContext> | undefined {
    const isUnchanged = Object.keys(this.#patch).length === 0;
    // A new object even if the sums are equal: its identity is the key of the dispatcher.
    const tally = isUnchanged ? this.#before.tally : { ...this.#tally };
    dispatchers.set(tally, this.#dispatcher);
    return isUnchanged ? undefined : { ...this.#patch, tally };
  }

  #assign(patch: Partial<CoordinatorContext>): void {
    Object.assign(this.#context, patch);
    Object.assign(this.#patch, patch);
  }

  #put(item: string, next: ItemProgress): void {
    const before = this.item(item);
    this.#touched.add(item);
    this.#assign(withWideRow(this.#context, 'items', item, next));
    this.#indexDebates(item, before.debates, next.debates);
    this.#settleOverdue(item, before.overdue, next.overdue);
    const tasks = this.tasksOf(item).length;
    this.#tally = sum(this.#tally, tallyOf(before, tasks), tallyOf(next, tasks));
    const [was, is] = [standingOf(before), standingOf(next)];
    if (was.starts !== is.starts || was.awaited !== is.awaited || was.alone !== is.alone)
      this.#dispatcher.place(item, is);
  }

  /** Settles the card about an item's overdue tasks when the last of them has ended, however it ended. */
  #settleOverdue(item: string, before: ItemProgress['overdue'] = [], after: ItemProgress['overdue'] = []): void {
    const because = `${before.join(', ')} has ended`;
    if (before.length > 0 && after.length === 0)
      this.tell('alerts', settlementOf({ subject: item, kinds: ['task.overdue'], because }));
  }

  #indexDebates(item: string, before: ItemProgress['debates'] = {}, after: ItemProgress['debates'] = {}): void {
    if (before === after) return;
    let { itemsOfDebates } = this.#context;
    for (const debate of Object.keys(before))
      if (!(debate in after)) itemsOfDebates = itemsOfDebates.delete(pairKey(debate, item));
    for (const debate of Object.keys(after)) itemsOfDebates = itemsOfDebates.set(pairKey(debate, item), item);
    this.#assign({ itemsOfDebates });
  }
}

function sum(total: Tally, less: Tally, more: Tally): Tally {
  const of = (key: keyof Tally): number => total[key] - less[key] + more[key];
  return { running: of('running'), done: of('done'), lost: of('lost'), undecided: of('undecided') };
}

function positionIn(context: CoordinatorContext): PlanProgress {
  const items = [...itemsIn(context)];
  return {
    done: items.flatMap(([, { done }]) => done),
    running: items.flatMap(([, { running }]) => running),
    standings: items
      .filter(([, progress]) => progress.phase !== 'running' || progress.pauses > 0 || !standingOf(progress).starts)
      .map(([item, progress]) => [item, standingOf(progress)]),
    capacity: capacityIn(context),
  };
}
