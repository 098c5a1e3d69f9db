/**
 * Which task starts when: the rule that picks the tasks to start now, used by the coordinator at run time, and the schedule
 * that the same rule gives for a whole plan if every task takes exactly its duration. Pure: times are the plan's units, no clock.
 */
import { assert } from '../../assert.ts';
import { addTime, buildGraph, criticalPath, type GraphTask, linksOf, type Links, longestRemaining, ReadySet, topologicalOrder } from './dependency-graph.ts';
import { capacityOf, itemOf, type Plan, type PlanTask } from './plan.ts';

export interface ScheduledTask {
  readonly task: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  /** In the plan's unit, from the start of the plan. */
  readonly start: number;
  readonly end: number;
  /** Whether it is on the critical path. */
  readonly critical: boolean;
}

export interface Schedule {
  /** The plan's name. */
  readonly plan: string;
  /** When the last task ends. */
  readonly makespan: number;
  /** Sum of all durations. */
  readonly work: number;
  /** Sum of the durations of tasks whose agent type has a capacity; of all tasks where none has one. */
  readonly sequential: number;
  /** sequential / makespan; 1 for a plan that takes no time. */
  readonly parallelismFactor: number;
  /** One longest path, ties in file order. */
  readonly criticalPath: readonly string[];
  /** The agent type whose capacity makes tasks wait longest in sum, the first in the file of several; null where none waits. */
  readonly bottleneck: string | null;
  /** In the order they start. */
  readonly tasks: readonly ScheduledTask[];
}

/** How far a plan has come. Tasks by id; items by name, and in a plan of tasks each task is an item by itself. */
export interface Progress {
  readonly done: Iterable<string>;
  /** Started and not ended: each holds a place of its agent's capacity. */
  readonly running: Iterable<string>;
  /** Items of which nothing new starts, and for which no barrier waits. */
  readonly paused: Iterable<string>;
  /** The same, for good. */
  readonly failed: Iterable<string>;
  /** Items that were paused before: they pass barriers alone. Barriers of others wait for them again. */
  readonly resumed: Iterable<string>;
}

const NOTHING_DONE: Progress = { done: [], running: [], paused: [], failed: [], resumed: [] };

/**
 * The tasks that start now, in the order they start: ready ones on the critical path first, then those with the longest
 * remaining path, then in file order, while their agent's capacity lasts.
 *
 * @param capacity Other than the plan's, for example with 0 for an agent type that is out of reach.
 */
export function pickReady(plan: Plan, progress: Progress, capacity = plan.capacity): readonly PlanTask[] {
  return new Dispatcher(agendaOf(plan), progress, capacity).start();
}

/** The timetable of a plan on an undisturbed run: no retry, no pause, every barrier waits for all items. */
export function schedule(plan: Plan): Schedule {
  const agenda = agendaOf(plan);
  const slots = simulate(agenda, plan.capacity);
  assert(slots.length === plan.tasks.length, 'every task of a plan without circles gets its time');

  const makespan = slots.reduce((latest, { end }) => Math.max(latest, end), 0);
  const capped = plan.tasks.filter(({ agent }) => capacityOf(plan.capacity, agent) !== Infinity);
  const sequential = sumOf(capped.length > 0 ? capped : plan.tasks);
  const critical = new Set(agenda.criticalPath);
  return {
    plan: plan.name,
    makespan,
    work: sumOf(plan.tasks),
    sequential,
    parallelismFactor: makespan === 0 ? 1 : sequential / makespan,
    criticalPath: agenda.criticalPath,
    bottleneck: bottleneckOf(agenda, plan.capacity, slots),
    tasks: slots.map(({ task: { id, item, stage, agent }, start, end }) => ({ task: id, item, stage, agent, start, end, critical: critical.has(id) })),
  };
}

