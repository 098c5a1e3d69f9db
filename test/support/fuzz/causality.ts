/**
 * Which order of messages createActor and the kernel must agree on. createActor delivers depth-first, inside the
 * sender's turn; the kernel turn by turn. Messages to one actor come in the same order on both sides if each was sent
 * in the same turn as the one before, or in a turn that the other led to. Of any others the order is free
 * (docs/semantics.md, Order), and what follows may rightly differ. Vector clocks, one entry an actor and one its
 * timers, anew for every step from outside: what happens in one step leads to all of the next.
 */

/** A message on its way: by whose turn, and what had led to that. */
export interface Sent {
  readonly by: number;
  readonly clock: readonly number[];
}

/** The sender of what comes from outside. */
const OUTSIDE = 0;

export class Party {
  readonly index: number;
  /** Of its last turn. */
  clock: number[] = [];
  /** Sent to it and not processed. */
  unread: Sent[] = [];
  last: Sent | undefined;

  /** @param number From 1. */
  constructor(number: number, bornIn: Party | undefined) {
    this.index = 2 * number;
    this.clock = [...(bornIn?.clock ?? [])];
    this.#tick();
  }

  send(): Sent {
    return { by: this.index, clock: [...this.clock] };
  }

  /**
   * A timer of its own: in order with its other timers, but not with those of others that are due at the same moment.
   */
  sendByTimer(): Sent {
    const clock: number[] = [];
    clock[this.index + 1] = 1;
    return { by: this.index + 1, clock };
  }

  /** @returns Whether the order of this message and the one before is free. */
  receive(sent: Sent): boolean {
    const isFree = this.last !== undefined && !leads(this.last, sent);
    this.last = sent;
    sent.clock.forEach((tick, index) => (this.clock[index] = Math.max(this.clock[index] ?? 0, tick)));
    this.#tick();
    return isFree;
  }

  /** What was never read counts as read last: the kernel might have read it in time. */
  endStep(): boolean {
    const isFree = this.unread.map((sent) => this.receive(sent)).includes(true);
    this.unread = [];
    this.last = undefined;
    this.clock = [];
    return isFree;
  }

  #tick(): void {
    this.clock[this.index] = (this.clock[this.index] ?? 0) + 1;
  }
}

/** A send from outside. */
export const FROM_OUTSIDE: Sent = { by: OUTSIDE, clock: [1] };

/** Whether one was sent in the same turn as the other, or in one that led to the other's. */
function leads(first: Sent, second: Sent): boolean {
  return (second.clock[first.by] ?? 0) >= (first.clock[first.by] ?? 0);
}
