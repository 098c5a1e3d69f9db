/** createClient: combines a connection, its calls and its subscriptions, and returns remote actors. */
import { CALLS_OPEN_MAX, SENDS_KEPT_MAX } from './bounds.ts';
import { type CallOptions, ClientCalls } from './client-calls.ts';
import { type ClientError } from './client-error.ts';
import { checkClientOptions, clientInvalid } from './client-rules.ts';
import { ClientRecords } from './client-records.ts';
import {
  type AgentName,
  type AgentNamed,
  type AgentShape,
  type AgentsOf,
  type AnyEmitted,
  type EventIn,
  type OfferedProcedures,
  type SystemShape,
  type WindowName,
} from './contract.ts';
import { type EmissionOptions, Emissions } from './emissions.ts';
import { type ClientStorage, SessionStorage } from './session-storage.ts';
import { type ClientStatus, ClientConnection, type TokenSource } from './client-connection.ts';
import { endedBy, type RemoteSubscription, type TopicWatcher } from './observers.ts';
import { RemoteActor } from './remote-actor.ts';
import { RemoteWindow, windowTopic } from './remote-window.ts';
import type { ServerFrame, Welcome } from '../gateway/protocol/frames.ts';
import type { RunPageView, RunsOptions } from '../gateway/protocol/run-view.ts';
import { messageOf } from '../errors.ts';
import { harmless } from '../log.ts';
import { Replica } from './replica.ts';
import {
  type ClientClock,
  type ClientRandom,
  type Failed,
  ownClock,
  ownLog,
  ownRandom,
  ownSocket,
  type SocketClass,
  toldTo,
} from './platform.ts';
import { type TopicListener, SubscribedTopics } from './subscribed-topics.ts';
import { Turns } from './turns.ts';

/** Options of `createClient`. */
export interface ClientOptions {
  /** Name of the client at the gateway, and of its record in `storage`. Default `client`. */
  readonly name?: string;
  /** A token, or a function that returns one for each attempt. */
  readonly token?: TokenSource;
  /**
   * Called for a new token when the present one is refused or has expired; until it has given one, and then not before
   * the next welcome.
   */
  readonly onUnauthorized?: () => string | Promise<string>;
  /** The WebSocket class. Default: the platform's. Node before 22 has none: pass the one of `ws`. */
  readonly WebSocket?: SocketClass;
  /** The storage for session and unacknowledged sends, read by the next page or process. Default: none. */
  readonly storage?: ClientStorage;
  /** Most unanswered calls. Default 1,000. */
  readonly queueMax?: number;
  /**
   * Receives what functions of the user throw or reject with: observers, `token`, `storage`, and the rest. Default: the
   * console of the platform.
   */
  readonly log?: (...args: unknown[]) => void;
  readonly clock?: ClientClock;
  readonly random?: ClientRandom;
}

/** The procedures of a host as functions of a client. */
export type RemoteProcedures<Offered extends OfferedProcedures> = {
  readonly [Name in keyof Offered]: (
    params: Offered[Name]['params']['_zod']['input'],
    options?: CallOptions,
  ) => Promise<Offered[Name]['result']['_zod']['output']>;
};

