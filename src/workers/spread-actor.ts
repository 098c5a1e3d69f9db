/**
 * A handle on an address of a system that is spread over workers: what ActorHandle is, with reads that are promises.
 */
import { type EventObject } from 'xstate';
import { type ActorSnapshot, type Subscription } from '../actors/world/actor-view.ts';
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { type HostWatch, type Watches } from './host-verbs.ts';
import { type Hearer } from './host-calls.ts';

interface SpreadActorHost {
  readonly clock: Clock;
  send(address: string, event: EventObject): Promise<void>;
  snapshot(address: string): Promise<ActorSnapshot | undefined>;
  /** @returns What ends it. Throws where no worker has the address for itself. */
  watch<W extends HostWatch>(
    watch: W,
    args: Parameters<Watches[W]>,
    hearer: Hearer<ReturnType<Watches[W]>>,
  ): () => void;
}

export class SpreadActor<Event extends EventObject = EventObject, Snapshot extends ActorSnapshot = ActorSnapshot> {
  readonly address: string;
  readonly #host: SpreadActorHost;

  constructor(host: SpreadActorHost, address: string) {
    this.#host = host;
    this.address = address;
  }

  /**
   * Resolves when the event is durable, which is before or after it was processed. Rejections: see SpreadSystem.send.
   */
  send(event: Event): Promise<void> {
    return this.#host.send(this.address, event);
  }

  /** As of the worker's last durable epoch. Rejects with BOSUN_ACTOR_UNKNOWN. */
  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.#host.snapshot(this.address);
    if (snapshot !== undefined) return snapshot as Snapshot;
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${this.address}`, { details: { address: this.address } });
  }

  /**
   * Called with the present snapshot, then once for every durable epoch that changed the actor, over deaths of the
   * worker too: after one, with the snapshot as it is then. `complete` is called when the actor is removed. Resolves
   * with the first snapshot told. Rejects with BOSUN_ACTOR_UNKNOWN.
   */
  subscribe(next: (snapshot: Snapshot) => void, complete?: () => void): Promise<Subscription> {
    return new Promise((resolve, reject) => {
      const unsubscribe = this.#host.watch('snapshots', [this.address], {
        next: (snapshot) => {
          next(snapshot as Snapshot);
          resolve({ unsubscribe });
        },
        completed: complete,
        lost: reject,
      });
    });
  }

  /**
   * Called for emitted events of this type (`'*'`: of any), once their epoch is durable, from when this reaches the
   * worker on.
   */
  on(type: string, handler: (event: EventObject) => void): Subscription {
    return { unsubscribe: this.#host.watch('emitted', [this.address, type], { next: handler }) };
  }

  /**
   * Waits until a durable snapshot fulfils the condition. Rejects with what the condition throws, with BOSUN_TIMEOUT,
   * with BOSUN_ACTOR_UNKNOWN when nobody lives there or the actor is removed before, or with what the system closed
   * for.
   *
   * @param options.timeoutMs Default: for ever.
   */
  waitFor(condition: (snapshot: Snapshot) => boolean, { timeoutMs }: { timeoutMs?: number } = {}): Promise<Snapshot> {
    const { address } = this;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const finish = (settle: () => void) => {
        isOver = true;
        cancel?.();
        unsubscribe?.();
        settle();
      };
      const fail = (error: BosunError) => finish(() => reject(error));
      const timedOut = () =>
        fail(new BosunError('BOSUN_TIMEOUT', `${address} was not as waited for within ${timeoutMs} ms`));
      const cancel = timeoutMs === undefined ? undefined : this.#host.clock.setTimeout(timedOut, timeoutMs);
      const unsubscribe: (() => void) | undefined = this.#host.watch('snapshots', [address], {
        next: (snapshot) => {
          if (isOver) return;
          try {
            if (condition(snapshot as Snapshot)) finish(() => resolve(snapshot as Snapshot));
          } catch (error) {
            finish(() => reject(error as Error));
          }
        },
        completed: () =>
          fail(
            new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed while waited for`, { details: { address } }),
          ),
        lost: fail,
      });
    });
  }
}
