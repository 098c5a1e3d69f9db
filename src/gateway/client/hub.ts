/**
 * The gateway without a network: the state that connections and requests share, the list of connections, and draining.
 * server.ts gives it sockets.
 */
import { randomUUID } from 'node:crypto';
import { type Procedures } from '../../actors/api/procedure.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import { FairShares } from '../../fair-shares.ts';
import { CALLS_BURST, CALLS_PER_SECOND } from '../../limits.ts';
import {
  CALLS_IN_FLIGHT_MAX,
  CONNECTIONS_MAX,
  CONNECTIONS_PER_CALLER_MAX,
  DRAIN_BATCH,
  DRAIN_BATCH_MS,
  DRAIN_MS,
  FRAME_BYTES_MAX,
  LISTING_HZ,
  PING_EVERY_MS,
  RATES_MAX,
  SILENCE_MS_MAX,
  STRANGERS_MAX,
  SUBSCRIPTIONS_MAX,
} from '../limits.ts';
import { harmless } from '../../log.ts';
import { CallDesk } from '../calls/call-desk.ts';
import { hostFailed } from '../calls/host-code.ts';
import { frontHandlers } from '../calls/front-handlers.ts';
import { WindowTopics } from '../calls/window-topics.ts';
import { CallsUnderWay } from '../calls/calls-under-way.ts';
import { MethodTable } from '../calls/method-table.ts';
import { type Caller, Callers, type JwtOptions, type TokenOptions } from '../callers/callers.ts';
import { type TopicFinder } from '../topics/topic-subscription.ts';
import { type Backend } from '../calls/backend.ts';
import { type Selectors } from '../calls/call-parts.ts';
import { KeyedAnswers } from '../calls/keyed-answers.ts';
import { gatewayFamilies, metricsText } from '../health/metrics.ts';
import { OneSystem } from '../calls/one-system.ts';
import { type ServerFrame, type Welcome, type WireError } from '../protocol/frames.ts';
import { type CloseName, PROTOCOL_MINOR, PROTOCOL_VERSION } from '../protocol/protocol.ts';
import { type Rate } from '../protocol/token-bucket.ts';
import { AllLooks, type Looks } from '../callers/looks.ts';
import { Rates } from '../callers/rates.ts';
import { type McpRate, ToolRates } from '../callers/tool-rates.ts';
import { Scheduler } from '../topics/scheduler.ts';
import { type Served } from '../workers/worker-port.ts';
import { ManyWorkers } from '../workers/many-workers.ts';
import { Counters } from '../health/counters.ts';
import { Passes } from '../callers/passes.ts';
import { isOurs, rateLimited, wireError } from '../callers/wire-errors.ts';

/** Options of a gateway, except those of its sockets. */
export interface HubOptions {
  /** Open connections, of all callers together. Default 1,000. */
  readonly connections?: number;
  /** Open connections of one caller. Default 20. */
  readonly connectionsPerCaller?: number;
  /** Tokens of callers. Without `tokens` and `jwt`, every program on this machine may call. */
  readonly tokens?: readonly TokenOptions[];
  readonly jwt?: JwtOptions;
  /**
   * A key of 32 bytes or more: JSON Web Tokens that it has signed (HS256, audience `bosun:grant`) are accepted beside
   * `tokens` and `jwt`, and others must authenticate no more than without it. They need the claims `exp`, `sub`,
   * `bosun_methods`, the only methods and procedures that the holder may call, `bosun_addresses`, the patterns of the
   * addresses that it may reach, and `bosun_claims`, an object of texts that procedures are given. Default: none.
   */
  readonly grantKey?: Uint8Array;
  /**
   * The operator's token, 16 characters or more: all scopes, destructive methods, and orders in other people's names.
   * If it is the only token, callers on this machine still need none.
   */
  readonly operator?: string;
  /** Whether to allow the destructive methods: erase, terminate, delete, discard. Default false. */
  readonly destructive?: boolean;
  /**
   * Rate of the calls of one connection, and of one caller over all connections. Default: 50 a second, bursts of 100.
   */
  readonly rate?: Rate;
  /**
   * Rates of tools' calls, at `/mcp` and by `bosun mcp`. Default: 10 a second and 100 a minute of one agent, 500 a
   * minute of all.
   */
  readonly mcpRate?: McpRate;
  /**
   * Values that clients request with `actor.select`: pure functions of a context, by agent name and selector name. The
   * page draws a plan's timetable with `schedule` of the Lead Coordinator.
   */
  readonly selectors?: Selectors;
  /** Procedures of the host by name, such as `shop.stock`. Callers find them beside the methods on every transport. */
  readonly procedures?: Procedures;
  readonly clock?: Clock;
  /** Receives failures of the gateway itself. Default: none. */
  readonly log?: (...args: unknown[]) => void;
}

