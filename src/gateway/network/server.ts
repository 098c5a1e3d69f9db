/**
 * The gateway: WebSocket and HTTP on one port, in front of a running system. It decides who gets as far as a frame or a
 * request; what those may do is decided behind it. The only file that knows sockets.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { BosunError, messageOf } from '../../errors.ts';
import {
  CONNECTS_BURST,
  CONNECTS_PER_SECOND,
  FRAME_BYTES_MAX,
  FRAME_CHUNKS_MAX,
  FRAME_FRAGMENTS_MAX,
  HTTP_HEADERS_MS,
  HTTP_REQUEST_MS,
  OUT_BYTES_HIGH,
  RATES_MAX,
  STRANGERS_MAX,
} from '../../limits.ts';
import { type System } from '../../system.ts';
import { Connection } from '../client/connection.ts';
import { type OriginRules, isLoopback, refusalOf } from './origin-rules.ts';
import { bearerIn, handle, refused } from './http.ts';
import { type Entrance, Hub, type HubOptions } from '../client/hub.ts';
import { type ClientWire } from '../client/send-buffer.ts';
import {
  BEARER_PREFIX,
  CLOSES,
  DEFAULT_HOST,
  DEFAULT_PORT,
  SOCKET_PATH,
  SUBPROTOCOL,
  PASS_NAME,
} from '../protocol/protocol.ts';
import { type Rate } from '../protocol/token-bucket.ts';
import { Rates } from '../client/rates.ts';
import { FrameBytes, wireOf } from './socket-wire.ts';
import { type SpreadOverWorkers } from '../workers/worker-port.ts';
import { STATELY_PATH } from '../stately/stately-events.ts';
import { StatelyPeer } from '../stately/stately-peer.ts';

export interface GatewayOptions extends HubOptions {
  /** Default 4180; 0 takes a free one. */
  readonly port?: number;
  /** Where to listen. Default 127.0.0.1; any other is refused unless `tokens` or `jwt` are given. */
  readonly host?: string;
  /** Further names under which the gateway is reached, as in the header `Host`, without port. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may connect, beside the gateway's own: `https://app.example`. */
  readonly origins?: readonly string[];
  /** New WebSocket connections of one network address. Default: 20 a second, bursts of 100. */
  readonly connectRate?: Rate;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:4180`. */
  readonly url: string;
}

export class Gateway {
  readonly #hub: Hub;
  readonly #options: Required<Pick<GatewayOptions, 'port' | 'host'>> & OriginRules;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #connects: Rates;
  readonly #bytes = new FrameBytes();
  #draining: Promise<void> | undefined;

  /** Use {@link createGateway}. */
  constructor(system: System | SpreadOverWorkers, options: GatewayOptions) {
    const { port = DEFAULT_PORT, host = DEFAULT_HOST, hosts = [], origins = [] } = options;
    const { connectRate = { burst: CONNECTS_BURST, perSecond: CONNECTS_PER_SECOND } } = options;
    this.#hub = new Hub(system, options);
    if (!isLoopback(host) && !this.#hub.callers.areAsked) {
      throw new BosunError(
        'BOSUN_CONFIG_INVALID',
        `a gateway on ${host} can be reached by others: give it tokens, or listen on ${DEFAULT_HOST}`,
      );
    }
    this.#options = { port, host, hosts, origins };
    this.#connects = new Rates(connectRate, RATES_MAX);
    this.#server = createServer({
      headersTimeout: HTTP_HEADERS_MS,
      requestTimeout: HTTP_REQUEST_MS,
      connectionsCheckingInterval: HTTP_HEADERS_MS / 5,
    });
    this.#server.maxConnections = this.#hub.connectionsMax + 2 * STRANGERS_MAX;
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
    this.#attend();
    const over = () => void this.drain({ graceMs: 0 });
    system.closed.then(over, over);
  }

  /** Begins to listen. Rejects with BOSUN_CONFIG_INVALID where the port is taken. */
  async listen(): Promise<Listening> {
    const { port, host } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error & { code?: string }) => {
        const wayOut = error.code === 'EADDRINUSE' ? '; name another port, or 0 for any that is free' : '';
        reject(
          new BosunError(
            'BOSUN_CONFIG_INVALID',
            `the gateway cannot listen on ${host}:${port}: ${messageOf(error)}${wayOut}`,
            { cause: error },
          ),
        );
      };
      this.#server.once('error', failed);
      this.#server.listen(port, host, () => {
        this.#server.off('error', failed);
        resolve();
      });
    });
    const { port: taken } = this.#server.address() as AddressInfo;
    return { host, port: taken, url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}` };
  }

  /** A client without a socket, for tests and bridges. */
  connect(wire: ClientWire, entrance: Entrance = {}): Connection {
    const connection = new Connection({ hub: this.#hub, wire, entrance });
    this.#hub.enter(connection);
    return connection;
  }

  /** Whoever inspects with what Stately gives, without a socket. Throws BOSUN_OVER_WORKERS. */
  inspect(wire: ClientWire, entrance: Pick<Entrance, 'token' | 'pass'> = {}): StatelyPeer {
    const { turns } = this.#hub.backend;
    if (turns === undefined)
      throw new BosunError(
        'BOSUN_OVER_WORKERS',
        'the receivers of Stately inspect one system, and this one is spread over workers',
      );
    const peer = new StatelyPeer(this.#hub, turns, wire);
    this.#hub.enter(peer);
    void peer.begin(entrance);
    return peer;
  }

  /** What was let in and what was turned away, by name, since it was made. */
  get counts(): Readonly<Record<string, number>> {
    return this.#hub.counters.all();
  }

  /**
   * Takes nothing more, tells clients to come back later, lets calls under way end within `graceMs` (default 10 s),
   * closes connections in batches. Resolves when nothing is left. A second call waits for the first.
   */
  drain({ graceMs }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#draining ??= this.#drain(graceMs));
  }

  /** As `drain`, without waiting for calls. The system goes on. */
  async close(): Promise<void> {
    await this.drain({ graceMs: 0 });
  }

  /** For tests: ends as the death of the process does. */
  abandon(): void {
    this.#draining ??= Promise.resolve();
    this.#hub.abandon();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #drain(graceMs: number | undefined): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#hub.drain(graceMs);
    this.#server.closeAllConnections();
    await closed;
  }

  #attend(): void {
    const server = this.#server;
    server.on('request', (request, response) => {
      // What a broken peer does must not end the process.
      request.on('error', () => {});
      response.on('error', () => {});
      const why = this.#turnedAway(request);
      if (why === undefined) handle(this.#hub, request, response);
      else refused(this.#hub, response, why);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.#hub.counters.add('turned away.http');
      const status =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? '431 Request Header Fields Too Large'
          : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? '408 Request Timeout'
            : '400 Bad Request';
      if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      else socket.destroy();
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  #turnedAway(request: IncomingMessage): 'host' | 'origin' | 'rate' | undefined {
    const from = request.socket.remoteAddress ?? '';
    if (request.headers.upgrade !== undefined && this.#connects.take(from, this.#hub.clock.monotonicMs()) > 0)
      return 'rate';
    return refusalOf(request.headers, this.#options);
  }

  /**
   * What a page could not tell apart anyway is refused before the upgrade; what a client should learn, by a close after
   * it.
   */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refuse = (status: string, why: string) => {
      this.#hub.counters.add(`turned away.${why}`);
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    const why = this.#turnedAway(request);
    if (why === 'rate') return refuse('429 Too Many Requests', why);
    if (why !== undefined) return refuse('403 Forbidden', why);
    if (this.#hub.isDraining) return refuse('503 Service Unavailable', 'draining');
    if (request.httpVersion !== '1.1') return refuse('400 Bad Request', 'http');
    const [path, query] = (request.url ?? '').split('?', 2);
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
      const entrance = { token, ...(pass !== undefined && { pass: { pass, origin: request.headers.origin } }) };
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

  #inspected(ws: WebSocket, socket: Duplex, entrance: Pick<Entrance, 'token' | 'pass'>): void {
    const peer = this.inspect(wireOf(ws, { socket, bytes: this.#bytes, drained: () => peer.drained() }), entrance);
    ws.on('message', () => peer.receive());
    ws.on('close', () => peer.gone());
  }
}

/**
 * A gateway for a system that has been started, on one worker or over several; call `listen` on it. Throws
 * BOSUN_CONFIG_INVALID.
 */
export function createGateway(system: System | SpreadOverWorkers, options: GatewayOptions = {}): Gateway {
  return new Gateway(system, options);
}

interface Chosen {
  readonly bearer: string | undefined;
  /** What the handshake answers; undefined where nothing was offered. */
  readonly answer: string | undefined;
  readonly isSpoken: boolean;
}

/** Whether ours is among the offered subprotocols. One that carries a token is never answered. */
function chosen(offered: readonly string[]): Chosen {
  const carrier = offered.find((name) => name.startsWith(BEARER_PREFIX));
  const names = offered.filter((name) => !name.startsWith(BEARER_PREFIX));
  const isOffered = names.includes(SUBPROTOCOL);
  return {
    bearer:
      carrier === undefined ? undefined : Buffer.from(carrier.slice(BEARER_PREFIX.length), 'base64url').toString(),
    answer: isOffered ? SUBPROTOCOL : names[0],
    isSpoken: isOffered || names.length === 0,
  };
}

/** Nothing but a pass belongs into a socket's address, and above all no token. */
function queryOf(query = ''): { pass: string | undefined; others: number } {
  const params = new URLSearchParams(query);
  const [pass, ...more] = params.getAll(PASS_NAME);
  return { pass, others: more.length + [...params.keys()].filter((name) => name !== PASS_NAME).length };
}

function offeredIn(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
