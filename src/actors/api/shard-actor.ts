/**
 * A handle on one address, for hosts: send, watch, wait. It reaches the actor that lives there at the time, and holds
 * no state of its own.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { callBack, type Log } from '../../log.ts';
import { due } from '../../user-code.ts';
import { shownSnapshot } from '../model/shown-snapshot.ts';
import { type ActorSnapshot, observe, type Subscription } from '../world/actor-view.ts';
import { type Cell } from '../world/cell.ts';

/** The services of the system for a handle. */
export interface ActorHost {
  readonly clock: Clock;
  readonly log: Log;
  /** The actor that readers see at an address. Throws BOSUN_ACTOR_UNKNOWN. */
  observed(address: string): Cell;
  snapshotOf(cell: Cell): ActorSnapshot | undefined;
  send(address: string, event: EventObject): Promise<void>;
  sendMany(requests: readonly { readonly to: string; readonly event: EventObject }[]): Promise<void>;
}

/** A host's handle on an actor: to send, ask, read and wait. */
export class ShardActor<Event extends EventObject = EventObject, Snapshot extends ActorSnapshot = ActorSnapshot> {
  readonly address: string;
  readonly #host: ActorHost;

  constructor(host: ActorHost, address: string) {
    this.#host = host;
    this.address = address;
  }

  /**
   * Sends an event. Resolves when it is durable, which may be before or after it is processed. Rejections: see
   * System.send.
   */
  send(event: Event): Promise<void> {
    return this.#host.send(this.address, event);
  }

  /** Sends many events in order, with one promise for all. Resolves and rejects as System.sendMany. */
  sendMany(events: readonly Event[]): Promise<void> {
    return this.#host.sendMany(events.map((event) => ({ to: this.address, event })));
  }

  /** The snapshot as of the last durable epoch. Throws BOSUN_ACTOR_UNKNOWN. */
  snapshot(): Snapshot {
    const snapshot = this.#snapshotOf(this.#host.observed(this.address));
    if (snapshot !== undefined) return snapshot as Snapshot;
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${this.address} has started, but its start is not durable yet`);
  }

  /**
   * Subscribes to snapshots: `next` is called with the current one at once, then once for every durable epoch that
   * changed the actor; `complete` when the actor is removed. Throws BOSUN_ACTOR_UNKNOWN.
   */
  subscribe(next: (snapshot: Snapshot) => void, complete?: () => void): Subscription {
    const cell = this.#host.observed(this.address);
    const tell = (): unknown => {
      const snapshot = this.#snapshotOf(cell);
      return snapshot && next(snapshot as Snapshot);
    };
    callBack(this.#host.log, 'an observer', tell);
    return observe(cell, { changed: tell, ...(complete && { ended: complete }) });
  }

  /**
   * Subscribes to emitted events of this type (`'*'`: of any type), once their epoch is durable. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  on(type: string, handler: (event: EventObject) => void): Subscription {
    const emitted = (event: EventObject): unknown => (type === '*' || event.type === type) && handler(event);
    return observe(this.#host.observed(this.address), { emitted });
  }

  /**
   * Waits until a durable snapshot fulfils the condition. Rejects with the error of the condition, with
   * BOSUN_VALUE_REFUSED for a condition that gives a promise, with BOSUN_TIMEOUT, with BOSUN_ACTOR_UNKNOWN when nobody
   * lives there or the actor is removed first, or with the error for which the system closed.
   *
   * @param options.timeoutMs Default: no limit.
   */
  waitFor(condition: (snapshot: Snapshot) => boolean, options: { timeoutMs?: number } = {}): Promise<Snapshot> {
    const { address } = this;
    return new Promise((resolve, reject) => {
      const cell = this.#host.observed(address);
      let cancel: Cancel | undefined;
      const finish = (settle: () => void) => {
        cancel?.();
        subscription.unsubscribe();
        settle();
      };
      const check = () => {
        try {
          const snapshot = this.#snapshotOf(cell) as Snapshot | undefined;
          if (snapshot !== undefined && due(condition(snapshot), 'the condition of waitFor'))
            finish(() => resolve(snapshot));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      };
      const removed = () =>
        new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed during the wait`, { details: { address } });
      const subscription = observe(cell, {
        changed: check,
        ended: () => finish(() => reject(removed())),
        closed: (reason) => finish(() => reject(reason)),
      });
      const { timeoutMs } = options;
      const timedOut = () => {
        const { status, value } = this.#snapshotOf(cell) ?? {};
        const where = value === undefined ? '' : `, and is ${status} in ${JSON.stringify(value)}`;
        const what = `${address} did not meet the awaited condition within ${timeoutMs} ms${where}`;
        return new BosunError('BOSUN_TIMEOUT', what, { details: { address, status, value } });
      };
      if (timeoutMs !== undefined)
        cancel = this.#host.clock.setTimeout(() => finish(() => reject(timedOut())), timeoutMs);
      check();
    });
  }

  #snapshotOf(cell: Cell): ActorSnapshot | undefined {
    const snapshot = this.#host.snapshotOf(cell);
    return snapshot && shownSnapshot(snapshot);
  }
}
