/** A mailbox: first in, first out, in two lanes. Commands to Bosses overtake; everything else keeps its place. */
import { type Message } from './message.ts';
import { Queue } from './queue.ts';

export class Mailbox {
  readonly #system = new Queue<Message>();
  readonly #user = new Queue<Message>();

  get size(): number {
    return this.#system.size + this.#user.size;
  }

  push(message: Message): void {
    (message.kind === 'command' ? this.#system : this.#user).push(message);
  }

  peek(): Message | undefined {
    return this.#system.peek() ?? this.#user.peek();
  }

  /** Removes what `peek` gives. */
  shift(): void {
    (this.#system.size > 0 ? this.#system : this.#user).shift();
  }

  /** Removes messages for which `drop` says so, wherever they are. Linear. */
  removeWhere(drop: (message: Message) => boolean): void {
    this.#system.removeWhere(drop);
    this.#user.removeWhere(drop);
  }

  /** Empties the mailbox. @returns What was unread, in order. */
  drain(): Message[] {
    const unread = this.unread();
    this.#system.clear();
    this.#user.clear();
    return unread;
  }

  unread(): Message[] {
    return [...this.#system.toArray(), ...this.#user.toArray()];
  }
}