/** What follows from the plan alone and never changes. */
interface Agenda {
  /** Of tasks and joins. A join stands for "these stages of every item": without it a barrier of n items would need n * n edges. */
  readonly links: Links;
  /** Tasks and joins, every one after all it waits for. */
  readonly order: readonly string[];
  readonly criticalPath: readonly string[];
  /** All tasks, the one to prefer first; their places by id. Joins have none. */
  readonly byRank: readonly PlanTask[];
  readonly rank: ReadonlyMap<string, number>;
}

/** A plan never changes (plan.ts), and the coordinator asks at every event: what follows from it is worked out once. */
const agendas = new WeakMap<Plan, Agenda>();

function agendaOf(plan: Plan): Agenda {
  const known = agendas.get(plan);
  if (known !== undefined) return known;

  const graph = buildGraph(withJoins(plan.tasks));
  const remaining = longestRemaining(graph);
  const path = criticalPath(graph, remaining);
  const critical = new Set(path);
  const byRank = plan.tasks.toSorted(
    (a, b) => Number(critical.has(b.id)) - Number(critical.has(a.id)) || remaining.get(b.id)! - remaining.get(a.id)!, // every task is in the graph; the sort is stable
  );
  const rank = new Map(byRank.map(({ id }, index) => [id, index]));
  const agenda = { links: linksOf(graph), order: topologicalOrder(graph), criticalPath: path.filter((id) => rank.has(id)), byRank, rank };
  agendas.set(plan, agenda);
  return agenda;
}

/** The tasks, those at a barrier waiting for a join as well, and the joins. No id of a task contains a `*`. */
function withJoins(tasks: readonly PlanTask[]): readonly GraphTask[] {
  const idsOfStage = new Map<string | null, string[]>();
  for (const { stage, id } of tasks) {
    const ids = idsOfStage.get(stage);
    if (ids === undefined) idsOfStage.set(stage, [id]);
    else ids.push(id);
  }
  const joins = new Map<string, GraphTask>();
  const waiting = tasks.map((task): GraphTask => {
    if (task.barrier === false) return task;
    const id = `*/${task.stage}`;
    if (!joins.has(id)) joins.set(id, { id, duration: 0, after: task.barrier.flatMap((stage) => idsOfStage.get(stage) ?? []) });
    return { id: task.id, duration: task.duration, after: [...task.after, id] };
  });
  return [...waiting, ...joins.values()];
}

/**
 * The one rule, in a form that can go on: ready tasks wait in a line per agent type, best first, and start while there are
 * free places. pickReady asks once; a schedule asks again after each completion.
 */
class Dispatcher {
  readonly #agenda: Agenda;
  readonly #ready: ReadySet;
  /** Whether a task is done, running, or of an item of which nothing starts. */
  readonly #excluded: (task: PlanTask) => boolean;
  /** Free places per agent type; below 0 where more runs than the capacity allows by now. */
  readonly #free = new Map<string, number>();
  /** Ranks of ready tasks per agent type, the best one last. */
  readonly #lines = new Map<string, number[]>();
  /** Agent types with a new task in the line or a new place. Only they need a look. */
  readonly #touched = new Set<string>();

