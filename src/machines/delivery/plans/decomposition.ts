/**
 * The rules by which a large task breaks down (MX-073, MX-104, MX-105): two to eight subtasks of 15 to 45 minutes, no
 * cycles, at most three levels. More than eight are grouped. Pure.
 */
import { TASK_MINUTES_MAX } from '../organisation/delivery-gates.ts';
import { DEPTH_MAX, flawsAmong, keyOf, type PlannedTask } from './plan-document.ts';

/** Bounds of the subtasks of one task. */
export const SUBTASKS_MIN = 2;
export const SUBTASKS_MAX = 8;
/** Minutes of the shortest subtask. */
export const SUBTASK_MINUTES_MIN = 15;

/** The flaws of the subtasks of a task that is `depth` decompositions below one of the plan. */
export function flawsOfSubtasks(subtasks: readonly PlannedTask[], depth: number): string[] {
  if (depth >= DEPTH_MAX) return [`${DEPTH_MAX} levels of subtasks are the most`];
  if (subtasks.length < SUBTASKS_MIN) return [`${subtasks.length} subtasks are too few: ${SUBTASKS_MIN} are the least`];
  if (subtasks.length > SUBTASKS_MAX) return [`${subtasks.length} subtasks are too many: ${SUBTASKS_MAX} are the most`];
  return [...flawsAmong(subtasks), ...subtasks.flatMap((one) => flawOfSize(one, depth + 1))];
}

/** A subtask that is too large is no flaw if it may break down further. */
function flawOfSize({ title, minutes, subtasks }: PlannedTask, depth: number): string[] {
  if (minutes === null) return [`"${title}" has no estimate`];
  if (minutes < SUBTASK_MINUTES_MIN) return [`"${title}" is shorter than ${SUBTASK_MINUTES_MIN} minutes`];
  if (minutes <= TASK_MINUTES_MAX || (subtasks.length > 0 && depth < DEPTH_MAX)) return [];
  return [`"${title}" is longer than ${TASK_MINUTES_MAX} minutes and has no subtasks`];
}

/** The subtasks in at most eight groups, each a task with its members as subtasks, behind those that they need. */
export function regrouped(subtasks: readonly PlannedTask[]): readonly PlannedTask[] {
  if (subtasks.length <= SUBTASKS_MAX || flawsAmong(subtasks).length > 0) return subtasks;
  const ordered = inOrder(subtasks);
  const size = Math.ceil(ordered.length / SUBTASKS_MAX);
  const starts = ordered.flatMap((_, at) => (at % size === 0 ? [at] : []));
  const groups = starts.map((at) => ordered.slice(at, at + size));
  const groupOf = new Map(groups.flatMap((group, at) => group.map((one) => [keyOf(one), at] as const)));
  return groups.map((group, at) => grouped(group, at, groupOf));
}

/** Each subtask behind those on which it depends, otherwise as they are. */
function inOrder(subtasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const placed = new Map<string, PlannedTask>();
  while (placed.size < subtasks.length)
    for (const one of subtasks) if (one.dependsOn.every((other) => placed.has(other))) placed.set(keyOf(one), one);
  return [...placed.values()];
}

function grouped(group: readonly PlannedTask[], at: number, groupOf: ReadonlyMap<string, number>): PlannedTask {
  const [first] = group;
  const place = { key: `group-${at}`, dependsOn: othersOf(group, at, groupOf) };
  if (group.length === 1) return { ...first!, ...place };
  const within = ({ dependsOn }: PlannedTask) => dependsOn.filter((other) => groupOf.get(other) === at);
  const subtasks = group.map((one) => ({ ...one, dependsOn: within(one) }));
  const title = group.map((one) => one.title).join(', ');
  return {
    ...{ ...first!, ...place, subtasks },
    title: title.slice(0, 200).toWellFormed(),
    minutes: group.reduce((sum, { minutes }) => sum + (minutes ?? 0), 0),
    concerns: [...new Set(group.flatMap(({ concerns }) => concerns))],
    acceptance: group.flatMap(({ acceptance }) => acceptance).slice(0, 20),
  };
}

/** The keys of the groups on which a group depends. */
function othersOf(group: readonly PlannedTask[], at: number, groupOf: ReadonlyMap<string, number>): string[] {
  const others = group.flatMap(({ dependsOn }) => dependsOn.map((other) => groupOf.get(other)!));
  return [...new Set(others)].filter((other) => other !== at).map((other) => `group-${other}`);
}
