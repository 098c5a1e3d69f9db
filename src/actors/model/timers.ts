/**
 * Durable timers: `after`, delayed `raise` and `sendTo`, schedules. A timer is a record with a deadline in kernel time;
 * the heap here only says which is next. Each timer knows its place in the heap, so that cancelling removes it at once.
 */
import { type EventObject } from 'xstate';
import type { Schedule } from './schedules.ts';

/**
 * How a start of the system treats a timer that had not come due when the last run ended. `deadline`: it keeps its
 * deadline, so downtime counts. `remaining`: it keeps its remaining time. `restart`: its whole delay begins again.
 * `skip`: it is dropped and never fires.
 */
export type RestorePolicy = 'deadline' | 'remaining' | 'restart' | 'skip';

export const RESTORE_POLICIES: readonly RestorePolicy[] = ['deadline', 'remaining', 'restart', 'skip'];

/** The id of the timer that the next message disarms. An actor has at most one. */
export const EVENT_TIMEOUT_ID = 'bosun.event-timeout';

export interface Timer {
  /** The place of the timer in the arming order of the whole system, which is also the key of its row. */
  readonly number: number;
  readonly owner: number;
  /** The id by which the owner cancels it. */
  readonly id: string;
  /** Deadline in kernel time, whole milliseconds. */
  readonly deadlineMs: number;
  readonly to: number;
  /** The event to send; for a schedule a {@link Plan}, from which the event is made when it is due. */
  readonly event: EventObject;
  /** The delay with which it was armed, in milliseconds. */
  readonly delayMs: number;
  /** The name in the machine's `delays`; null for an unnamed delay. */
  readonly delay: string | null;
  /** Whether its policy is `remaining`, which needs the time of the stop. */
  readonly keepsRemaining: boolean;
  /** The schedule that arms it again after its turn; null for any other timer. */
  readonly schedule: Schedule | null;
  /** How often its turn has thrown. */
  deliveries: number;
  /** Whether the timer was cancelled or consumed. */
  gone: boolean;
  /** Whether the timer is due and waits in its owner's mailbox. */
  due: boolean;
  /** Whether its row is in a frozen epoch. */
  stored: boolean;
  /** Whether the epoch in the making lists it among timers that may have to be stored. */
  isListed: boolean;
  /** The place of the timer in the heap; -1 if it is not in the heap. */
  place: number;
}

export type TimerRow = readonly [
  owner: number,
  id: string,
  deadlineMs: number,
  to: number,
  event: EventObject,
  deliveries: number,
  delayMs: number,
  /** The name of the delay; absent for an unnamed one. */
  delay?: string,
];

/** Creates a timer with defaults for the rest of its fields. */
export function newTimer(
  facts: Pick<Timer, 'number' | 'owner' | 'id' | 'deadlineMs' | 'to' | 'event' | 'delayMs'> & Partial<Timer>,
): Timer {
  return {
    number: facts.number,
    owner: facts.owner,
    id: facts.id,
    deadlineMs: facts.deadlineMs,
    to: facts.to,
    event: facts.event,
    delayMs: facts.delayMs,
    delay: facts.delay ?? null,
    keepsRemaining: facts.keepsRemaining ?? false,
    schedule: facts.schedule ?? null,
    deliveries: facts.deliveries ?? 0,
    gone: false,
    due: false,
    stored: facts.stored ?? false,
    isListed: false,
    place: -1,
  };
}

export function timerRow({ owner, id, deadlineMs, to, event, deliveries, delayMs, delay }: Timer): TimerRow {
  return delay === null
    ? [owner, id, deadlineMs, to, event, deliveries, delayMs]
    : [owner, id, deadlineMs, to, event, deliveries, delayMs, delay];
}

export function timerFromRow(number: number, row: TimerRow): Timer {
  const [owner, id, deadlineMs, to, event, deliveries, delayMs, delay = null] = row;
  return newTimer({ number, owner, id, deadlineMs, to, event, deliveries, delayMs, delay, stored: true });
}

/**
 * The deadline of a timer after a start, or null if it is dropped.
 *
 * @param run `lastMs`: kernel time of the last epoch before the start; `nowMs`: of the start; `setBackMs`: how far the
 * start has set kernel time back. Deadlines mean nothing after that, so every timer then keeps its remaining time.
 */
export function restoredDeadline(
  { deadlineMs, delayMs }: Pick<Timer, 'deadlineMs' | 'delayMs'>,
  policy: RestorePolicy,
  { lastMs, nowMs, setBackMs }: { lastMs: number; nowMs: number; setBackMs: number },
): number | null {
  // A timer that had come due has fired: only its turn is missing.
  if (deadlineMs <= lastMs) return deadlineMs - setBackMs;
  switch (policy) {
    case 'deadline':
      return deadlineMs - setBackMs;
    case 'remaining':
      return Math.ceil(nowMs + (deadlineMs - lastMs));
    case 'restart':
      return Math.ceil(nowMs + Math.max(0, delayMs));
    case 'skip':
      return null;
  }
}

/**
 * A binary heap, ordered by deadline, then by arming order. Push, pop and remove take O(log n), also in the worst case.
 */
export class TimerQueue {
  readonly #heap: Timer[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(timer: Timer): void {
    this.#heap.push(timer);
    this.#up(this.#heap.length - 1, timer);
  }

  /** Removes a timer that has not fired. Does nothing if it is not in the heap. */
  remove(timer: Timer): void {
    const { place } = timer;
    if (place < 0) return;
    timer.place = -1;
    const last = this.#heap.pop()!;
    if (last === timer) return;
    if (place > 0 && isBefore(last, this.#heap[(place - 1) >> 1]!)) this.#up(place, last);
    else this.#down(place, last);
  }

  /** The next deadline; undefined when nothing is armed. */
  nextDeadlineMs(): number | undefined {
    return this.#heap[0]?.deadlineMs;
  }

  /** Removes and returns the next timer that is due at `nowMs`. */
  popDue(nowMs: number): Timer | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.deadlineMs > nowMs) return undefined;
    this.remove(first);
    return first;
  }

  #up(place: number, item: Timer): void {
    const heap = this.#heap;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above]!;
      if (!isBefore(item, parent)) break;
      heap[place] = parent;
      parent.place = place;
      place = above;
    }
    heap[place] = item;
    item.place = place;
  }

  #down(place: number, item: Timer): void {
    const heap = this.#heap;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      const child = heap[below]!;
      if (!isBefore(child, item)) break;
      heap[place] = child;
      child.place = place;
      place = below;
    }
    heap[place] = item;
    item.place = place;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.deadlineMs < b.deadlineMs || (a.deadlineMs === b.deadlineMs && a.number < b.number);
}
