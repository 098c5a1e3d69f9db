/**
 * A mailbox: first in, first out, in two lanes. Commands to Bosses overtake; everything else keeps its place.
 * What a Boss does not look at for the time being is held back, in order, and comes first once it is released.
 * A lane is a list linked through its messages, so that the mailbox of an actor at rest is one small object.
 */
import { type Message } from './message.ts';

export class Mailbox {
  #size = 0;
  #command: Message | null = null;
  #lastCommand: Message | null = null;
  /** Due timers that were cancelled stay in this lane until they come up: taking them out would be linear. */
  #first: Message | null = null;
  #last: Message | null = null;
  #heldBack: Message[] | undefined;

  /** All that is unread, what is held back among it. */
  get size(): number {
    return this.#size;
  }

  push(message: Message): void {
    this.#size += 1;
    if (message.kind === 'command') {
      if (this.#lastCommand === null) this.#command = message;
      else this.#lastCommand.next = message;
      this.#lastCommand = message;
    } else {
      if (this.#last === null) this.#first = message;
      else this.#last.next = message;
      this.#last = message;
    }
  }

  /** Puts what `peek` gives aside, until `release`. */
  holdBack(): void {
    const message = this.peek()!;
    this.shift();
    this.#size += 1;
    (this.#heldBack ??= []).push(message);
  }

  get isHolding(): boolean {
    return this.#heldBack !== undefined;
  }

  release(): void {
    for (const message of this.drain()) this.push(message);
  }

  peek(): Message | null {
    if (this.#command !== null) return this.#command;
    const first = this.#first;
    return first === null || !isCancelled(first) ? first : this.#pass(first);
  }

  /** Removes what `peek` gave. */
  shift(): void {
    const message = (this.#command ?? this.#first)!;
    const { next } = message;
    // What was read must not keep what came later alive.
    message.next = null;
    this.#size -= 1;
    if (this.#command !== null) {
      this.#command = next;
      if (next === null) this.#lastCommand = null;
    } else {
      // What is held back counts, and is not in the lane.
      this.#first = this.#size === 0 ? null : next;
      if (this.#first === null) this.#last = null;
    }
  }

  /** To be told of every timer marked as gone whose message is still unread. */
  forget(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#first = this.#last = null;
  }

  /** Removes unread messages for which `drop` says so, wherever they are. Linear. */
  removeWhere(drop: (message: Message) => boolean): void {
    for (const message of this.drain()) if (!drop(message)) this.push(message);
  }

  /** Empties the mailbox. @returns What was unread, in order. */
  drain(): Message[] {
    const unread = this.unread();
    this.#size = 0;
    this.#command = this.#lastCommand = this.#first = this.#last = null;
    this.#heldBack = undefined;
    for (const message of unread) message.next = null;
    return unread;
  }

  unread(): Message[] {
    const unread: Message[] = (this.#heldBack ?? []).filter((message) => !isCancelled(message));
    for (let message = this.#command; message !== null; message = message.next) unread.push(message);
    for (let message = this.#first; message !== null; message = message.next) if (!isCancelled(message)) unread.push(message);
    return unread;
  }

  /** Takes out the first message of the lane and those behind it that are not to be read. */
  #pass(first: Message): Message | null {
    let next: Message | null = first;
    while (next !== null && isCancelled(next)) next = next.next;
    this.#first = next;
    if (next === null) this.#last = null;
    return next;
  }
}

function isCancelled({ timer }: Message): boolean {
  return timer !== null && timer.gone;
}