/** The holder of an open connection: a WebSocket or a stream of server-sent events. */
export interface Peer {
  /** The authenticated caller; undefined until then. */
  readonly caller: Caller | undefined;
  /** The caller's session, by its name in this hub; undefined if there is none. */
  readonly session: string | undefined;
  /** Number of unanswered calls. */
  readonly inFlight: number;
  send(frame: ServerFrame): void;
  close(name: CloseName, reason?: string): void;
  /** Cuts the connection without a close, as the death of the process does. */
  cut(): void;
}

/** The credentials of a client that connects. */
export interface Entrance {
  readonly token?: string | undefined;
  /** A pass in place of a token, and the origin of the page that shows it. */
  readonly pass?: { readonly pass: string; readonly origin: string | undefined } | undefined;
  /** The client's network address. Unauthenticated clients of one address share a limited number of connections. */
  readonly from?: string;
}

export class Hub {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly callers: Callers;
  readonly rate: Rate;
  readonly passes: Passes;
  readonly scheduler: Scheduler;
  readonly counters = new Counters();
  readonly underWay = new CallsUnderWay();
  readonly methods: MethodTable;
  readonly desk: CallDesk;
  readonly topics: TopicFinder;
  readonly instance: string = randomUUID();
  readonly #rates: Rates;
  readonly #toolRates: ToolRates;
  readonly #looks: AllLooks;
  readonly #log: (...args: unknown[]) => void;
  readonly #destructive: boolean;
  readonly #peers = new Set<Peer>();
  /** Unauthenticated peers by network address. */
  readonly #strangers = new FairShares<Peer>();
  /** Number of authenticated peers by caller. */
  readonly #known = new Map<string, number>();
  readonly #connectionsMax: number;
  readonly #connectionsPerCaller: number;
  /** Number of unanswered HTTP requests. */
  requests = 0;
  #errors = 0;
  #isDraining = false;