/** A client of a gateway that reconnects by itself after a break, as made by `createClient`. */
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
  /** The records of actors. */
  readonly records: ClientRecords;
  #failure: ClientError | undefined;
  readonly #failed: Failed;

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
      log = ownLog,
    } = options;
    if (WebSocket === undefined)
      throw clientInvalid('this platform has no WebSocket: give it one, such as that of `ws`');
    this.#clock = clock;
    const say = harmless(log);
    this.#failed = (thrown) => say(`an observer of the client failed: ${messageOf(thrown)}`, thrown);
    this.#session = new SessionStorage(storage, name, say, Math.max(queueMax, SENDS_KEPT_MAX));
    const turns = new Turns(clock, () => this.#line.isLive);
    this.#calls = this.#callsWith(clock, turns, queueMax);
    const failure = () => this.#failure;
    this.#topics = new SubscribedTopics({
      clock,
      turns,
      failure,
      failed: this.#failed,
      transmit: (frame) => this.#line.send(frame),
    });
    this.records = new ClientRecords(this.#topics, (method, params, how) => this.call(method, params, how));
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
      failed: (thrown) => say(`the client cannot connect: ${messageOf(thrown)}`, thrown),
      up: (welcome) => {
        this.#calls.up(welcome);
        this.#topics.up(welcome);
        turns.up(welcome.limits);
      },
      ponged: () => turns.charge(),
      hear: (frame) => this.#hear(frame),
      down: (error) => {
        this.#failure = error;
        turns.down();
        this.#calls.down(error);
        this.#topics.down(error);
      },
    });
  }

  #hear(frame: ServerFrame): void {
    if (frame.t === 'res') this.#calls.hear(frame);
    else if (frame.t === 'ack') this.#calls.acknowledged(frame.seq);
    else if (frame.t === 'snap' || frame.t === 'delta' || frame.t === 'evt' || frame.t === 'lag' || frame.t === 'end')
      this.#topics.hear(frame);
  }

  #callsWith(clock: ClientClock, turns: Turns, queueMax: number): ClientCalls {
    const sends = () => this.#calls.sends();
    return new ClientCalls({
      clock,
      turns,
      queueMax,
      failure: () => this.#failure,
      transmit: (frame) => this.#line.send(frame),
      cancel: (id) => this.#line.send({ t: 'cancel', id }),
      isOffline: () => this.#line.status.get() === 'offline',
      changed: () => this.#session.later(sends),
      keep: () => this.#session.now(sends),
    });
  }

  /** The connection's state as a store: `get`, and `subscribe` for changes. */
  readonly status = {
    get: (): ClientStatus => this.#line.status.get(),
    subscribe: (changed: (status: ClientStatus) => void): RemoteSubscription => {
      const { unsubscribe } = this.#line.status.subscribe(toldTo(changed, this.#failed));
      return endedBy(unsubscribe);
    },
  };

  /** The reason why the client is `closed`; undefined while it is not. */
  get failure(): ClientError | undefined {
    return this.#failure;
  }

  /**
   * The `welcome` of the latest connection: caller, rights, and the gateway's instance and limits. undefined before the
   * first.
   */
  get welcome(): Welcome | undefined {
    return this.#line.welcome;
  }

  /** Number of unacknowledged sends. */
  get unacknowledged(): number {
    return this.#calls.sends().length;
  }

  /**
   * A remote actor, the same object for the same address. With the name of its agent it is typed by that agent;
   * without, by all agents of the system. The client does not check that this agent lives there.
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
      sendMany: this.#calls.sendMany.bind(this.#calls),
      call: this.#calls.call.bind(this.#calls),
    };
    const actor = new RemoteActor<AgentShape>(host, address);
    this.#actors.set(address, new WeakRef(actor));
    this.#collected.register(actor, address);
    return actor;
  }

  /**
   * Sends many events in order, each to its receiver, as `sendMany` of a remote actor does. The events are typed by all
   * agents of the system.
   */
  sendMany(
    requests: readonly { readonly to: string; readonly event: EventIn<AgentsOf<S>> }[],
    options: Omit<CallOptions, 'key'> = {},
  ): Promise<void> {
    const sends = requests.map(({ to, event }) => ({ m: 'actor.send', p: { address: to, event } }));
    return this.#calls.sendMany(sends, options);
  }

  /**
   * Calls any method of the protocol but `actor.send`. With a `key` it waits while offline and is repeated over breaks;
   * without, it is sent once. Rejects with the gateway's error, BOSUN_OFFLINE, BOSUN_CONNECTION_LOST, BOSUN_QUEUE_FULL,
   * BOSUN_CLIENT_CLOSED, BOSUN_TIMEOUT.
   */
  async call<Result = unknown>(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<Result> {
    return (await this.#calls.call({ m: method, p: params, key: options.key }, options)) as Result;
  }

  /**
   * Procedures of the host, typed by its exports: `client.procedures<typeof procedures>()['shop.stock'](params)`. Each
   * rejects as `call` does.
   */
  procedures<Offered extends OfferedProcedures>(): RemoteProcedures<Offered> {
    const call = (name: string) => (params: Readonly<Record<string, unknown>>, options?: CallOptions) =>
      this.call(name, params, options);
    // Names have a dot; anything else, such as `then`, is asked by the language and not by the user.
    return new Proxy({} as RemoteProcedures<Offered>, {
      get: (_, name) => (typeof name === 'string' && name.includes('.') ? call(name) : undefined),
    });
  }

  /**
   * A live view of the answer of a procedure with a window, typed by the exports of its host:
   * `client.window<typeof procedures, 'gates.open'>('gates.open', { limit: 20 })`. `rowsInOrder` gives the rows of a
   * page in their order.
   */
  window<Offered extends OfferedProcedures, Name extends WindowName<Offered>>(
    name: Name,
    params: Offered[Name]['params']['_zod']['input'],
  ): RemoteWindow<Offered[Name]['result']['_zod']['output']> {
    const topic = windowTopic(name, params as Readonly<Record<string, unknown>>);
    return new RemoteWindow((watcher) => this.watch(topic, watcher));
  }

  /**
   * A page of the actors that have ended and whose results are kept, the newest end first by default. Only for callers
   * who may reach every address. Rejects as `call` does.
   */
  runs(which: RunsOptions = {}, options: Omit<CallOptions, 'key'> = {}): Promise<RunPageView> {
    return this.call<RunPageView>('run.list', { ...which }, options);
  }

  /** Events emitted by any actor whose address matches the pattern: `*` is one segment, `**` any number of them. */
  events(pattern: string, options: EmissionOptions = {}): Emissions<AnyEmitted> {
    return new Emissions(this.#topics, `events/${pattern}`, options);
  }

  /**
   * Turns of the actor and of all actors below it from now on, once they are durable, as in the topic
   * `trace/{address}`.
   */
  turns<Turn = unknown>(address: string, options: EmissionOptions = {}): Emissions<Turn> {
    return new Emissions(this.#topics, `trace/${address}`, options);
  }

  /**
   * Watches a topic of the mode `state`, such as `tree`. `next` is called with the first view and with each changed
   * one, `confirmed` if a break has missed nothing. After a break it continues with the present view. `error` ends it.
   */
  watch<View>(topic: string, watcher: TopicWatcher<View>): RemoteSubscription {
    const told = <Args extends unknown[]>(call: ((...args: Args) => void) | undefined) => toldTo(call, this.#failed);
    const [next, confirmed, error] = [told(watcher.next), told(watcher.confirmed), told(watcher.error)];
    const replica = new Replica<View>();
    const hear: TopicListener['hear'] = (frame) => {
      const heard = replica.hear(frame);
      if (heard === 'new') next(replica.view!);
      else if (heard === 'same') confirmed();
      return heard !== 'misfit';
    };
    const listener: TopicListener = { topic, mode: 'state', at: () => replica.at, hear, ended: error };
    this.#topics.open(listener);
    return endedBy(() => this.#topics.close(listener));
  }

  /**
   * Attempts to connect at once if the next attempt is scheduled for later: for a page that is shown again, or a
   * network that is back.
   */
  retry(): void {
    this.#line.retry();
  }

  /**
   * Closes for good. Open calls reject with BOSUN_CLIENT_CLOSED, iterations of events end; unacknowledged sends stay in
   * `storage`.
   */
  close(): void {
    this.#line.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Connects to a gateway. Typed by a system (`createClient<typeof system>(...)`) or by agents (`createClient<typeof
 * counter>(...)`).
 * @param url `ws://host:4180`, `http://host:4180`, or with a path `https://host/bosun`. Throws BOSUN_CONFIG_INVALID for
 * any other URL, and for unknown or wrong options.
 */
export function createClient<S = SystemShape>(url: string, options: ClientOptions = {}): Client<S> {
  checkClientOptions(url, options);
  return new Client<S>(url, options);
}
