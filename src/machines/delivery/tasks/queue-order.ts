/**
 * The order of the queue (MX-103, X-48): the most urgent first, work that had begun before work that mends, and that
 * before new work, and in the order of arrival. One task of priority 1 is in progress at a time, and nothing less
 * urgent begins while one waits. Pure.
 */
import { turnKey } from '../../work/capacity-queue.ts';
import { type WorkPriority } from '../../work/work-item.ts';
import { type Place, type Queued, type TaskRow } from './orchestrator-state.ts';

/** Classes of tasks of one urgency. */
const CLASSES = 3;

/** The key of a task in the queue. */
export function queueKey({ id, item, urgency, attempts, number }: TaskRow): string {
  const order = attempts > 0 ? 0 : item.kind === 'feature' ? 2 : 1;
  return turnKey({ rank: (urgency - 1) * CLASSES + order, arrival: number }, id);
}

/**
 * The task that begins next; undefined if none may.
 *
 * @param only The only priority that is wanted.
 */
export function nextTask(queue: Iterable<Queued>, working: Iterable<Place>, only: WorkPriority | null = null) {
  const isUrgentOn = [...working].some(({ priority }) => priority === 1);
  let isUrgentWaiting = false;
  for (const task of queue) {
    if (task.urgency > 1 && isUrgentWaiting) return undefined;
    const isFree = task.priority > 1 || !isUrgentOn;
    if (isFree && (only === null || task.priority === only)) return task;
    if (task.urgency === 1) isUrgentWaiting = true;
  }
  return undefined;
}
