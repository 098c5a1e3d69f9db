/**
 * Durable timers: `after`, delayed `raise` and `sendTo`, schedules. A timer is a record with a deadline in kernel time;
 * the heap here only says which is next. Each timer knows its place in the heap, so that cancelling takes it out at
 * once.
 */
import { type EventObject } from 'xstate';
import type { Schedule } from './schedules.ts';

/**
 * What a start of the system does to a timer that had not come due when the one before ended. `deadline`: it keeps its
 * deadline, so time while the system is down counts. `remaining`: it keeps what was left. `restart`: its whole delay
 * begins again. `skip`: it is dropped and never fires.
 */
export type RestorePolicy = 'deadline' | 'remaining' | 'restart' | 'skip';

export const RESTORE_POLICIES: readonly RestorePolicy[] = ['deadline', 'remaining', 'restart', 'skip'];

/** The id of the timer that the next message disarms, of which an actor has one at most. */
export const EVENT_TIMEOUT_ID = 'bosun.event-timeout';

export interface Timer {
  /** Arming order over the whole system; also the key of its row. */
  readonly number: number;
  readonly owner: number;
  /** The name by which the owner cancels it. */
  readonly id: string;
  /** Kernel time, whole milliseconds. */
  readonly deadlineMs: number;
  readonly to: number;
  /** Of a schedule: a {@link Plan}, from which the event is made when it is due. */
  readonly event: EventObject;
  /** What it was armed with. */
  readonly delayMs: number;
  /** The name in the machine's `delays`; null for a delay that has none. */
  readonly delay: string | null;
  /** Whether its policy is `remaining`, for which the time of a stop has to be known. */
  readonly keepsRemaining: boolean;
  /** What arms it again once its turn is over; null for any timer but a schedule's. */
  readonly schedule: Schedule | null;
  /** How often the turn that it caused has thrown. */
  deliveries: number;
  /** Cancelled or consumed. */
  gone: boolean;
  /** Due and waiting in its owner's mailbox. */
  due: boolean;
  /** Whether its row is in an epoch already frozen. */
  stored: boolean;
  /** Whether the epoch in the making has it among those that may have to be stored. */
  isListed: boolean;
  /** Its place in the heap; -1 outside. */
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
  /** Absent where it has no name. */
  delay?: string,
];

/** A timer as it begins. */
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
 * The deadline of a timer after a start, or null where it is dropped. Pure.
 *
 * @param run `lastMs`: kernel time of the last epoch before the start; `nowMs`: of the start; `setBackMs`: by how
 *   much the start has set kernel time back, in which case no deadline means what it did and every timer keeps what was
 *   left.
 */
export function restoredDeadline(
  { deadlineMs, delayMs }: Pick<Timer, 'deadlineMs' | 'delayMs'>,
  policy: RestorePolicy,
  { lastMs, nowMs, setBackMs }: { lastMs: number; nowMs: number; setBackMs: number },
): number | null {
  // What had come due has fired: only its turn is missing.
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
 * A binary heap, ordered by deadline, then by arming order. Push, pop and remove are O(log n), and none of them ever
 * more.
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

  /** Takes a timer out that has not come up. Does nothing where it is not in. */
  remove(timer: Timer): void {
    const { place } = timer;
    if (place < 0) return;
    timer.place = -1;
    const last = this.#heap.pop()!;
    if (last === timer) return;
    if (place > 0 && isBefore(last, this.#heap[(place - 1) >> 1]!)) this.#up(place, last);
    else this.#down(place, last);
  }

  /** The next deadline, or undefined when nothing is armed. */
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
