/**
 * The gateway without a network: everything that connections and requests share, who is connected, and how all of them
 * are let go. server.ts gives it sockets.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import {
  CALLS_BURST,
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_SECOND,
  CONNECTIONS_MAX,
  CONNECTIONS_PER_CALLER_MAX,
  DRAIN_BATCH,
  DRAIN_BATCH_MS,
  DRAIN_MS,
  FRAME_BYTES_MAX,
  PING_EVERY_MS,
  RATES_MAX,
  SILENCE_MS_MAX,
  STRANGERS_MAX,
  SUBSCRIPTIONS_MAX,
} from '../../limits.ts';
import { type System } from '../../system.ts';
import { CallDesk } from '../calls/call-desk.ts';
import { type Caller, Callers, type JwtOptions, type TokenOptions } from './callers.ts';
import { type TopicFinder } from '../topics/topic-subscription.ts';
import { type Backend } from './backend.ts';
import { selectHandler, type Selectors } from '../calls/selectors.ts';
import { KeyedAnswers } from '../calls/keyed-answers.ts';
import { gatewayFamilies, metricsText } from './metrics.ts';
import { OneSystem } from './one-system.ts';
import { InspectorPage } from '../network/inspector-page.ts';
import { type ServerFrame, type Welcome, type WireError } from '../protocol/frames.ts';
import { type CloseName, PROTOCOL_MINOR, PROTOCOL_VERSION } from '../protocol/protocol.ts';
import { type Rate } from '../protocol/token-bucket.ts';
import { Rates } from './rates.ts';
import { Scheduler } from './scheduler.ts';
import { type SpreadOverWorkers } from '../workers/worker-port.ts';
import { ManyWorkers } from '../workers/many-workers.ts';
import { Counters } from './counters.ts';
import { Passes } from './passes.ts';
import { isOurs, wireError } from '../calls/wire-errors.ts';

/** What a gateway is made with, sockets aside. */
export interface HubOptions {
  /** Connections that may be open, of all callers together. Default 1,000. */
  readonly connections?: number;
  /** Of one caller. Default 20. */
  readonly connectionsPerCaller?: number;
  /** Who may call. Without these and `jwt`, whoever is on this machine. */
  readonly tokens?: readonly TokenOptions[];
  readonly jwt?: JwtOptions;
  /**
   * A token for whoever runs the system, 16 characters or more: every scope, what destroys included, and orders in the
   * name of others. Where it is the only one, callers of this machine still need none.
   */
  readonly operator?: string;
  /** Allow the methods that destroy: erase, terminate, delete, discard. Default false. */
  readonly destructive?: boolean;
  /** Calls of one connection, and of one caller over all connections. Default: 50 a second, bursts of 100. */
  readonly rate?: Rate;
  /**
   * Values that clients ask for by `actor.select`: pure functions of a context, by the agent's name and their own.
   * The page draws a plan's timetable with `schedule` of the Lead Coordinator.
   */
  readonly selectors?: Selectors;
  readonly clock?: Clock;
  /** Told of failures of the gateway itself. Default: nobody. */
  readonly log?: (...args: unknown[]) => void;
}

/** Whoever holds a connection open: a WebSocket or a stream of server-sent events. */
export interface Peer {
  /** Undefined until it is known. */
  readonly caller: Caller | undefined;
  /** Of the caller, as it is named in this hub; undefined where there is none. */
  readonly session: string | undefined;
  /** Calls that are not answered. */
  readonly inFlight: number;
  send(frame: ServerFrame): void;
  close(name: CloseName, reason?: string): void;
  /** As the death of the process does. */
  cut(): void;
}

export interface Entrance {
  readonly token?: string | undefined;
  /** In the place of a token, and where the page that shows it is from. */
  readonly pass?: { readonly pass: string; readonly origin: string | undefined } | undefined;
}

