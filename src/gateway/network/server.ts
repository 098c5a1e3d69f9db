/**
 * The gateway: WebSocket and HTTP on one port in front of a running system. It decides which connections and requests
 * are admitted; rights are checked behind it. The only file that knows sockets.
 */
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { BosunError, isBosunError } from '../../errors.ts';
import { harmless } from '../../log.ts';
import {
  CONNECTS_BURST,
  CONNECTS_PER_SECOND,
  FRAME_BYTES_MAX,
  FRAME_CHUNKS_MAX,
  FRAME_FRAGMENTS_MAX,
  OUT_BYTES_HIGH,
  RATES_MAX,
} from '../limits.ts';
import { type Caller, newToken } from '../callers/callers.ts';
import { Announcement } from './announcement.ts';
import { Connection } from '../client/connection.ts';
import { shareWith } from './cross-origin.ts';
import { type OriginRules, guestOf, isLoopback, refusalOf } from './origin-rules.ts';
import { checkGatewayOptions } from './gateway-rules.ts';
import { bearerIn, handle, refused } from './http.ts';
import { networkOf, urlOf } from './network-address.ts';
import { HostServer } from './host-server.ts';
import { InspectorPage } from './inspector-page.ts';
import { OpenSockets } from './open-sockets.ts';
import { listenOn, ownServer } from './own-server.ts';
import { type Entrance, Hub, type HubOptions } from '../client/hub.ts';
import { type ClientWire } from '../client/send-buffer.ts';
import { CLOSES, DEFAULT_HOST, DEFAULT_PATH, DEFAULT_PORT, SOCKET_PATH, SUBPROTOCOL } from '../protocol/protocol.ts';
import { type Rate } from '../protocol/token-bucket.ts';
import { Rates } from '../callers/rates.ts';
import { FrameBytes, wireOf } from './socket-wire.ts';
import { chosen, offeredIn, queryOf } from './upgrade-request.ts';
import { type Served } from '../workers/worker-port.ts';
import { STATELY_PATH } from '../stately/stately-events.ts';
import { StatelyPeer } from '../stately/stately-peer.ts';

/** Options of `createGateway`. */
export interface GatewayOptions extends HubOptions {
  /** Port to listen on. Default 4180; 0 takes a free one. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1; any other needs `tokens` or `jwt`. */
  readonly host?: string;
  /**
   * An HTTP server of the host, instead of the gateway's own. `listen` then handles the requests below `path` and
   * leaves the rest to the listeners that the host added before. `port` and `host` cannot be set with it.
   */
  readonly server?: Server;
  /** The path of the gateway on `server`. Default `/bosun`. */
  readonly path?: string;
  /** Further names of the gateway in the header `Host`, without port. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may connect and read answers, beside the gateway's own: `https://app.example`. */
  readonly origins?: readonly string[];
  /** Rate of new WebSocket connections of one network address. Default: 20 a second, bursts of 100. */
  readonly connectRate?: Rate;
  /**
   * The directory for the file `bosun.gateway.json`, by which verbs of the command line find the gateway while it
   * listens. The file holds an operator's token, and only its owner can read it. Default: the directory of the
   * system's store; `false` for no file.
   */
  readonly announce?: string | false;
}

/** The address on which a gateway listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** The URL of the gateway, for example `http://127.0.0.1:4180`. */
  readonly url: string;
}

/** The server that clients of a system connect to, as made by `createGateway`. */
export class Gateway {
  readonly #hub: Hub;
  #options: Required<Pick<GatewayOptions, 'port' | 'host'>> & OriginRules;
  readonly #server: Server;
  /** The gateway's share in the host's server; undefined if the server is the gateway's own. */
  readonly #share: HostServer | undefined;
  readonly #sockets: WebSocketServer;
  readonly #page = new InspectorPage();
  readonly #open: OpenSockets;
  readonly #connects: Rates;
  readonly #bytes = new FrameBytes();
  /** Undefined if the gateway does not announce itself. */
  readonly #announcement: Announcement | undefined;
  /** Whether listening fails without the announcement, because the host has named its directory. */
  readonly #mustAnnounce: boolean;
  /** Aborted when the gateway begins to close. */
  readonly #closing = new AbortController();
  readonly #log: (...args: unknown[]) => void;
  #draining: Promise<void> | undefined;

