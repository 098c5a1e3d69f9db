/**
 * One turn of the Lead Coordinator: what an event changes is gathered here, and done at once at the end
 * (lead-coordinator.ts). Decisions (task-decisions.ts, pause-decisions.ts, gate-decisions.ts) read and write through it
 * and know neither XState nor how the scheduler is kept up to date.
 */
import { type AnyActorRef } from 'xstate';
import { planIndexOf, taskOf } from '../plan/plan-index.ts';
import {
  capacityIn,
  checkpointIn,
  type CoordinatorContext,
  type GatePlace,
  itemIn,
  itemsIn,
  type KeptCheckpoint,
  outputsOf,
  performanceIn,
  resultIn,
} from './coordinator-context.ts';
import { Dispatcher, type PlanProgress } from '../plan/dispatcher.ts';
import { alertOf, type Notice } from '../../people/notice.ts';
import { nameKey, pairKey, pairsOf } from '../../people/table-keys.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message } from '../messages/messages.ts';
import { type Performance } from './performance.ts';
import { capacityOf, type Plan, type PlanTask } from '../plan/plan.ts';
import { itemOf } from '../../work/task.ts';
import {
  completed,
  ended,
  isLost,
  type ItemProgress,
  type Items,
  standingOf,
  started,
  type Tally,
  tallyOf,
} from './progress.ts';
import { withWideRow } from '../../people/wide-rows.ts';

/** What is said to whoever watches, once it is durable. */
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
      readonly to: string | null;
    }
  | {
      readonly type: 'failure.correlated';
      readonly items: readonly string[];
      readonly rootCause: string;
      readonly correlationId: string;
    }
  /** Gone on with for now (CA-124); `flagged` are the tasks that rest on it. */
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
  /** `rerun` are the tasks that run again because of it (CA-134). */
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
  /** A system id, or the actor itself. */
  readonly to: string | AnyActorRef;
  readonly event: { readonly type: string };
}

/** An event of the coordinator to itself, later. */
export interface DelayedEvent {
  readonly id: string;
  readonly delayMs: number;
  readonly event: { readonly type: 'checkpoint.due'; readonly task: string };
}

/**
 * The scheduler as of a tally. A dispatcher goes on with what happens, so it is handed from one context to the next and
 * never kept for two; where a turn was undone, or the process began anew, there is none, and one is made from the
 * records.
 */
const dispatchers = new WeakMap<Tally, Dispatcher>();

export class PlanLedger {
  readonly plan: Plan;
  readonly nowMs: number;
  readonly self: AnyActorRef;
  /** Whether there is somebody of that name to talk to. */
  readonly isPresent: (systemId: string) => boolean;
  readonly outgoing: Outgoing[] = [];
  readonly emitted: CoordinatorEmitted[] = [];
  readonly delayed: DelayedEvent[] = [];
  /** The answer to whoever asked; undefined: none. */
  answer: object | undefined;
  readonly #before: CoordinatorContext;
  /** With what this turn has changed. */
  readonly #context: CoordinatorContext;
  readonly #patch: object = {};
  readonly #touched = new Set<string>();
  readonly #dispatcher: Dispatcher;
  #tally: Tally;

  constructor(
    context: CoordinatorContext,
    { nowMs, self, isPresent }: Pick<PlanLedger, 'nowMs' | 'self' | 'isPresent'>,
  ) {
    this.plan = context.plan;
    this.nowMs = nowMs;
    this.self = self;
    this.isPresent = isPresent;
    this.#before = context;
    this.#context = { ...context };
    this.#tally = context.tally;
    const known = dispatchers.get(context.tally);
    dispatchers.delete(context.tally);
    this.#dispatcher = known ?? new Dispatcher(planIndexOf(context.plan), positionIn(context));
  }

  /** The task of that id; undefined where the plan has none. */
  task(id: string): PlanTask | undefined {
    return taskOf(planIndexOf(this.plan), id);
  }

  has(item: string): boolean {
    return planIndexOf(this.plan).byItem.has(item);
  }

  /** In file order. */
  tasksOf(item: string): readonly PlanTask[] {
    return planIndexOf(this.plan).byItem.get(item)!;
  }

  /** All of them. O(items). */
  items(): Items {
    return itemsIn(this.#context);
  }

  /** Items of which this turn has changed something. */
  touched(): readonly string[] {
    return [...this.#touched];
  }

  /** A new id, by which {@link closeGate} knows item and gate again. */
  openGate(item: string, gate: string): string {
    const { gates, gatesOfItems } = this.#context;
    const gatesOpened = this.#context.gatesOpened + 1;
    const id = `plan.${gate}.${gatesOpened}`;
    this.#assign({
      gatesOpened,
      gates: gates.set(nameKey(id), { item, gate }),
      gatesOfItems: gatesOfItems.set(pairKey(item, id), id),
    });
    return id;
  }