  /** Makes a hub. Throws BOSUN_CONFIG_INVALID. */
  constructor(
    { inside }: Served,
    {
      connections = CONNECTIONS_MAX,
      connectionsPerCaller = CONNECTIONS_PER_CALLER_MAX,
      tokens = [],
      jwt,
      grantKey,
      operator,
      destructive = false,
      rate = { burst: CALLS_BURST, perSecond: CALLS_PER_SECOND },
      mcpRate = {},
      selectors = {},
      procedures = {},
      clock = systemClock,
      log = () => {},
    }: HubOptions,
  ) {
    this.#connectionsMax = connections;
    this.#connectionsPerCaller = connectionsPerCaller;
    this.clock = clock;
    this.rate = rate;
    this.#log = harmless(log);
    this.#rates = new Rates(rate, RATES_MAX);
    this.#toolRates = new ToolRates(mcpRate, RATES_MAX);
    this.#looks = new AllLooks(clock);
    this.callers = new Callers({
      tokens,
      jwt,
      grantKey,
      operator,
      clock,
      keyFailed: (thrown) => this.told(hostFailed('jwt.key', thrown)),
    });
    this.passes = new Passes(clock);
    this.scheduler = new Scheduler(clock);
    this.#destructive = destructive;
    const parts = { clock, instance: this.instance, counters: this.counters };
    this.backend = 'gateways' in inside ? new ManyWorkers(inside, parts) : new OneSystem(inside, parts);
    this.methods = new MethodTable(procedures);
    const { backend, methods } = this;
    const handlers = frontHandlers(methods.rows, {
      backend: backend.handlers,
      nowMs: () => backend.nowMs,
      selectors,
      underWay: this.underWay,
      takeCall: (caller) => this.takeCall(caller, clock.monotonicMs()),
    });
    this.topics = new WindowTopics({ backend, methods, handlers, clock });
    this.desk = new CallDesk({
      methods,
      handlers,
      charge: ({ id }, calls) => this.#rates.charge(id, calls, clock.monotonicMs()),
      answers: new KeyedAnswers(),
      underWay: this.underWay,
      looks: this.#looks,
      clock,
      destructive,
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Adds a connection. If there are too many, one is closed: the oldest unauthenticated connection of the address that
   * has the most of them, or, if all are authenticated, the new one.
   */
  enter(peer: Peer, from = ''): void {
    this.#peers.add(peer);
    if (peer.caller === undefined) this.#strangers.enter(peer, from);
    else this.#countPeer(peer.caller, 1);
    this.#countOpen();
    if (this.#isDraining) return peer.close('draining');
    if (this.#peers.size <= this.#connectionsMax && this.#strangers.size <= STRANGERS_MAX) return;
    const { value: leaving = peer } = this.#strangers.firstToGo().next();
    // Its place is free at once, however long the close takes.
    this.left(leaving);
    leaving.close('overloaded');
  }

  /** Authenticates by token or pass. Rejects with BOSUN_UNAUTHENTICATED. */
  async identify(token: string | undefined, pass: Entrance['pass']): Promise<Caller> {
    return token === undefined && pass !== undefined
      ? this.passes.redeem(pass.pass, pass.origin)
      : await this.callers.authenticate(token);
  }

  /** Records that a peer has authenticated. */
  met(peer: Peer): void {
    if (this.#strangers.leave(peer)) this.#countPeer(peer.caller!, 1);
  }

  /** Whether the caller may have one more connection. */
  admits({ id }: Caller): boolean {
    return (this.#known.get(id) ?? 0) < this.#connectionsPerCaller;
  }

  /**
   * Takes a call from the caller's rate.
   *
   * @returns 0, or the ms after which the caller may call again.
   */
  takeCall({ id }: Caller, nowMs: number): number {
    return this.#rates.take(id, nowMs);
  }

  /** Takes a call of a tool from the rates of tools. Throws BOSUN_RATE_LIMITED. */
  takeToolCall({ id }: Caller): void {
    const retryAfterMs = this.#toolRates.take(id, this.clock.monotonicMs());
    if (retryAfterMs > 0) throw rateLimited(`too many calls: ${this.#toolRates.bounds}`, retryAfterMs);
  }

  /** The caller's budget of rows to read. */
  looksOf(caller: Caller): Looks {
    return this.#looks.of(caller);
  }

  /** Welcomes a connection. An older connection of its session is closed. */
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
    if (!this.#strangers.leave(peer) && peer.caller !== undefined) this.#countPeer(peer.caller, -1);
    this.#countOpen();
  }

  /**
   * An error as its client sees it. An internal error, and one of what the host has given, is logged under a reference
   * that the client gets.
   */
  told(error: unknown): WireError {
    const reference = `${this.instance.slice(0, 8)}-${++this.#errors}`;
    if (isOurs(error)) this.#log(`the gateway failed (${reference}): ${messageOf(error)}`, error);
    else if (isBosunError(error, 'BOSUN_HOST_FAILED'))
      this.#log(`${error.message} (${reference}): ${messageOf(error.cause)}`, error);
    return wireError(error, () => reference);
  }

  /** Counts an error as a refusal. */
  count(error: unknown): void {
    this.counters.add(`refused.${isBosunError(error) ? error.code : 'BOSUN_INTERNAL'}`);
  }

  /** Counts an error as a refusal, and returns it as its client sees it. */
  counted(error: unknown): WireError {
    this.count(error);
    return this.told(error);
  }

  /** Whether new clients are served. */
  async isReady(): Promise<boolean> {
    return !this.#isDraining && (await this.backend.isReady());
  }

  /** The text of `/metrics`. Rejects with BOSUN_SYSTEM_CLOSED. */
  async metrics(): Promise<string> {
    return metricsText([...(await this.backend.families()), ...gatewayFamilies(this.counters)]);
  }

  /**
   * Accepts no further calls, lets those under way end within `graceMs`, has clients see the last changes, then closes
   * connections in batches. Resolves when none is left.
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
    const nowMs = this.clock.monotonicMs();
    const untilMs = nowMs + graceMs;
    // What has changed just now may be on its way to a view that is read a few times a second.
    const shownMs = nowMs + 1_000 / LISTING_HZ;
    const isWaiting = () =>
      this.requests > 0 ||
      [...this.#peers].some(({ inFlight }) => inFlight > 0) ||
      (this.#peers.size > 0 && this.clock.monotonicMs() <= shownMs);
    while (isWaiting() && this.clock.monotonicMs() < untilMs) await this.#pass(Math.min(DRAIN_BATCH_MS, graceMs));
    for (let batch = this.#batch(); batch.length > 0; batch = this.#batch()) {
      for (const connection of batch) connection.close('draining');
      await this.#pass(DRAIN_BATCH_MS);
      // Cut connections whose clients do not answer the close.
      for (const connection of batch) connection.cut();
    }
    this.backend.stop();
  }

  /** Ends without closing connections, as the death of the process does. */
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
