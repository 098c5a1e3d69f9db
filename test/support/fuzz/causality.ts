/**
 * The order of messages on which createActor and the kernel must agree. createActor delivers depth-first, inside the
 * sender's turn; the kernel turn by turn. Messages to one actor arrive in the same order on both sides if each was sent
 * in the same turn as the one before, or in a turn that the other caused. The order of any others is free
 * (docs/semantics.md, Order), and their effects may differ. The rule uses vector clocks with one entry per actor and
 * one per actor's timers, reset at every step from outside: everything in one step precedes all of the next.
 */

/** A message on its way: the sender of the turn, and the clock of its causes. */
export interface Sent {
  readonly by: number;
  readonly clock: readonly number[];
}

/** The sender of messages from outside. */
const OUTSIDE = 0;

export class Party {
  readonly index: number;
  /** Clock of its last turn. */
  clock: number[] = [];
  /** Messages sent to it and not yet processed. */
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
   * Sends by a timer of its own: ordered with its other timers, but not with those of others that are due at the same
   * time.
   */
  sendByTimer(): Sent {
    const clock: number[] = [];
    clock[this.index + 1] = 1;
    return { by: this.index + 1, clock };
  }

  /** @returns Whether the order of this message and the previous one is free. */
  receive(sent: Sent): boolean {
    const isFree = this.last !== undefined && !leads(this.last, sent);
    this.last = sent;
    sent.clock.forEach((tick, index) => (this.clock[index] = Math.max(this.clock[index] ?? 0, tick)));
    this.#tick();
    return isFree;
  }

  /** Ends a step. Unread messages count as read last: the kernel might have read them in time. */
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

/** Whether one message was sent in the same turn as the other, or in a turn that caused the other's. */
function leads(first: Sent, second: Sent): boolean {
  return (second.clock[first.by] ?? 0) >= (first.clock[first.by] ?? 0);
}
