/**
 * A mailbox: first in, first out, in two lanes. Commands to Bosses overtake; everything else keeps its place.
 * A lane is a list linked through its messages, so that the mailbox of an actor at rest is one small object.
 */
import { type Message } from './message.ts';

export class Mailbox {
  #size = 0;
  #command: Message | null = null;
  #lastCommand: Message | null = null;
  #first: Message | null = null;
  #last: Message | null = null;

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

  peek(): Message | null {
    return this.#command ?? this.#first;
  }

  /** Removes what `peek` gives. */
  shift(): void {
    const message = this.peek()!;
    const { next } = message;
    // What was read must not keep what came later alive.
    message.next = null;
    this.#size -= 1;
    if (this.#command !== null) {
      this.#command = next;
      if (next === null) this.#lastCommand = null;
    } else {
      this.#first = next;
      if (next === null) this.#last = null;
    }
  }

  /** Removes messages for which `drop` says so, wherever they are. Linear. */
  removeWhere(drop: (message: Message) => boolean): void {
    for (const message of this.drain()) if (!drop(message)) this.push(message);
  }

  /** Empties the mailbox. @returns What was unread, in order. */
  drain(): Message[] {
    const unread = this.unread();
    this.#size = 0;
    this.#command = this.#lastCommand = this.#first = this.#last = null;
    for (const message of unread) message.next = null;
    return unread;
  }

  unread(): Message[] {
    const unread: Message[] = [];
    for (let message = this.#command; message !== null; message = message.next) unread.push(message);
    for (let message = this.#first; message !== null; message = message.next) unread.push(message);
    return unread;
  }
}
