/**
 * A lane of a mailbox: a first-in, first-out list linked through its messages. Due timers that were cancelled stay in
 * it until they come up, because removing them would take linear time.
 */
import { type Message } from './message.ts';

export class Lane {
  #first: Message | null = null;
  #last: Message | null = null;

  append(message: Message): void {
    if (this.#last === null) this.#first = message;
    else this.#last.next = message;
    this.#last = message;
  }

  /** Puts a message before all others. */
  prepend(message: Message): void {
    message.next = this.#first;
    this.#first = message;
    this.#last ??= message;
  }

  /** The first message to be read. */
  head(): Message | null {
    const first = this.#first;
    return first === null || !isCancelled(first) ? first : this.#pass(first);
  }

  /** Removes the message that `head` returned. */
  removeHead(): void {
    const first = this.#first!;
    this.#first = first.next;
    if (this.#first === null) this.#last = null;
    // A message that was read must not keep later ones alive.
    first.next = null;
  }

  /** Removes the first matching message to be read; null if there is none. Takes time linear in those before it. */
  takeFirst(fits: (message: Message) => boolean): Message | null {
    let before: Message | null = null;
    for (let message = this.#first; message !== null; before = message, message = message.next) {
      if (isCancelled(message) || !fits(message)) continue;
      if (before === null) this.#first = message.next;
      else before.next = message.next;
      if (this.#last === message) this.#last = before;
      message.next = null;
      return message;
    }
    return null;
  }

  /** Adds the messages to be read to a list. */
  collect(into: Message[]): void {
    for (let message = this.#first; message !== null; message = message.next)
      if (!isCancelled(message)) into.push(message);
  }

  clear(): void {
    this.#first = this.#last = null;
  }

  /** Removes the first message and cancelled ones after it. */
  #pass(first: Message): Message | null {
    let next: Message | null = first;
    while (next !== null && isCancelled(next)) next = next.next;
    this.#first = next;
    if (next === null) this.#last = null;
    return next;
  }
}

export function isCancelled({ timer }: Message): boolean {
  return timer !== null && timer.gone;
}