  /** undefined for one that is closed, or not of this plan. */
  closeGate(id: string): GatePlace | undefined {
    const { gates, gatesOfItems } = this.#context;
    const place = gates.get(nameKey(id));
    if (place !== undefined)
      this.#assign({ gates: gates.delete(nameKey(id)), gatesOfItems: gatesOfItems.delete(pairKey(place.item, id)) });
    return place;
  }

  /** Ids of the gates that an item waits at. */
  gatesOf(item: string): readonly string[] {
    return [...this.#context.gatesOfItems.values(pairsOf(item))];
  }

  /** Names of the items that have to do with a debate. */
  itemsOfDebate(debate: string): readonly string[] {
    return [...this.#context.itemsOfDebates.values(pairsOf(debate))];
  }

  /** With what this turn has changed. */
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

  /** For all but which tasks run and are done. */
  change(item: string, change: Partial<Omit<ItemProgress, 'running' | 'done'>>): void {
    this.#put(item, { ...this.item(item), ...change });
  }

  complete(id: string): void {
    const item = itemOf(this.task(id)!);
    this.#put(item, completed(this.item(item), id));
    this.#dispatcher.complete(id);
  }

  /** The task has ended without being done. */
  stop(id: string): void {
    const item = itemOf(this.task(id)!);
    this.#put(item, ended(this.item(item), id));
    this.#dispatcher.stop(id);
  }

  /** Of what is done, only this stays done. */
  keepDone(item: string, kept: readonly string[]): void {
    const progress = this.item(item);
    const again = progress.done.filter((id) => !kept.includes(id));
    this.#put(item, { ...progress, done: progress.done.filter((id) => kept.includes(id)) });
    for (const id of again) this.#dispatcher.reopen(id);
  }

  /** Outputs of its completed tasks, by stage; in a plan of tasks by task id. */
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

  /** @param places null: as the plan says. */
  setCapacity(agentType: string, places: number | null): void {
    const { [agentType]: _, ...others } = this.#context.capacity;
    this.#assign({ capacity: places === null ? others : { ...others, [agentType]: places } });
    this.#dispatcher.setCapacity(agentType, places ?? capacityOf(this.plan.capacity, agentType));
  }

  send<Event extends { readonly type: string }>(to: string | AnyActorRef, event: Event): void {
    this.outgoing.push({ to, event });
  }

  /** A message that somebody has a schema for. */
  tell(to: keyof typeof DESKS, message: Message): void {
    this.send(DESKS[to], message);
  }

  /** Has people told. */
  notify(notice: Notice): void {
    this.tell('alerts', alertOf(notice));
  }

  /** Takes the places of everything that can start now. */
  start(): readonly PlanTask[] {
    const tasks = this.#dispatcher.start();
    for (const { id, item } of tasks) this.#put(item ?? id, started(this.item(item ?? id), id));
    return tasks;
  }

  /** Where the plan stands by now. */
  position(): PlanProgress {
    return positionIn(this.#context);
  }

  /** What is to be assigned, if anything. Ends the turn: the scheduler goes on with the context that comes of it. */
  close(): Partial<CoordinatorContext> | undefined {
    const isUnchanged = Object.keys(this.#patch).length === 0;
    // A new object even where the sums are the same: it is what the scheduler of this context is known by.
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
    const tasks = this.tasksOf(item).length;
    this.#tally = sum(this.#tally, tallyOf(before, tasks), tallyOf(next, tasks));
    const [was, is] = [standingOf(before), standingOf(next)];
    if (was.starts !== is.starts || was.awaited !== is.awaited || was.alone !== is.alone)
      this.#dispatcher.place(item, is);
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

/**
 * Items that wait, directly or through others, for one that is lost. In stages no item waits for another but at
 * barriers.
 */
export function waitingFor(ledger: PlanLedger, item: string): readonly string[] {
  if (ledger.tasksOf(item)[0]!.stage !== null) return [];
  const { links } = planIndexOf(ledger.plan);
  const reached = new Set<string>();
  const open = [item];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of links.dependents.get(id)!) {
      if (reached.has(dependent) || isLost(ledger.item(dependent))) continue;
      reached.add(dependent);
      open.push(dependent);
    }
  }
  return [...reached];
}
