/** Observers of actors: they are told of durable changes, and what they throw does no harm. */
import { type EventObject } from 'xstate';
import { messageOf } from '../../errors.ts';
import { type Cell, type Observer } from './cell.ts';

export class Audience {
  readonly #log: (...args: unknown[]) => void;
  /** Listeners for every event that any actor emits. */
  readonly watchers = new Set<(address: string, event: EventObject) => void>();

  constructor(log: (...args: unknown[]) => void) {
    this.#log = log;
  }

  /** Tells the observers of the actor, and of all actors, of an emitted event. */
  tellEmitted(cell: Cell, event: EventObject): void {
    for (const watcher of [...this.watchers]) this.guarded(() => watcher(cell.address, event));
    this.tell(cell, (observer) => observer.emitted?.(event));
  }

  /** Calls the observers of the actor. */
  tell(cell: Cell, what: (observer: Observer) => void): void {
    for (const observer of [...(cell.observers ?? [])]) this.guarded(() => what(observer));
  }

  /** Runs code of the host. An error in it must not keep other observers from being called. */
  guarded(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log(`an observer threw: ${messageOf(error)}`);
    }
  }
}