export class Hub {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly callers: Callers;
  readonly rate: Rate;
  readonly passes: Passes;
  readonly scheduler: Scheduler;
  readonly counters = new Counters();
  readonly desk: CallDesk;
  readonly page = new InspectorPage();
  readonly instance: string = randomUUID();
  readonly #rates: Rates;
  readonly #log: (...args: unknown[]) => void;
  readonly #destructive: boolean;
  readonly #peers = new Set<Peer>();
  /** Those who have not said who they are. */
  readonly #strangers = new Set<Peer>();
  /** How many of the others, by caller. */
  readonly #known = new Map<string, number>();
  readonly connectionsMax: number;
  readonly #connectionsPerCaller: number;
  /** Requests of HTTP that are not answered. */
  requests = 0;
  #errors = 0;
  #isDraining = false;

  /** Throws BOSUN_CONFIG_INVALID. */
  constructor(
    system: System | SpreadOverWorkers,
    {
      connections = CONNECTIONS_MAX,
      connectionsPerCaller = CONNECTIONS_PER_CALLER_MAX,
      tokens = [],
      jwt,
      operator,
      destructive = false,
      rate = { burst: CALLS_BURST, perSecond: CALLS_PER_SECOND },
      selectors = {},
      clock = systemClock,
      log = () => {},
    }: HubOptions,
  ) {
    this.connectionsMax = connections;
    this.#connectionsPerCaller = connectionsPerCaller;
    this.clock = clock;
    this.rate = rate;
    this.#log = log;
    this.#rates = new Rates(rate, RATES_MAX);
    this.callers = new Callers({ tokens, jwt, operator, clock });
    this.passes = new Passes(clock);
    this.scheduler = new Scheduler(clock);
    this.#destructive = destructive;
    const parts = { clock, instance: this.instance, counters: this.counters };
    this.backend = 'gateways' in system ? new ManyWorkers(system, parts) : new OneSystem(system, parts);
    const { handlers } = this.backend;
    this.desk = new CallDesk({
      handlers: { ...handlers, 'actor.select': selectHandler(selectors, handlers) },
      answers: new KeyedAnswers(),
      clock,
      destructive,
    });
  }

