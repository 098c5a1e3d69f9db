/**
 * The rule for starting tasks, computed incrementally. Ready tasks wait in one lane of a capacity queue per agent type,
 * best first, and start while there are free places. The best task is one on the critical path, then one with the
 * longest remaining path, then one that opens the most work within three steps, then file order. The dispatcher is told
 * of every event, so the cost of an event depends on its changes and not on the size of the plan.
 */
import { type PlanIndex, taskOf } from './plan-index.ts';
import { capacityOf, type Plan, type PlanTask } from './plan.ts';
import { roomIn } from '../../work/capacity-queue.ts';
import { itemOf } from '../../work/task.ts';

/** The state of an item as the scheduler sees it. */
export interface ItemStanding {
  /** Whether its tasks may start. */
  readonly starts: boolean;
  /** Whether barriers wait for it. */
  readonly awaited: boolean;
  /** Whether the item passes barriers alone because it was paused before. */
  readonly alone: boolean;
}

const AT_WORK: ItemStanding = { starts: true, awaited: true, alone: false };

/** The progress of a plan. */
export interface PlanProgress {
  readonly done: Iterable<string>;
  /** Tasks that have started and not ended; each holds a place of its agent's capacity. */
  readonly running: Iterable<string>;
  /** Items that are not in the default standing. */
  readonly standings: Iterable<readonly [item: string, standing: ItemStanding]>;
  readonly capacity: Plan['capacity'];
}

export class Dispatcher {
  readonly #index: PlanIndex;
  readonly #done: Set<string>;
  readonly #running: Set<string>;
  readonly #standings: Map<string, ItemStanding>;
  readonly #capacity = new Map<string, number>();
  /** Running tasks per agent type; may exceed a capacity that was lowered. */
  readonly #active = new Map<string, number>();
  /** Number of unmet dependencies per task and join. A join with none is complete. */
  readonly #unmet = new Map<string, number>();
  /** Ranks of ready tasks per agent type, the best last. */
  readonly #lines = new Map<string, number[]>();
  /** Agent types with a newly ready task or a new place; only these are examined. */
  readonly #touched = new Set<string>();

