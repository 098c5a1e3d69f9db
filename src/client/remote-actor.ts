/**
 * One remote actor, to whoever uses it: send, ask, watch, wait. It looks enough like an actor of XState for `waitFor`
 * and for `useSelector` of @xstate/react; it is subscribed while somebody watches.
 */
import { type CallOptions, type ClientRequest } from './client-calls.ts';
import { ClientError } from './client-error.ts';
import { type AgentShape, type EmittedIn, type EventIn, type ValueIn, type ValuePart } from './contract.ts';
import { type EmissionOptions, Emissions } from './emissions.ts';
import { Mirror, type MirrorWatcher } from './mirror.ts';
import { type KnownSnapshot, type RemoteSnapshot } from './remote-snapshot.ts';
import { type ClientClock } from './platform.ts';
import { type SubscribedTopics } from './subscribed-topics.ts';

export interface RemoteSendOptions extends Omit<CallOptions, 'key'> {
  /**
   * `durable`, the default: until the event is on disk. `taken`: until its turn is; BOSUN_EVENT_NOT_TAKEN where the
   * state does nothing with it.
   */
  readonly until?: 'durable' | 'taken';
  /**
   * `sequence` of the snapshot that was seen: BOSUN_ACTOR_CHANGED where the actor is at another one when the event's
   * turn comes. Makes it `taken`.
   */
  readonly ifSequence?: number;
}

export interface WaitOptions {
  /** Default: for ever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RemoteSubscription {
  unsubscribe(): void;
  [Symbol.dispose](): void;
}

export interface RemoteActorHost {
  readonly clock: ClientClock;
  readonly topics: SubscribedTopics;
  send(request: ClientRequest, options: CallOptions): Promise<unknown>;
  call(request: ClientRequest, options: CallOptions): Promise<unknown>;
}

export class RemoteActor<A = AgentShape> {
  readonly address: string;
  /** These for XState, whose types ask for them; of those that are `never` there is nothing. */
  readonly id: string;
  readonly sessionId: string;
  readonly src = 'bosun';
  declare readonly system: never;
  declare readonly on: never;
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
   * Sends an event. Resolves when it is durable, having happened exactly once, however often the line broke meanwhile;
   * while there is none it waits. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_EVENT_REFUSED, BOSUN_EVENT_INVALID,
   * BOSUN_MAILBOX_FULL, BOSUN_STORE_UNAVAILABLE, BOSUN_FORBIDDEN, BOSUN_EVENT_NOT_TAKEN (until `taken`),
   * BOSUN_QUEUE_FULL, BOSUN_CLIENT_CLOSED, and BOSUN_TIMEOUT or the reason of `signal`, after which it may still
   * happen.
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
   * Asks, and resolves with the reply of the actor. With a `key` it is asked once, however often the line breaks;
   * without, it rejects with BOSUN_OFFLINE where there is no line, and BOSUN_CONNECTION_LOST where that breaks. Rejects
   * besides as `send`, and with BOSUN_ASK_FAILED, BOSUN_KEY_CONFLICT.
   */
  async ask<Reply = unknown>(event: EventIn<A>, options: CallOptions = {}): Promise<Reply> {
    const { reply } = (await this.#host.call(
      { m: 'actor.ask', p: { address: this.address, event }, key: options.key },
      options,
    )) as { reply: Reply };
    return reply;
  }

  /** What is known now; kept while nobody watches, and no newer then than when somebody last did. */
  getSnapshot(): RemoteSnapshot<A> {
    return this.#mirror.snapshot;
  }

  matches(value: ValuePart<ValueIn<A>>): boolean {
    return this.getSnapshot().matches(value);
  }

  /** Called with each snapshot from now on. `error` ends it: nobody lives there any more, or it may not be seen. */
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
    const unsubscribe = this.#mirror.watch(
      typeof first === 'function'
        ? { next: first, error }
        : { next: (snapshot) => first.next?.(snapshot), error: (why) => first.error?.(why) },
    );
    return { unsubscribe, [Symbol.dispose]: unsubscribe };
  }

  /**
   * Resolves with the first snapshot that fulfils the condition, the present one included. Rejects with BOSUN_TIMEOUT,
   * the reason of `signal`, what the condition throws, and what ends a subscription: BOSUN_ACTOR_UNKNOWN,
   * BOSUN_FORBIDDEN, BOSUN_CLIENT_CLOSED.
   */
  waitFor(
    condition: (snapshot: KnownSnapshot<A>) => boolean,
    { timeoutMs, signal }: WaitOptions = {},
  ): Promise<KnownSnapshot<A>> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
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
        // What was seen before may be long gone: only what comes by this subscription counts.
        if (isOver || !snapshot.isKnown || snapshot.status === 'stopped') return;
        try {
          if (condition(snapshot)) finish(() => resolve(snapshot));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      };
      signal?.addEventListener('abort', aborted, { once: true });
      const late = () =>
        finish(() =>
          reject(
            new ClientError('BOSUN_TIMEOUT', `${this.address} was not as waited for within ${timeoutMs} ms`, {
              retryable: true,
            }),
          ),
        );
      if (timeoutMs !== undefined) stop = this.#host.clock.setTimeout(late, timeoutMs);
      unwatch = this.#mirror.watch({
        next: look,
        error: (error) => !isOver && finish(() => reject(error as Error)),
        current: true,
      });
      if (isOver) unwatch();
    });
  }

  /** Resolves with the first snapshot that is known. Rejects as `waitFor`. */
  ready(options?: WaitOptions): Promise<KnownSnapshot<A>> {
    return this.waitFor(() => true, options);
  }

  /**
   * Events that the actor emits from now on. The iteration throws what ends a subscription, and BOSUN_QUEUE_FULL where
   * they are not taken.
   */
  events(options: EmissionOptions = {}): Emissions<EmittedIn<A>> {
    return new Emissions(this.#host.topics, `actor/${this.address}`, options);
  }

  /** For XState's types; a remote actor runs where it runs. */
  start(): void {}
  stop(): void {}

  getPersistedSnapshot(): RemoteSnapshot<A> {
    return this.getSnapshot();
  }

  toJSON(): { readonly address: string } {
    return { address: this.address };
  }
}
