/**
 * A handle on one address, for hosts: send, watch, wait. It reaches whoever lives there; it holds no state of its own.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { type ActorSnapshot, observe, type Subscription } from '../world/actor-view.ts';
import { type Cell } from '../world/cell.ts';

/** What a handle needs of the system. */
export interface ActorHost {
  readonly clock: Clock;
  /** The actor that readers see at an address. Throws BOSUN_ACTOR_UNKNOWN. */
  observed(address: string): Cell;
  snapshotOf(cell: Cell): ActorSnapshot | undefined;
  send(address: string, event: EventObject): Promise<void>;
}

export class ActorHandle<Event extends EventObject = EventObject, Snapshot extends ActorSnapshot = ActorSnapshot> {
  readonly address: string;
  readonly #host: ActorHost;

  constructor(host: ActorHost, address: string) {
    this.#host = host;
    this.address = address;
  }

  /** Resolves when the event is durable, which is before or after it was processed. Rejections: see System.send. */
  send(event: Event): Promise<void> {
    return this.#host.send(this.address, event);
  }

  /** As of the last durable epoch. Throws BOSUN_ACTOR_UNKNOWN. */
  snapshot(): Snapshot {
    const snapshot = this.#host.snapshotOf(this.#host.observed(this.address));
    if (snapshot !== undefined) return snapshot as Snapshot;
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `the birth of ${this.address} is not durable yet`);
  }

  /**
   * Called with the present snapshot at once, then once for every durable epoch that changed the actor.
   * `complete` is called when the actor is removed. Throws BOSUN_ACTOR_UNKNOWN.
   */
  subscribe(next: (snapshot: Snapshot) => void, complete?: () => void): Subscription {
    const cell = this.#host.observed(this.address);
    const tell = () => {
      const snapshot = this.#host.snapshotOf(cell);
      if (snapshot !== undefined) next(snapshot as Snapshot);
    };
    tell();
    return observe(cell, { changed: tell, ...(complete && { ended: complete }) });
  }

  /**
   * Called for emitted events of this type (`'*'`: of any), once their epoch is durable. Throws BOSUN_ACTOR_UNKNOWN.
   */
  on(type: string, handler: (event: EventObject) => void): Subscription {
    const emitted = (event: EventObject) => {
      if (type === '*' || event.type === type) handler(event);
    };
    return observe(this.#host.observed(this.address), { emitted });
  }

  /**
   * Waits until a durable snapshot fulfils the condition. Rejects with what the condition throws, with BOSUN_TIMEOUT,
   * with BOSUN_ACTOR_UNKNOWN when nobody lives there or the actor is removed before, or with what the system closed
   * for.
   *
   * @param options.timeoutMs Default: for ever.
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
          const snapshot = this.#host.snapshotOf(cell) as Snapshot | undefined;
          if (snapshot !== undefined && condition(snapshot)) finish(() => resolve(snapshot));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      };
      const removed = () =>
        new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed while waited for`, { details: { address } });
      const subscription = observe(cell, {
        changed: check,
        ended: () => finish(() => reject(removed())),
        closed: (reason) => finish(() => reject(reason)),
      });
      const { timeoutMs } = options;
      if (timeoutMs !== undefined) {
        const timedOut = new BosunError('BOSUN_TIMEOUT', `${address} was not as waited for within ${timeoutMs} ms`);
        cancel = this.#host.clock.setTimeout(() => finish(() => reject(timedOut)), timeoutMs);
      }
      check();
    });
  }
}