  constructor(agenda: Agenda, progress: Progress, capacity: Plan['capacity']) {
    const done = new Set(progress.done);
    const running = new Set(progress.running);
    const held = new Set([...progress.paused, ...progress.failed]);
    const resumed = new Set(progress.resumed);
    this.#agenda = agenda;
    this.#excluded = (task) => done.has(task.id) || running.has(task.id) || held.has(itemOf(task));
    for (const { id, agent } of agenda.byRank) {
      const free = this.#free.get(agent) ?? capacityOf(capacity, agent);
      this.#free.set(agent, running.has(id) ? free - 1 : free);
    }
    this.#ready = new ReadySet(agenda.links, (dependency, dependent) => {
      if (done.has(dependency)) return true;
      const [before, after] = [this.#task(dependency), this.#task(dependent)];
      if (after === undefined) return before !== undefined && held.has(itemOf(before)); // no barrier waits for it
      return before === undefined && resumed.has(itemOf(after)); // passes the barrier alone
    });
    this.#admit(this.#ready.ready());
  }

  /** The tasks that start now, in order. From here on they hold their places. */
  start(): readonly PlanTask[] {
    const ranks: number[] = [];
    for (const agent of this.#touched) {
      const line = this.#lines.get(agent) ?? [];
      let free = this.#free.get(agent)!; // set for every agent type of the plan
      for (; free > 0 && line.length > 0; free -= 1) ranks.push(line.pop()!);
      this.#free.set(agent, free);
    }
    this.#touched.clear();
    return ranks.sort((a, b) => a - b).map((rank) => this.#agenda.byRank[rank]!); // ranks are places in this list
  }

  /** Frees the task's place and whatever waited for the task alone. */
  complete({ id, agent }: PlanTask): void {
    this.#free.set(agent, this.#free.get(agent)! + 1);
    this.#touched.add(agent);
    this.#admit(this.#ready.complete(id));
  }

  #task(id: string): PlanTask | undefined {
    const rank = this.#agenda.rank.get(id);
    return rank === undefined ? undefined : this.#agenda.byRank[rank];
  }

  #admit(ids: readonly string[]): void {
    for (const id of ids) {
      const task = this.#task(id);
      if (task === undefined) this.#admit(this.#ready.complete(id)); // a join is done as soon as it is ready
      else if (!this.#excluded(task)) this.#queue(task);
    }
  }

  #queue({ id, agent }: PlanTask): void {
    const line = this.#lines.get(agent) ?? [];
    this.#lines.set(agent, line);
    insertDescending(line, this.#agenda.rank.get(id)!, (rank) => rank);
    this.#touched.add(agent);
  }
}

interface Slot {
  readonly task: PlanTask;
  readonly start: number;
  readonly end: number;
}

/** Runs the plan in no time: start what can, go on to the next completion, until nothing runs. In the order of starts. */
function simulate(agenda: Agenda, capacity: Plan['capacity']): readonly Slot[] {
  const dispatcher = new Dispatcher(agenda, NOTHING_DONE, capacity);
  const slots: Slot[] = [];
  const running: Slot[] = []; // the next to end is the last
  let now = 0;
  for (;;) {
    for (const task of dispatcher.start()) {
      const slot = { task, start: now, end: addTime(now, task.duration) };
      slots.push(slot);
      insertDescending(running, slot, ({ end }) => end);
    }
    const next = running.at(-1);
    if (next === undefined) return slots;
    now = next.end;
    while (running.at(-1)?.end === now) dispatcher.complete(running.pop()!.task);
  }
}

/** Inserts into a list sorted by key, the highest first. O(log n) comparisons and one move of memory. */
function insertDescending<Value>(list: Value[], value: Value, keyOf: (value: Value) => number): void {
  const key = keyOf(value);
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (keyOf(list[middle]!) > key) from = middle + 1;
    else to = middle;
  }
  list.splice(from, 0, value);
}

/** A task that is ready starts unless its agent type is at capacity, so every wait counts against that type. */
function bottleneckOf({ links, order }: Agenda, capacity: Plan['capacity'], slots: readonly Slot[]): string | null {
  const bySlot = new Map(slots.map((slot) => [slot.task.id, slot]));
  const endOf = new Map<string, number>();
  const waits = new Map<string, number>();
  for (const id of order) {
    const ready = links.dependencies.get(id)!.reduce((latest, dependency) => Math.max(latest, endOf.get(dependency)!), 0);
    const slot = bySlot.get(id);
    endOf.set(id, slot?.end ?? ready); // a join takes no time
    if (slot !== undefined) waits.set(slot.task.agent, addTime(waits.get(slot.task.agent) ?? 0, slot.start - ready));
  }
  let bottleneck: string | null = null;
  for (const agent of Object.keys(capacity)) {
    if ((waits.get(agent) ?? 0) > (bottleneck === null ? 0 : waits.get(bottleneck)!)) bottleneck = agent;
  }
  return bottleneck;
}

function sumOf(tasks: readonly PlanTask[]): number {
  return tasks.reduce((sum, { duration }) => addTime(sum, duration), 0);
}
