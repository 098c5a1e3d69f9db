/** A handle on one address, for hosts: send, watch, wait. It reaches whoever lives there; it holds no state of its own. */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock, TIMEOUT_MS_MAX } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { type Cell, type Observer } from './cell.ts';
import { type SnapshotView, type StepEngine } from './engine.ts';

/** What an actor looked like at the last durable epoch in which it changed. */
export interface ActorSnapshot extends SnapshotView {
  readonly address: string;
  readonly agent: string;
  /** Changes so far. */
  readonly sequence: number;
}

export interface Subscription {
  unsubscribe(): void;
}

/** What a handle needs of the system. */
export interface ActorHost {
  readonly clock: Clock;
  cell(address: string): Cell;
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
    const snapshot = this.#host.snapshotOf(this.#host.cell(this.address));
    if (snapshot !== undefined) return snapshot as Snapshot;
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `the birth of ${this.address} is not durable yet`);
  }

  /**
   * Called with the present snapshot at once, then once for every durable epoch that changed the actor.
   * `complete` is called when the actor is removed. Throws BOSUN_ACTOR_UNKNOWN.
   */
  subscribe(next: (snapshot: Snapshot) => void, complete?: () => void): Subscription {
    const cell = this.#host.cell(this.address);
    const tell = () => {
      const snapshot = this.#host.snapshotOf(cell);
      if (snapshot !== undefined) next(snapshot as Snapshot);
    };
    const subscription = observe(cell, { changed: tell, ...(complete && { ended: complete }) });
    tell();
    return subscription;
  }

  /** Called for emitted events of this type (`'*'`: of any), once their epoch is durable. Throws BOSUN_ACTOR_UNKNOWN. */
  on(type: string, handler: (event: EventObject) => void): Subscription {
    const emitted = (event: EventObject) => {
      if (type === '*' || event.type === type) handler(event);
    };
    return observe(this.#host.cell(this.address), { emitted });
  }

  /**
   * Waits until a durable snapshot fulfils the condition. Rejects with BOSUN_TIMEOUT, or BOSUN_ACTOR_UNKNOWN when the
   * actor is removed before.
   *
   * @param options.timeoutMs Default: for ever.
   */
  waitFor(condition: (snapshot: Snapshot) => boolean, options: { timeoutMs?: number } = {}): Promise<Snapshot> {
    return new Promise((resolve, reject) => {
      const held: { cancel?: Cancel; subscription?: Subscription } = {};
      let isOver = false;
      const finish = (settle: () => void) => {
        isOver = true;
        held.cancel?.();
        held.subscription?.unsubscribe();
        settle();
      };
      held.subscription = this.subscribe(
        (snapshot) => {
          if (!isOver && condition(snapshot)) finish(() => resolve(snapshot));
        },
        () => finish(() => reject(new BosunError('BOSUN_ACTOR_UNKNOWN', `${this.address} was removed while waited for`))),
      );
      if (isOver) {
        held.subscription.unsubscribe();
        return;
      }
      if (options.timeoutMs === undefined) return;
      const timedOut = new BosunError('BOSUN_TIMEOUT', `${this.address} was not as waited for within ${options.timeoutMs} ms`);
      held.cancel = this.#host.clock.setTimeout(() => finish(() => reject(timedOut)), Math.min(options.timeoutMs, TIMEOUT_MS_MAX));
    });
  }
}

function observe(cell: Cell, observer: Observer): Subscription {
  (cell.observers ??= new Set()).add(observer);
  return { unsubscribe: () => void cell.observers?.delete(observer) };
}

/** The durable view of a cell; undefined while its birth is not durable. */
export function viewOf(engine: StepEngine, cell: Cell): ActorSnapshot | undefined {
  if (cell.durable === undefined) return undefined;
  const { state, snapshot } = cell.durable;
  const { address, agent } = cell.identity;
  const facts = { address, agent, sequence: state.seq };
  if (snapshot === undefined) {
    return { ...facts, status: 'active', value: null, context: undefined, tags: [], output: undefined, error: state.error };
  }
  const view = engine.view(cell.definition, snapshot);
  const status = state.status === 'starting' ? 'active' : state.status;
  return { ...view, ...facts, status, error: state.error };
}
