/** createClient: joins a line, its calls and its subscriptions, and hands out remote actors. */
import { CALLS_OPEN_MAX } from './bounds.ts';
import { type CallOptions, ClientCalls } from './client-calls.ts';
import { type ClientError } from './client-error.ts';
import {
  type AgentName,
  type AgentNamed,
  type AgentShape,
  type AgentsOf,
  type AnyEmitted,
  type SystemShape,
} from './contract.ts';
import { type EmissionOptions, Emissions } from './emissions.ts';
import { type ClientStorage, SessionStorage } from './session-storage.ts';
import { type ClientStatus, ClientConnection, type TokenSource } from './client-connection.ts';
import { RemoteActor, type RemoteSubscription } from './remote-actor.ts';
import type { Welcome } from '../gateway/protocol/frames.ts';
import { Replica } from './replica.ts';
import {
  type ClientClock,
  type ClientRandom,
  ownClock,
  ownRandom,
  ownSocket,
  type SocketClass,
  toldTo,
} from './platform.ts';
import { type TopicListener, SubscribedTopics } from './subscribed-topics.ts';

export interface ClientOptions {
  /** Names the client to the gateway, and its record in `storage`. Default `client`. */
  readonly name?: string;
  /** Or what gives one for each try. */
  readonly token?: TokenSource;
  /** Asked for a new token when the present one is refused or has expired; once, until the next welcome. */
  readonly onUnauthorized?: () => string | Promise<string>;
  /** Default: that of the platform. Node before 22 has none: give it that of `ws`. */
  readonly WebSocket?: SocketClass;
  /** Where session and unacknowledged sends are kept for the next page or process. Default: nowhere. */
  readonly storage?: ClientStorage;
  /** Calls that may wait for an answer. Default 1,000. */
  readonly queueMax?: number;
  readonly clock?: ClientClock;
  readonly random?: ClientRandom;
}

export interface TopicWatcher<View> {
  readonly next: (view: View) => void;
  /** What is known is what there is. */
  readonly confirmed?: () => void;
  readonly error?: (error: ClientError) => void;
}