  constructor(index: PlanIndex, { done, running, standings, capacity }: PlanProgress) {
    this.#index = index;
    this.#done = new Set(done);
    this.#running = new Set(running);
    this.#standings = new Map(standings);
    for (const { id, agent } of index.byRank) {
      if (!this.#capacity.has(agent)) this.#capacity.set(agent, capacityOf(capacity, agent));
      if (this.#running.has(id)) this.#active.set(agent, this.#activeOf(agent) + 1);
    }
    // A join depends on tasks only, so the index lists every join before its dependents.
    for (const id of index.order)
      this.#unmet.set(
        id,
        index.links.dependencies.get(id)!.filter((dependency) => this.#counts(dependency, id)).length,
      );
    for (let rank = index.byRank.length - 1; rank >= 0; rank -= 1) {
      const task = index.byRank[rank]!;
      if (!this.#isReady(task)) continue;
      this.#lineOf(task.agent).push(rank);
      this.#touched.add(task.agent);
    }
  }

  /** Starts and returns the tasks that can start now, in order. Each holds its place from here on. */
  start(): readonly PlanTask[] {
    const ranks: number[] = [];
    for (const agent of this.#touched) {
      const line = this.#lineOf(agent);
      const lane = { capacity: this.#capacity.get(agent)!, held: this.#activeOf(agent) };
      for (let free = roomIn(lane); free > 0 && line.length > 0; free -= 1) ranks.push(line.pop()!);
    }
    this.#touched.clear();
    // a rank is an index of byRank
    const tasks = ranks.sort((a, b) => a - b).map((rank) => this.#index.byRank[rank]!);
    for (const { id, agent } of tasks) {
      this.#running.add(id);
      this.#active.set(agent, this.#activeOf(agent) + 1);
    }
    return tasks;
  }

  /** Records a completed task: frees its place and readies the tasks that waited only for it. */
  complete(id: string): void {
    this.#release(id);
    if (this.#done.has(id)) return;
    const counted = this.#dependents(id).filter((dependent) => this.#counts(id, dependent));
    this.#done.add(id);
    for (const dependent of counted) this.#lower(dependent);
  }

  /** Records a task that ended without being completed. It is ready again if its item may start tasks. */
  stop(id: string): void {
    this.#release(id);
    this.#queueIfReady(taskOf(this.#index, id)!);
  }

  /** Reopens a completed task. */
  reopen(id: string): void {
    if (!this.#done.delete(id)) return;
    for (const dependent of this.#dependents(id)) if (this.#counts(id, dependent)) this.#raise(dependent);
    this.#queueIfReady(taskOf(this.#index, id)!);
  }

  /**
   * Changes the standing of an item, one property at a time, because all three properties decide whether an edge
   * counts.
   */
  place(item: string, standing: ItemStanding): void {
    const own = this.#index.byItem.get(item)!;
    const before = this.#standingOf(item);
    if (before.awaited !== standing.awaited) {
      this.#standings.set(item, { ...before, awaited: standing.awaited });
      for (const { id } of own) {
        if (this.#done.has(id)) continue;
        for (const join of this.#dependents(id)) if (this.#isJoin(join)) this.#shift(join, standing.awaited);
      }
    }
    if (before.alone !== standing.alone) {
      this.#standings.set(item, { ...this.#standingOf(item), alone: standing.alone });
      for (const { id } of own) {
        for (const join of this.#index.links.dependencies.get(id)!)
          if (this.#isJoin(join) && this.#unmet.get(join)! > 0) this.#shift(id, !standing.alone);
      }
    }
    this.#standings.set(item, standing);
    if (before.starts === standing.starts) return;
    for (const task of own) {
      if (standing.starts) this.#queueIfReady(task);
      else this.#withdraw(task);
    }
  }

  /** Sets a capacity. With fewer places than running tasks, nothing starts until enough of them have ended. */
  setCapacity(agent: string, places: number): void {
    if (!this.#capacity.has(agent)) return;
    this.#capacity.set(agent, places);
    this.#touched.add(agent);
  }

  /** Whether the edge blocks its dependent. */
  #counts(dependency: string, dependent: string): boolean {
    const task = taskOf(this.#index, dependency);
    if (task === undefined)
      return this.#unmet.get(dependency)! > 0 && !this.#standingOf(itemOf(taskOf(this.#index, dependent)!)).alone;
    return !this.#done.has(dependency) && (!this.#isJoin(dependent) || this.#standingOf(itemOf(task)).awaited);
  }

  #shift(id: string, up: boolean): void {
    if (up) this.#raise(id);
    else this.#lower(id);
  }

  #lower(id: string): void {
    const task = taskOf(this.#index, id);
    const unmet = this.#unmet.get(id)! - 1;
    if (unmet > 0) {
      this.#unmet.set(id, unmet);
      return;
    }
    const counted = task === undefined ? this.#dependents(id).filter((dependent) => this.#counts(id, dependent)) : [];
    this.#unmet.set(id, 0);
    for (const dependent of counted) this.#lower(dependent);
    if (task !== undefined) this.#queueIfReady(task);
  }

  #raise(id: string): void {
    const task = taskOf(this.#index, id);
    const unmet = this.#unmet.get(id)! + 1;
    this.#unmet.set(id, unmet);
    if (unmet > 1) return;
    if (task !== undefined) this.#withdraw(task);
    else for (const dependent of this.#dependents(id)) if (this.#counts(id, dependent)) this.#raise(dependent);
  }

  #isReady(task: PlanTask): boolean {
    const { id } = task;
    return (
      this.#unmet.get(id) === 0 &&
      !this.#done.has(id) &&
      !this.#running.has(id) &&
      this.#standingOf(itemOf(task)).starts
    );
  }

  #queueIfReady(task: PlanTask): void {
    if (!this.#isReady(task)) return;
    const rank = this.#index.rank.get(task.id)!;
    const line = this.#lineOf(task.agent);
    const place = placeIn(line, rank, (other) => other);
    if (line[place] === rank) return;
    line.splice(place, 0, rank);
    this.#touched.add(task.agent);
  }

  #withdraw({ id, agent }: PlanTask): void {
    const rank = this.#index.rank.get(id)!;
    const line = this.#lineOf(agent);
    const place = placeIn(line, rank, (other) => other);
    if (line[place] === rank) line.splice(place, 1);
  }

  #release(id: string): void {
    if (!this.#running.delete(id)) return;
    const { agent } = taskOf(this.#index, id)!;
    this.#active.set(agent, this.#activeOf(agent) - 1);
    this.#touched.add(agent);
  }

  #isJoin(id: string): boolean {
    return !this.#index.rank.has(id);
  }

  #dependents(id: string): readonly string[] {
    return this.#index.links.dependents.get(id)!;
  }

  #standingOf(item: string): ItemStanding {
    return this.#standings.get(item) ?? AT_WORK;
  }

  #activeOf(agent: string): number {
    return this.#active.get(agent) ?? 0;
  }

  #lineOf(agent: string): number[] {
    const line = this.#lines.get(agent) ?? [];
    this.#lines.set(agent, line);
    return line;
  }
}

/** The position of a key in a list sorted by descending key. O(log n). */
export function placeIn<Value>(list: readonly Value[], key: number, keyOf: (value: Value) => number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (keyOf(list[middle]!) > key) from = middle + 1;
    else to = middle;
  }
  return from;
}
