/** Observers of actors: they are told of durable changes, and what they throw or reject with does no harm. */
import { type EventObject } from 'xstate';
import { shown } from '../../lending.ts';
import { callBack, type Log } from '../../log.ts';
import { type Cell } from './cell.ts';
import { type Observer } from './observer.ts';

export class Audience {
  readonly #log: Log;
  /** Listeners for every event that any actor emits. */
  readonly watchers = new Set<(address: string, event: EventObject) => unknown>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Tells the observers of the actor, and of all actors, of an emitted event. */
  tellEmitted(cell: Cell, event: EventObject): void {
    for (const watcher of [...this.watchers]) this.guarded(() => watcher(cell.address, shown(event)));
    this.tell(cell, (observer) => observer.emitted?.(shown(event)));
  }

  /** Calls the observers of the actor. */
  tell(cell: Cell, what: (observer: Observer) => unknown): void {
    for (const observer of [...(cell.observers ?? [])]) this.guarded(() => what(observer));
  }

  /** Runs code of the host. An error in it must not keep other observers from being called. */
  guarded(tell: () => unknown): void {
    callBack(this.#log, 'an observer', tell);
  }

  /** Reports what code of the host has thrown. */
  failed(error: unknown): void {
    this.guarded(() => {
      throw error;
    });
  }
}
