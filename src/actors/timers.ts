/**
 * Durable timers: `after`, delayed `raise` and `sendTo`. A timer is a record with a deadline in kernel time; the heap
 * here only says which is next. A cancelled timer stays in the heap, marked, until it comes up or half the heap is such.
 */
import { type EventObject } from 'xstate';

export interface Timer {
  /** Arming order over the whole system; also the key of its row. */
  readonly number: number;
  readonly owner: number;
  /** The name by which the owner cancels it. */
  readonly id: string;
  /** Kernel time, whole milliseconds. */
  readonly deadlineMs: number;
  readonly to: number;
  readonly event: EventObject;
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
}

export type TimerRow = readonly [
  owner: number,
  id: string,
  deadlineMs: number,
  to: number,
  event: EventObject,
  deliveries: number,
];

export function timerRow({ owner, id, deadlineMs, to, event, deliveries }: Timer): TimerRow {
  return [owner, id, deadlineMs, to, event, deliveries];
}

export function timerFromRow(number: number, row: TimerRow): Timer {
  const [owner, id, deadlineMs, to, event, deliveries] = row;
  return { number, owner, id, deadlineMs, to, event, deliveries, gone: false, due: false, stored: true, isListed: false };
}

/** Ordered by deadline, then by arming order. Push and pop are O(log n); forgetting is O(1) amortised. */
export class TimerQueue {
  #heap: Timer[] = [];
  #gone = 0;

  get size(): number {
    return this.#heap.length - this.#gone;
  }

  push(timer: Timer): void {
    this.#heap.push(timer);
    this.#up(this.#heap.length - 1);
  }

  /** To be told for every timer marked as gone before it came up. */
  forget(): void {
    this.#gone += 1;
    if (this.#gone < 1_024 || this.#gone * 2 < this.#heap.length) return;
    const live = this.#heap.filter((timer) => !timer.gone);
    this.#heap = [];
    this.#gone = 0;
    for (const timer of live) this.push(timer);
  }

  /** The next deadline, or undefined when nothing is armed. */
  nextDeadlineMs(): number | undefined {
    this.#dropGone();
    return this.#heap[0]?.deadlineMs;
  }

  /** Removes and returns the next timer that is due at `nowMs`. */
  popDue(nowMs: number): Timer | undefined {
    this.#dropGone();
    const first = this.#heap[0];
    return first !== undefined && first.deadlineMs <= nowMs ? this.#pop() : undefined;
  }

  #dropGone(): void {
    while (this.#heap[0]?.gone === true) {
      this.#pop();
      this.#gone -= 1;
    }
  }

  #pop(): Timer | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down(0);
    }
    return first;
  }

  #up(index: number): void {
    const heap = this.#heap;
    const item = heap[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(item, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = item;
  }

  #down(index: number): void {
    const heap = this.#heap;
    const item = heap[index]!;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, item)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = item;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.deadlineMs < b.deadlineMs || (a.deadlineMs === b.deadlineMs && a.number < b.number);
}
