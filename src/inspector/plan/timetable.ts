/**
 * When each task of a plan would run if each took exactly its duration: by the rule of the coordinator, of which
 * `bosun schedule` has the full account. Pure; quadratic in what barriers wait for, so there is a bound.
 */
import { type Plan, type PlanTask } from '../wire.ts';

export interface Slot {
  readonly task: PlanTask;
  readonly start: number;
  readonly end: number;
}

/** Larger plans are not drawn. */
export const TIMETABLE_TASKS_MAX = 1_000;

interface Graph {
  readonly after: ReadonlyMap<string, readonly string[]>;
  /**
   * The best first: those on the critical path, then those with the longest way before them, then those that open most.
   */
  readonly ranked: readonly PlanTask[];
}

/** Times are sums of durations, in whole millionths of the plan's unit. */
const MILLIONTHS = 1e6;

/** In the order of their starts. */
export function timetable({ tasks, capacity }: Plan): Slot[] {
  const { after, ranked } = graphOf(tasks);
  const slots = new Map<string, Slot>();
  const ended = new Set<string>();
  let now = 0;
  while (slots.size < tasks.length) {
    const running = [...slots.values()].filter(({ task }) => !ended.has(task.id));
    for (const task of ranked) {
      if (slots.has(task.id) || !after.get(task.id)!.every((id) => ended.has(id))) continue;
      const busy = [...running].filter(({ task: other }) => other.agent === task.agent).length;
      if (busy >= (capacity[task.agent] ?? Infinity)) continue;
      const slot = { task, start: now, end: added(now, task.duration) };
      slots.set(task.id, slot);
      running.push(slot);
    }
    // A circle, which a plan has not.
    if (running.length === 0) break;
    now = Math.min(...running.map(({ end }) => end));
    for (const { task, end } of running) if (end <= now) ended.add(task.id);
  }
  return [...slots.values()];
}

function graphOf(tasks: readonly PlanTask[]): Graph {
  const ofStage = (stages: readonly string[]) =>
    tasks.filter(({ stage }) => stage !== null && stages.includes(stage)).map(({ id }) => id);
  const after = new Map(
    tasks.map(
      ({ id, after: own, barrier }) =>
        [id, barrier === false ? own : [...new Set([...own, ...ofStage(barrier)])]] as const,
    ),
  );
  const before = new Map<string, PlanTask[]>(tasks.map(({ id }) => [id, []]));
  for (const task of tasks) for (const id of after.get(task.id)!) before.get(id)?.push(task);
  const lengths = new Map<string, number>();
  const lengthOf = ({ id, duration }: PlanTask): number => {
    const known = lengths.get(id);
    if (known !== undefined) return known;
    const length = added(duration, Math.max(0, ...before.get(id)!.map(lengthOf)));
    lengths.set(id, length);
    return length;
  };
  const critical = new Set<string>();
  for (let at = longest(tasks, lengthOf); at !== undefined; at = longest(before.get(at.id)!, lengthOf))
    critical.add(at.id);
  const opened = workOpened(tasks);
  const ranked = tasks.toSorted(
    (a, b) =>
      Number(critical.has(b.id)) - Number(critical.has(a.id)) ||
      lengthOf(b) - lengthOf(a) ||
      opened.get(b.id)! - opened.get(a.id)!,
  );
  return { after, ranked };
}

/** Steps that the choice among equals looks ahead. */
const LOOK_AHEAD_SLOTS = 3;

/** Per task: the work that lies behind it within the next three steps, barriers aside. */
function workOpened(tasks: readonly PlanTask[]): ReadonlyMap<string, number> {
  const behind = new Map<string, PlanTask[]>(tasks.map(({ id }) => [id, []]));
  for (const task of tasks) for (const id of task.after) behind.get(id)?.push(task);
  let opened: ReadonlyMap<string, number> = new Map(tasks.map(({ id }) => [id, 0]));
  for (let step = 0; step < LOOK_AHEAD_SLOTS; step += 1) {
    const nearer = opened;
    opened = new Map(
      tasks.map(({ id }) => [
        id,
        behind.get(id)!.reduce((sum, task) => added(sum, task.duration + nearer.get(task.id)!), 0),
      ]),
    );
  }
  return opened;
}

/** The first of several. */
function longest(tasks: readonly PlanTask[], lengthOf: (task: PlanTask) => number): PlanTask | undefined {
  return tasks.reduce<PlanTask | undefined>(
    (best, task) => (best === undefined || lengthOf(task) > lengthOf(best) ? task : best),
    undefined,
  );
}

function added(a: number, b: number): number {
  return (Math.round(a * MILLIONTHS) + Math.round(b * MILLIONTHS)) / MILLIONTHS;
}

export interface Lanes {
  readonly slots: readonly (Slot & { readonly lane: number })[];
  readonly count: number;
}

/** Slots that overlap side by side, in as few lanes as that takes. */
export function lanesOf(slots: readonly Slot[]): Lanes {
  const ends: number[] = [];
  const placed = slots
    .toSorted((a, b) => a.start - b.start)
    .map((slot) => {
      const free = ends.findIndex((end) => end <= slot.start);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = slot.end;
      return { ...slot, lane };
    });
  return { slots: placed, count: Math.max(1, ends.length) };
}