  get topics(): TopicFinder {
    return this.backend.topics;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** One more that is connected, or is closed at once where there are too many. */
  enter(peer: Peer): void {
    const strangers = this.#strangers.size;
    this.#peers.add(peer);
    if (peer.caller === undefined) this.#strangers.add(peer);
    else this.#countPeer(peer.caller, 1);
    this.#countOpen();
    if (this.#isDraining) peer.close('draining');
    else if (this.#peers.size > this.connectionsMax || strangers >= STRANGERS_MAX) peer.close('overloaded');
  }

  /** Who calls. Rejects with BOSUN_UNAUTHENTICATED. */
  async identify(token: string | undefined, pass: Entrance['pass']): Promise<Caller> {
    return token === undefined && pass !== undefined
      ? this.passes.redeem(pass.pass, pass.origin)
      : await this.callers.authenticate(token);
  }

  /** It is known now who a peer is. */
  met(peer: Peer): void {
    if (this.#strangers.delete(peer)) this.#countPeer(peer.caller!, 1);
  }

  /** Whether one more connection of the caller may stay. */
  admits({ id }: Caller): boolean {
    return (this.#known.get(id) ?? 0) < this.#connectionsPerCaller;
  }

  /** @returns 0, or after how many ms the caller may call again. */
  takeCall({ id }: Caller, nowMs: number): number {
    return this.#rates.take(id, nowMs);
  }

  /** What a connection is welcomed with. Another one of its session makes room for it. */
  welcome(connection: Peer, session: Welcome['session']): Welcome {
    this.met(connection);
    for (const other of connection.session === undefined ? [] : [...this.#peers]) {
      if (other !== connection && other.session === connection.session) other.close('session_taken');
    }
    const { id, scopes, addresses, isOperator = false } = connection.caller!;
    return {
      t: 'welcome',
      v: PROTOCOL_VERSION,
      minor: PROTOCOL_MINOR,
      server: { name: 'bosun', instance: this.instance },
      session,
      nowMs: this.backend.nowMs,
      heartbeat: { everyMs: PING_EVERY_MS, timeoutMs: SILENCE_MS_MAX - PING_EVERY_MS },
      limits: {
        frameBytes: FRAME_BYTES_MAX,
        inFlight: CALLS_IN_FLIGHT_MAX,
        subscriptions: SUBSCRIPTIONS_MAX,
        perSecond: this.rate.perSecond,
        burst: this.rate.burst,
      },
      principal: {
        id,
        scopes: [...scopes],
        addresses: [...addresses],
        mayDestroy: scopes.has('actor:admin') && (this.#destructive || isOperator),
      },
    };
  }

  left(peer: Peer): void {
    if (!this.#peers.delete(peer)) return;
    if (!this.#strangers.delete(peer) && peer.caller !== undefined) this.#countPeer(peer.caller, -1);
    this.#countOpen();
  }

  /** An error as its client is told of it. What says nothing to the client is logged under a reference that it gets. */
  told(error: unknown): WireError {
    const reference = `${this.instance.slice(0, 8)}-${++this.#errors}`;
    if (isOurs(error)) this.#log(`the gateway failed (${reference}): ${messageOf(error)}`, error);
    return wireError(error, () => reference);
  }

  /** An error that a client is told of. */
  count(error: unknown): void {
    this.counters.add(`refused.${isBosunError(error) ? error.code : 'BOSUN_INTERNAL'}`);
  }

  /** An error that is counted as refused, as its client is told of it. */
  counted(error: unknown): WireError {
    this.count(error);
    return this.told(error);
  }

  /** Whether whoever comes now is served. */
  async isReady(): Promise<boolean> {
    return !this.#isDraining && (await this.backend.isReady());
  }

  /** `/metrics`. Rejects with BOSUN_SYSTEM_CLOSED. */
  async metrics(): Promise<string> {
    return metricsText([...(await this.backend.families()), ...gatewayFamilies(this.counters)]);
  }

  /**
   * Takes no further calls, lets those under way end within `graceMs`, then closes connections in batches. Resolves
   * when none is left.
   */
  async drain(graceMs: number = DRAIN_MS): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const note = {
      t: 'note',
      code: 'draining',
      inMs: graceMs,
      reconnectInMs: [DRAIN_BATCH_MS, graceMs + DRAIN_BATCH_MS],
    } as const;
    for (const connection of this.#peers) connection.send({ ...note, reconnectInMs: [...note.reconnectInMs] });
    const untilMs = this.clock.monotonicMs() + graceMs;
    while (
      (this.requests > 0 || [...this.#peers].some(({ inFlight }) => inFlight > 0)) &&
      this.clock.monotonicMs() < untilMs
    )
      await this.#pass(Math.min(DRAIN_BATCH_MS, graceMs));
    for (let batch = this.#batch(); batch.length > 0; batch = this.#batch()) {
      for (const connection of batch) connection.close('draining');
      await this.#pass(DRAIN_BATCH_MS);
      // Whoever does not answer the close is cut.
      for (const connection of batch) connection.cut();
    }
    this.backend.stop();
  }

  /** As the death of the process does. */
  abandon(): void {
    this.#isDraining = true;
    this.backend.stop();
    for (const connection of [...this.#peers]) connection.cut();
  }

  #batch(): Peer[] {
    return [...this.#peers].slice(0, DRAIN_BATCH);
  }

  #countPeer({ id }: Caller, by: number): void {
    const count = (this.#known.get(id) ?? 0) + by;
    if (count === 0) this.#known.delete(id);
    else this.#known.set(id, count);
  }

  #countOpen(): void {
    this.counters.add('connections.open', this.#peers.size - this.counters.get('connections.open'));
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimeout(resolve, ms));
  }
}
