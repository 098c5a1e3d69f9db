/**
 * A remote actor: send, ask, watch, wait. It is similar enough to an actor of XState for `waitFor` and for
 * `useSelector` of @xstate/react; it is subscribed while somebody watches.
 */
import { type CallOptions, type ClientRequest } from './client-calls.ts';
import { ClientError } from './client-error.ts';
import { type AgentShape, type EmittedIn, type EventIn, type ValueIn, type ValuePart } from './contract.ts';
import { type EmissionOptions, Emissions } from './emissions.ts';
import { endedBy, observerOf, type RemoteSubscription } from './observers.ts';
import { Mirror, type MirrorWatcher } from './mirror.ts';
import { type KnownSnapshot, type RemoteSnapshot } from './remote-snapshot.ts';
import { type ClientClock, toldTo } from './platform.ts';
import { type SubscribedTopics } from './subscribed-topics.ts';
import { checkTimeLimit } from './time-limit.ts';
import { disown, isThenable } from '../user-code.ts';
import type { RunView } from '../gateway/protocol/run-view.ts';

/** When a send resolves, and the condition under which it counts. */
export interface RemoteSendOptions extends Omit<CallOptions, 'key'> {
  /**
   * `durable`, the default: resolves when the event is on disk. `taken`: resolves after its turn; rejects with
   * BOSUN_EVENT_NOT_TAKEN if the state ignores it.
   */
  readonly until?: 'durable' | 'taken';
  /**
   * `sequence` of the snapshot on which the event is based. Rejects with BOSUN_ACTOR_CHANGED if the actor has another
   * one when the event's turn comes. Implies `taken`.
   */
  readonly ifSequence?: number;
}

/** Options of a wait: its time limit and its cancellation. */
export interface WaitOptions {
  /** Milliseconds to wait. Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RemoteActorHost {
  readonly clock: ClientClock;
  readonly topics: SubscribedTopics;
  send(request: ClientRequest, options: CallOptions): Promise<unknown>;
  sendMany(requests: readonly ClientRequest[], options: Omit<CallOptions, 'key'>): Promise<void>;
  call(request: ClientRequest, options: CallOptions): Promise<unknown>;
}

/** An actor behind a gateway: to send, ask, read, watch and wait. */
export class RemoteActor<A = AgentShape> {
  readonly address: string;
  /** Members that XState's types require; those typed `never` are not implemented. */
  readonly id: string;
  readonly sessionId: string;
  readonly src = 'bosun';
  declare readonly system: never;
  declare readonly select: never;
  declare readonly [Symbol.observable]: never;
  readonly #host: RemoteActorHost;
  readonly #mirror: Mirror<A>;

  /** Use `client.actor`. */
  constructor(host: RemoteActorHost, address: string) {
    this.#host = host;
    this.#mirror = new Mirror<A>(address, host.topics, this);
    this.address = this.id = this.sessionId = address;
  }

  /**
   * Sends an event. Resolves when it is durable, exactly once, however often the connection broke; while offline it
   * waits. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_EVENT_REFUSED, BOSUN_EVENT_INVALID, BOSUN_MAILBOX_FULL,
   * BOSUN_STORE_UNAVAILABLE, BOSUN_FORBIDDEN, BOSUN_EVENT_NOT_TAKEN (until `taken`), BOSUN_QUEUE_FULL,
   * BOSUN_CLIENT_CLOSED, and BOSUN_TIMEOUT or the reason of `signal`, after which it may still happen.
   */
  async send(
    event: EventIn<A>,
    { until, ifSequence, ...options }: RemoteSendOptions = {},
  ): Promise<{ readonly taken: boolean | null }> {
    const p = {
      address: this.address,
      event,
      ...(until && { until }),
      ...(ifSequence !== undefined && { until: 'taken', ifSequence }),
    };
    return (await this.#host.send({ m: 'actor.send', p }, options)) as { taken: boolean | null };
  }

  /**
   * Sends many events in order, with one promise for all. Resolves when all are durable, each exactly once. An event is
   * refused as by `send`; the others are sent all the same, and once they are durable the promise rejects with
   * BOSUN_SENDS_REFUSED, whose `details.refused` has `{ index, error }` of each refused one, in order. One that is
   * refused with BOSUN_TIMEOUT may still happen, as may all after the reason of `signal`.
   */
  sendMany(events: readonly EventIn<A>[], options: Omit<CallOptions, 'key'> = {}): Promise<void> {
    const requests = events.map((event) => ({ m: 'actor.send', p: { address: this.address, event } }));
    return this.#host.sendMany(requests, options);
  }

  /**
   * Asks, and resolves with the actor's reply. With a `key` it is asked once, however often the connection breaks;
   * without, it rejects with BOSUN_OFFLINE while offline, and with BOSUN_CONNECTION_LOST after a break. Also rejects as
   * `send`, and with BOSUN_ASK_FAILED, BOSUN_KEY_CONFLICT.
   */
  async ask<Reply = unknown>(event: EventIn<A>, options: CallOptions = {}): Promise<Reply> {
    const { reply } = (await this.#host.call(
      { m: 'actor.ask', p: { address: this.address, event }, key: options.key },
      options,
    )) as { reply: Reply };
    return reply;
  }

  /** The last known snapshot; while nobody watches it is not updated. */
  getSnapshot(): RemoteSnapshot<A> {
    return this.#mirror.snapshot;
  }