  /** Use {@link createGateway}. */
  constructor(system: Served, options: GatewayOptions) {
    const { port = DEFAULT_PORT, host = DEFAULT_HOST, hosts = [], origins = [] } = options;
    checkServer(options);
    const { connectRate = { burst: CONNECTS_BURST, perSecond: CONNECTS_PER_SECOND } } = options;
    const { announce = system.inside.directory, operator = newToken() } = options;
    this.#hub = new Hub(system, announce ? { ...options, operator } : options);
    this.#announcement = announce
      ? new Announcement(announce, { token: operator, instance: this.#hub.instance })
      : undefined;
    this.#mustAnnounce = options.announce !== undefined;
    this.#log = harmless(options.log ?? (() => {}));
    if (!isLoopback(host) && !this.#hub.callers.areAsked) throw openToOthers(`a gateway on ${host}`);
    this.#options = { port, host, hosts, origins };
    this.#connects = new Rates(connectRate, RATES_MAX);
    this.#server = options.server ?? ownServer();
    this.#share =
      options.server &&
      new HostServer(options.server, options.path ?? DEFAULT_PATH, {
        request: (request, response) => this.#request(request, response),
        upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      });
    this.#open = new OpenSockets(this.#hub.clock, () => this.#hub.counters.add('turned away.crowd'));
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: FRAME_BYTES_MAX,
      maxFragments: FRAME_FRAGMENTS_MAX,
      maxBufferedChunks: FRAME_CHUNKS_MAX,
      handleProtocols: (offered) => chosen([...offered]).answer ?? false,
    });
    if (this.#share === undefined) this.#attend();
    void system.over.then(() => this.drain({ graceMs: 0 }));
  }

  /**
   * Starts listening, on a server of the host as soon as that listens. Rejects with BOSUN_CONFIG_INVALID if the port is
   * taken, if the file cannot be written to the directory that `announce` names, or if a server of the host can be
   * reached by others and the gateway has no tokens; with BOSUN_SYSTEM_CLOSED if the gateway is closed meanwhile.
   */
  async listen(): Promise<Listening> {
    const listening = await (this.#share === undefined ? this.#listenAlone() : this.#listenOnShare(this.#share));
    try {
      this.#assertOpen();
      await this.#announcement?.make(listening.url);
    } catch (error) {
      if (this.#mustAnnounce || !isBosunError(error, 'BOSUN_CONFIG_INVALID')) {
        await this.close();
        this.#stopListening();
        throw error;
      }
      this.#log(error);
    }
    this.#assertOpen();
    return listening;
  }

  /** Throws BOSUN_SYSTEM_CLOSED for a gateway that was closed before it listened. */
  #assertOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  async #listenAlone(): Promise<Listening> {
    const { port, host } = this.#options;
    const taken = await listenOn(this.#server, { port, host, given: this.#closing.signal });
    return { host, port: taken, url: urlOf(host, taken) };
  }

  async #listenOnShare(share: HostServer): Promise<Listening> {
    const { host, port, path } = await share.attach();
    this.#options = { ...this.#options, host };
    if (!isLoopback(host) && !this.#hub.callers.areAsked) {
      share.detach();
      throw openToOthers(`a gateway on a server at ${host}`);
    }
    return { host, port, url: `${urlOf(host, port, 'setSecureContext' in this.#server)}${path}` };
  }

  /** Connects a client without a socket, for tests and bridges. */
  connect(wire: ClientWire, entrance: Entrance = {}): Connection {
    const connection = new Connection({ hub: this.#hub, wire, entrance });
    this.#hub.enter(connection, entrance.from);
    return connection;
  }

  /** Attaches a Stately Inspector client without a socket. Throws BOSUN_OVER_WORKERS. */
  inspect(wire: ClientWire, entrance: Entrance = {}): StatelyPeer {
    const { turns } = this.#hub.backend;
    if (turns === undefined)
      throw new BosunError(
        'BOSUN_OVER_WORKERS',
        "Stately's receivers cannot inspect a system that is spread over workers",
      );
    const peer = new StatelyPeer(this.#hub, turns, wire);
    this.#hub.enter(peer, entrance.from);
    void peer.begin(entrance);
    return peer;
  }

  /** Counts of admitted and refused requests, by name, since the gateway was made. */
  get counts(): Readonly<Record<string, number>> {
    return this.#hub.counters.all();
  }

  /**
   * Accepts nothing more, tells clients to reconnect later, lets calls under way end within `graceMs` (default 10 s),
   * and closes connections in batches. Resolves when nothing is left. A second call waits for the first.
   */
  drain({ graceMs }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing.abort(closed());
    return (this.#draining ??= this.#drain(graceMs));
  }

  /** Drains without waiting for calls. The system continues. */
  async close(): Promise<void> {
    await this.drain({ graceMs: 0 });
  }

  /** Ends without closing connections, as the death of the process does. For tests. */
  abandon(): void {
    this.#draining ??= Promise.resolve();
    this.#closing.abort(closed());
    this.#hub.abandon();
    this.#stopListening();
  }

  #stopListening(): void {
    if (this.#share !== undefined) return this.#share.detach();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #drain(graceMs: number | undefined): Promise<void> {
    await this.#end(graceMs);
    await this.#announcement?.withdraw();
  }

  async #end(graceMs: number | undefined): Promise<void> {
    if (this.#share !== undefined) {
      await this.#hub.drain(graceMs);
      return this.#share.detach();
    }
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#hub.drain(graceMs);
    this.#server.closeAllConnections();
    await ended;
  }

  #attend(): void {
    const server = this.#server;
    server.on('connection', (socket) => this.#open.opened(socket));
    server.on('request', (request, response) => this.#request(request, response));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.#hub.counters.add('turned away.http');
      const status =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? '431 Request Header Fields Too Large'
          : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? '408 Request Timeout'
            : '400 Bad Request';
      this.#open.end(socket, lastWord(status));
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    // The errors of a broken peer must not end the process.
    request.on('error', () => {});
    response.on('error', () => {});
    const guest = guestOf(pathOf(request), request.headers, this.#options);
    if (guest !== undefined && shareWith(guest, request, response)) return;
    const why = this.#turnedAway(request);
    const recognised = ({ id }: Caller) => {
      // Sockets of the host's server are not the gateway's to close.
      if (this.#share === undefined) this.#open.recognised(request.socket, id);
    };
    if (why !== undefined) refused(this.#hub, response, why);
    else handle(this.#hub, { request, response, page: this.#page, recognised });
  }

  #turnedAway(request: IncomingMessage): 'host' | 'origin' | 'rate' | undefined {
    const from = networkOf(request.socket.remoteAddress);
    if (request.headers.upgrade !== undefined && this.#connects.take(from, this.#hub.clock.monotonicMs()) > 0)
      return 'rate';
    return refusalOf(pathOf(request), request.headers, this.#options);
  }

  /**
   * Refuses, before the upgrade, requests whose error browser code could not see anyway. Errors meant for clients are
   * closes after the upgrade.
   */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refuse = (status: string, why: string) => {
      this.#hub.counters.add(`turned away.${why}`);
      this.#open.end(socket, lastWord(status));
    };
    const why = this.#turnedAway(request);
    if (why === 'rate') return refuse('429 Too Many Requests', why);
    if (why !== undefined) return refuse('403 Forbidden', why);
    if (this.#hub.isDraining) return refuse('503 Service Unavailable', 'draining');
    if (request.httpVersion !== '1.1') return refuse('400 Bad Request', 'http');
    const [path, query] = [pathOf(request), (request.url ?? '').split('?', 2)[1]];
    const { pass, others } = queryOf(query);
    const isInspection = path === STATELY_PATH;
    if ((path !== SOCKET_PATH && !isInspection) || others > 0) return refuse('404 Not Found', 'path');
    if (isInspection && this.#hub.backend.turns === undefined) return refuse('501 Not Implemented', 'workers');
    const { bearer, isSpoken } = chosen(offeredIn(request));
    let token: string | undefined;
    try {
      token = bearerIn(request.headers.authorization) ?? bearer;
    } catch {
      return refuse('401 Unauthorized', 'token');
    }
    this.#sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('error', () => this.#hub.counters.add('turned away.frame'));
      const from = networkOf(request.socket.remoteAddress);
      const entrance = { token, from, ...(pass !== undefined && { pass: { pass, origin: request.headers.origin } }) };
      if (isInspection || isSpoken) this.#open.left(socket);
      if (isInspection) this.#inspected(ws, socket, entrance);
      else if (isSpoken) this.#welcome(ws, socket, entrance);
      else {
        this.#hub.counters.add('closed.unsupported_protocol');
        ws.close(CLOSES.unsupported_protocol.code, `unsupported_protocol;${SUBPROTOCOL}`);
      }
    });
  }

  #welcome(ws: WebSocket, socket: Duplex, entrance: Entrance): void {
    const connection = this.connect(
      wireOf(ws, { socket, bytes: this.#bytes, drained: () => connection.drained() }),
      entrance,
    );
    ws.on('message', (data: Buffer, isBinary) => connection.receive(isBinary ? undefined : data.toString()));
    ws.on('ping', (data) => {
      if (connection.pinged() && ws.bufferedAmount < OUT_BYTES_HIGH) ws.pong(data);
    });
    ws.on('close', () => connection.gone());
  }

  #inspected(ws: WebSocket, socket: Duplex, entrance: Entrance): void {
    const peer = this.inspect(wireOf(ws, { socket, bytes: this.#bytes, drained: () => peer.drained() }), entrance);
    ws.on('message', () => peer.receive());
    ws.on('close', () => peer.gone());
  }
}

/** Checks the options of the server. Throws BOSUN_CONFIG_INVALID for options that contradict each other. */
function checkServer({ server, path, port, host }: GatewayOptions): void {
  const problem =
    server === undefined
      ? path !== undefined && 'path is for a gateway on a server of the host: give server, or leave path out'
      : (port !== undefined || host !== undefined) &&
        'a gateway on a server of the host listens where that does: leave port and host out';
  if (problem) throw new BosunError('BOSUN_CONFIG_INVALID', `createGateway: ${problem}`);
}

function closed(): BosunError {
  return new BosunError('BOSUN_SYSTEM_CLOSED', 'the gateway is closed');
}

function openToOthers(what: string): BosunError {
  return new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${what} can be reached by others: give it tokens, or listen on ${DEFAULT_HOST}`,
  );
}

/** The path as sent, without decoding. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** The response on a socket that is closed before a protocol is established. */
function lastWord(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

/**
 * Makes a gateway for a started system, on one worker or over several; call `listen` on it. Throws
 * BOSUN_CONFIG_INVALID.
 */
export function createGateway(system: Served, options: GatewayOptions = {}): Gateway {
  checkGatewayOptions(system, options);
  return new Gateway(system, options);
}
