/**
 * A handle on one address, for hosts: send, watch, wait. It reaches whoever lives there; it holds no state of its own.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { type Cell, type Observer } from '../world/cell.ts';
import { type SnapshotView, type StepEngine } from '../model/step-engine.ts';

/** What an actor looked like at the last durable epoch in which it changed. */
export interface ActorSnapshot extends Omit<SnapshotView, 'status'> {
  /** `suspended`: it lives and takes no turns; `error` says why. */
  readonly status: SnapshotView['status'] | 'suspended';
  readonly address: string;
  readonly agent: string;
  /** Changes so far. */
  readonly sequence: number;
  /** Of the birth: stable over restarts, restores and retries. */
  readonly effectId: string;
}

export interface Subscription {
  unsubscribe(): void;
}

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

/** Tells an observer of what happens to an actor, until it is unsubscribed. */
export function observe(cell: Cell, observer: Observer): Subscription {
  (cell.observers ??= new Set()).add(observer);
  return { unsubscribe: () => void cell.observers?.delete(observer) };
}

/** The durable view of a cell; undefined while its birth is not durable. */
export function viewOf(engine: StepEngine, cell: Cell): ActorSnapshot | undefined {
  if (cell.durable === undefined) return undefined;
  const { state, snapshot, suspension } = cell.durable;
  const { address, agent, effectId } = cell.identity;
  const facts = { address, agent, effectId, sequence: state.seq };
  if (snapshot === undefined) {
    const status = suspension === undefined ? 'active' : 'suspended';
    return {
      ...facts,
      status,
      value: null,
      context: undefined,
      tags: [],
      output: undefined,
      error: suspension ?? state.error,
    };
  }
  const view = engine.view(cell.definition, snapshot);
  const status = state.status === 'starting' ? 'active' : state.status;
  if (suspension !== undefined) return { ...view, ...facts, status: 'suspended', error: suspension };
  return { ...view, ...facts, status, error: state.error };
}