  matches(value: ValuePart<ValueIn<A>>): boolean {
    return this.getSnapshot().matches(value);
  }

  /**
   * Subscribes to snapshots from now on, or from the birth of the actor on. `error` ends it: the actor is gone, or may
   * not be seen.
   */
  subscribe(observer: MirrorWatcher<A>): RemoteSubscription;
  subscribe(
    next: (snapshot: RemoteSnapshot<A>) => void,
    error?: (error: unknown) => void,
    complete?: () => void,
  ): RemoteSubscription;
  subscribe(
    first: MirrorWatcher<A> | ((snapshot: RemoteSnapshot<A>) => void),
    error?: (error: unknown) => void,
  ): RemoteSubscription {
    return endedBy(this.#mirror.watch(observerOf(first, error)));
  }

  /**
   * Resolves with the first snapshot that fulfils the condition, including the present one. Waits for an actor that is
   * not born yet. Rejects with BOSUN_TIMEOUT, the reason of `signal`, an error thrown by the condition,
   * BOSUN_VALUE_REFUSED if the condition gives a promise, and the errors that end a subscription: BOSUN_ACTOR_UNKNOWN
   * if the actor was removed, BOSUN_FORBIDDEN, BOSUN_CLIENT_CLOSED.
   */
  waitFor(
    condition: (snapshot: KnownSnapshot<A>) => boolean,
    { timeoutMs, signal }: WaitOptions = {},
  ): Promise<KnownSnapshot<A>> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      checkTimeLimit(timeoutMs);
      let isOver = false;
      let stop: () => void = () => {};
      let unwatch: () => void = () => {};
      const finish = (settle: () => void) => {
        isOver = true;
        stop();
        unwatch();
        signal?.removeEventListener('abort', aborted);
        settle();
      };
      const aborted = () => finish(() => reject(signal!.reason as Error));
      const look = (snapshot: RemoteSnapshot<A>) => {
        // An earlier snapshot may be out of date: only snapshots of this subscription count.
        if (isOver || !snapshot.isKnown || snapshot.status === 'stopped') return;
        try {
          if (this.#due(condition(snapshot))) finish(() => resolve(snapshot));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      };
      signal?.addEventListener('abort', aborted, { once: true });
      const late = () => {
        const what = this.getSnapshot().isUnborn ? 'was not born' : 'did not meet the awaited condition';
        const message = `${this.address} ${what} within ${timeoutMs} ms`;
        finish(() => reject(new ClientError('BOSUN_TIMEOUT', message, { retryable: true })));
      };
      if (timeoutMs !== undefined) stop = this.#host.clock.setTimeout(late, timeoutMs);
      unwatch = this.#mirror.watch({
        next: look,
        error: (error) => !isOver && finish(() => reject(error as Error)),
        current: true,
      });
      if (isOver) unwatch();
    });
  }

  /** Returns what a condition has given. Throws BOSUN_VALUE_REFUSED for a promise, which would count as true. */
  #due(given: boolean): boolean {
    if (!isThenable(given)) return given;
    disown(given);
    const place = `the condition of waitFor for ${this.address}`;
    throw new ClientError('BOSUN_VALUE_REFUSED', `${place} gives a promise, and nobody waits for it here`);
  }

  /**
   * Resolves with the result of the actor: at once if it has ended, otherwise when it has. Rejects as `client.call`
   * does, with BOSUN_ACTOR_UNKNOWN if no actor lives or has ended there, or no result is kept, and with BOSUN_TIMEOUT.
   */
  async result(options: Omit<CallOptions, 'key'> = {}): Promise<RunView> {
    const request = { m: 'run.get', p: { address: this.address, wait: true }, key: undefined };
    return ((await this.#host.call(request, options)) as { readonly run: RunView }).run;
  }

  /** Resolves with the first known snapshot. Rejects as `waitFor`. */
  ready(options?: WaitOptions): Promise<KnownSnapshot<A>> {
    return this.waitFor(() => true, options);
  }

  /**
   * Events that the actor emits from now on. The iteration ends when the client is closed; it throws the error that
   * ends the subscription otherwise, and BOSUN_QUEUE_FULL if events are taken too slowly.
   */
  events(options: EmissionOptions = {}): Emissions<EmittedIn<A>> {
    return new Emissions(this.#host.topics, `actor/${this.address}`, options);
  }

  /** Subscribes to emitted events of this type (`'*'`: of any type) from now on, until the actor is gone. */
  on<Type extends EmittedIn<A>['type'] | '*'>(
    type: Type,
    handler: (event: EmittedIn<A> & (Type extends '*' ? unknown : { readonly type: Type })) => void,
  ): RemoteSubscription {
    const events = this.events();
    const tell = toldTo(handler as (event: EmittedIn<A>) => void, this.#host.topics.failed);
    const hear = async () => {
      for await (const event of events) if (type === '*' || event.type === type) tell(event);
    };
    // It ends where the actor is gone or may not be seen, which a subscription reports.
    hear().catch(() => {});
    return endedBy(() => void events.return());
  }

  /** Does nothing, like `stop`: XState's types require both methods. */
  start(): void {}
  stop(): void {}

  getPersistedSnapshot(): RemoteSnapshot<A> {
    return this.getSnapshot();
  }

  toJSON(): { readonly address: string } {
    return { address: this.address };
  }
}