export class Client<S = SystemShape> {
  readonly #line: ClientConnection;
  readonly #calls: ClientCalls;
  readonly #topics: SubscribedTopics;
  readonly #clock: ClientClock;
  readonly #session: SessionStorage;
  readonly #actors = new Map<string, WeakRef<RemoteActor<AgentShape>>>();
  readonly #collected = new FinalizationRegistry<string>((address) => {
    if (this.#actors.get(address)?.deref() === undefined) this.#actors.delete(address);
  });
  #failure: ClientError | undefined;

  /** Use {@link createClient}. */
  constructor(url: string, options: ClientOptions = {}) {
    const {
      name = 'client',
      token,
      onUnauthorized,
      WebSocket = ownSocket(),
      storage,
      queueMax = CALLS_OPEN_MAX,
      clock = ownClock,
      random = ownRandom,
    } = options;
    if (WebSocket === undefined)
      throw new TypeError('this platform has no WebSocket: give createClient one, such as that of `ws`');
    this.#clock = clock;
    this.#session = new SessionStorage(storage, name);
    this.#calls = this.#callsWith(clock, queueMax);
    const failure = () => this.#failure;
    this.#topics = new SubscribedTopics({
      clock,
      failure,
      isLive: () => this.#line.isLive,
      transmit: (frame) => this.#line.send(frame),
    });
    this.#calls.restore(this.#session.sends);
    this.#session.now(() => this.#calls.sends());
    this.#line = new ClientConnection({
      url: new URL(url).href,
      name,
      session: this.#session.session,
      token,
      onUnauthorized,
      WebSocket,
      clock,
      random,
      up: (welcome) => {
        this.#topics.up();
        this.#calls.up(welcome);
      },
      hear: (frame) => {
        if (frame.t === 'res') this.#calls.hear(frame);
        else if (
          frame.t === 'snap' ||
          frame.t === 'delta' ||
          frame.t === 'evt' ||
          frame.t === 'lag' ||
          frame.t === 'end'
        )
          this.#topics.hear(frame);
      },
      down: (error) => {
        this.#failure = error;
        this.#calls.down(error);
        this.#topics.down(error);
      },
    });
  }

  #callsWith(clock: ClientClock, queueMax: number): ClientCalls {
    const sends = () => this.#calls.sends();
    return new ClientCalls({
      clock,
      queueMax,
      failure: () => this.#failure,
      transmit: (frame) => this.#line.send(frame),
      cancel: (id) => this.#line.send({ t: 'cancel', id }),
      state: () => (this.#line.isLive ? 'live' : this.#line.status.get() === 'offline' ? 'offline' : 'soon'),
      changed: () => this.#session.later(sends),
      keep: () => this.#session.now(sends),
    });
  }

  /** A store: `get`, and `subscribe` for changes. */
  readonly status = {
    get: (): ClientStatus => this.#line.status.get(),
    subscribe: (changed: (status: ClientStatus) => void): RemoteSubscription => {
      const { unsubscribe } = this.#line.status.subscribe(toldTo(changed));
      return { unsubscribe, [Symbol.dispose]: unsubscribe };
    },
  };

  /** Why the client is `closed`; undefined while it is not. */
  get failure(): ClientError | undefined {
    return this.#failure;
  }

  /**
   * What the gateway said when the line came up last: who the client is to it, what it may, whom it talks to. undefined
   * before the first.
   */
  get welcome(): Welcome | undefined {
    return this.#line.welcome;
  }

  /** Sends that are not acknowledged yet. */
  get unacknowledged(): number {
    return this.#calls.sends().length;
  }

  /**
   * A remote actor, the same object for the same address. With the name of its agent it is typed by that agent;
   * without, by all of the system. Whether that agent lives there nobody checks before the gateway does.
   */
  actor(address: string): RemoteActor<AgentsOf<S>>;
  actor<Name extends AgentName<S>>(address: string, agent: Name): RemoteActor<AgentNamed<S, Name>>;
  actor(address: string): RemoteActor<AgentShape> {
    const known = this.#actors.get(address)?.deref();
    if (known !== undefined) return known;
    const host = {
      clock: this.#clock,
      topics: this.#topics,
      send: this.#calls.send.bind(this.#calls),
      call: this.#calls.call.bind(this.#calls),
    };
    const actor = new RemoteActor<AgentShape>(host, address);
    this.#actors.set(address, new WeakRef(actor));
    this.#collected.register(actor, address);
    return actor;
  }

  /**
   * Any method of the protocol but `actor.send`. With a `key` it waits for a line and is repeated over breaks; without,
   * it is sent once. Rejects with what the gateway answers, BOSUN_OFFLINE, BOSUN_CONNECTION_LOST, BOSUN_QUEUE_FULL,
   * BOSUN_CLIENT_CLOSED, BOSUN_TIMEOUT.
   */
  async call<Result = unknown>(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<Result> {
    return (await this.#calls.call({ m: method, p: params, key: options.key }, options)) as Result;
  }

  /** Events that any actor emits whose address fits the pattern: `*` is one segment, `**` any number of them. */
  events(pattern: string, options: EmissionOptions = {}): Emissions<AnyEmitted> {
    return new Emissions(this.#topics, `events/${pattern}`, options);
  }

  /**
   * Turns of the actor and of all below it from now on, once they are durable, as the topic `trace/{address}` has them.
   */
  turns<Turn = unknown>(address: string, options: EmissionOptions = {}): Emissions<Turn> {
    return new Emissions(this.#topics, `trace/${address}`, options);
  }

  /**
   * A topic of the mode `state`, such as `tree`: `next` is called with the first view and with each that differs,
   * `confirmed` where a break has missed nothing. Over breaks it goes on with the view as it is then. `error` ends it.
   */
  watch<View>(topic: string, watcher: TopicWatcher<View>): RemoteSubscription {
    const [next, confirmed, error] = [toldTo(watcher.next), toldTo(watcher.confirmed), toldTo(watcher.error)];
    const replica = new Replica<View>();
    const hear: TopicListener['hear'] = (frame) => {
      const heard = replica.hear(frame);
      if (heard === 'new') next(replica.view!);
      else if (heard === 'same') confirmed();
      return heard !== 'misfit';
    };
    const listener: TopicListener = { topic, mode: 'state', at: () => replica.at, hear, ended: error };
    this.#topics.open(listener);
    const unsubscribe = () => this.#topics.close(listener);
    return { unsubscribe, [Symbol.dispose]: unsubscribe };
  }

  /** Tries at once, where the next try would come later: for a page that is shown again, or a network that is back. */
  retry(): void {
    this.#line.retry();
  }

  /** For good. What waits rejects with BOSUN_CLIENT_CLOSED; sends that were not acknowledged stay in `storage`. */
  close(): void {
    this.#line.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Connects to a gateway, typed by a system (`createClient<typeof system>(...)`) or by agents (`createClient<typeof
 * counter>(...)`).
 * @param url `ws://host:4180` or `http://host:4180`. Throws TypeError for what is none.
 */
export function createClient<S = SystemShape>(url: string, options: ClientOptions = {}): Client<S> {
  return new Client<S>(url, options);
}
