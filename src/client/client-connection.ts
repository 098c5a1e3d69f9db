/**
 * The connection to the gateway: opens sockets, says hello, detects silence, reconnects after breaks. It knows no calls
 * or subscriptions; callbacks report when it is up, incoming frames, and when it is down.
 */
import { type Atom, createAtom } from '@xstate/store';
import type { ClientFrame, ServerFrame, Welcome } from '../gateway/protocol/frames.ts';
import { CLOSES, PROTOCOL_VERSION, SOCKET_PATH, SUBPROTOCOL } from '../gateway/protocol/protocol.ts';
import { HEALTHY_MS, WELCOME_MS } from './bounds.ts';
import { clientClosed, ClientError, errorFrom } from './client-error.ts';
import { afterBreak } from './reconnect.ts';
import { type ClientClock, type ClientRandom, type Failed, type Socket, type SocketClass } from './platform.ts';
import { disown, handled, watch } from '../user-code.ts';

/**
 * State of a client's connection. `connecting`: an attempt is under way; `live`: calls are transmitted; `draining`: the
 * gateway is about to close, calls wait for the next connection; `offline`: the next attempt is scheduled; `closed`:
 * for good.
 */
export type ClientStatus = 'connecting' | 'live' | 'draining' | 'offline' | 'closed';

/** A token, or a function that returns one for each attempt. */
export type TokenSource = string | (() => string | Promise<string>);

export interface ClientConnectionParts {
  readonly url: string;
  readonly name: string;
  readonly session: string;
  readonly token: TokenSource | undefined;
  readonly onUnauthorized: (() => string | Promise<string>) | undefined;
  readonly WebSocket: SocketClass;
  readonly clock: ClientClock;
  readonly random: ClientRandom;
  /** Called when a function of the user has failed: that of a token, or the WebSocket class. */
  readonly failed: Failed;
  readonly up: (welcome: Welcome) => void;
  readonly hear: (frame: ServerFrame) => void;
  /** Called when a ping of the gateway was answered, which counts as a frame. */
  readonly ponged: () => void;
  /** Called when the connection is down; with an error, for good. */
  readonly down: (error: ClientError | undefined) => void;
}

export class ClientConnection {
  readonly status: Atom<ClientStatus> = createAtom<ClientStatus>('connecting');
  /** The `welcome` of the latest connection, kept while offline. */
  welcome: Welcome | undefined;
  readonly #parts: ClientConnectionParts;
  #socket: Socket | undefined;
  /** Counts sockets, so that events of older ones are recognised. */
  #generation = 0;
  #tries = 0;
  #upMs: number | undefined;
  #heardMs = 0;
  #silenceMs = Infinity;
  #renewed: string | undefined;
  #canRenew = true;
  /** Whether a new token is still to be asked for. */
  #mustRenew = false;
  #windowMs: readonly [number, number] | undefined;
  #said: ClientError | undefined;
  #cancel: () => void = () => {};

  constructor(parts: ClientConnectionParts) {
    this.#parts = parts;
    this.#attempt();
  }

  get isLive(): boolean {
    return this.status.get() === 'live';
  }

  send(frame: ClientFrame): void {
    const generation = this.#generation;
    watch(
      () => this.#socket?.send(JSON.stringify(frame)),
      (thrown) => {
        this.#parts.failed(thrown);
        // Not at once: the frame may be one of several, and all of them must be under way before they count as lost.
        queueMicrotask(() => this.#ended(generation, 1006, 'no frame leaves'));
      },
    );
  }

  /** Attempts to connect now if the next attempt is scheduled for later. */
  retry(): void {
    if (this.status.get() === 'offline') this.#attempt();
  }

  close(error: ClientError = clientClosed()): void {
    if (this.status.get() === 'closed') return;
    this.#release(CLOSES.normal.code);
    this.status.set('closed');
    this.#parts.down(error);
  }

  #attempt(): void {
    const generation = ++this.#generation;
    this.#cancel();
    this.status.set('connecting');
    this.#cancel = this.#parts.clock.setTimeout(() => this.#ended(generation, 1006, 'no welcome'), WELCOME_MS);
    watch(
      () => this.#open(generation),
      (thrown) => {
        this.#parts.failed(thrown);
        this.#ended(generation, 1006, 'no connection');
      },
    );
  }

  async #open(generation: number): Promise<void> {
    const { WebSocket, url, name, session } = this.#parts;
    const now = await this.#token();
    if (generation !== this.#generation) return;
    const socket = new WebSocket(addressOf(url), [SUBPROTOCOL]);
    this.#socket = socket;
    socket.onopen = () =>
      this.send({
        t: 'hello',
        v: PROTOCOL_VERSION,
        client: { name },
        session,
        acks: true,
        ...(now !== undefined && { token: now }),
      });
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      if (generation !== this.#generation) return;
      const frame = frameFrom(String(data));
      if (frame === undefined) this.#ended(generation, CLOSES.internal.code, 'no frame');
      else this.#hear(frame);
    };
    socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      this.#ended(generation, code, reason);
    // A close event follows and is handled.
    socket.onerror = () => {};
  }

  /** The token for an attempt. Rejects with what the user's functions throw, and for a token that is no text. */
  async #token(): Promise<string | undefined> {
    const { token, onUnauthorized } = this.#parts;
    if (this.#mustRenew && onUnauthorized !== undefined) {
      this.#renewed = textOf(await handled(onUnauthorized()));
      this.#mustRenew = false;
    }
    return this.#renewed ?? (typeof token === 'function' ? textOf(await handled(token())) : token);
  }

  #hear(frame: ServerFrame): void {
    this.#heardMs = this.#parts.clock.monotonicMs();
    switch (frame.t) {
      case 'welcome':
        return this.#welcomed(frame);
      case 'ping':
        this.send({ t: 'pong' });
        return this.#parts.ponged();
      case 'err':
        this.#said = errorFrom(frame.e);
        return;
      case 'note':
        if (frame.code !== 'draining') return;
        this.#windowMs = frame.reconnectInMs;
        this.status.set('draining');
        return;
      default:
        return this.#parts.hear(frame);
    }
  }

  #welcomed(welcome: Welcome): void {
    this.#cancel();
    this.#canRenew = true;
    this.#windowMs = undefined;
    this.#upMs = this.#heardMs;
    this.#silenceMs = welcome.heartbeat.everyMs + welcome.heartbeat.timeoutMs;
    this.#watchSilence(this.#silenceMs);
    this.welcome = welcome;
    this.status.set('live');
    this.#parts.up(welcome);
  }

  #watchSilence(afterMs: number): void {
    const generation = this.#generation;
    this.#cancel = this.#parts.clock.setTimeout(() => {
      const leftMs = this.#heardMs + this.#silenceMs - this.#parts.clock.monotonicMs();
      if (leftMs <= 0) this.#ended(generation, 1006, 'silent');
      else this.#watchSilence(leftMs);
    }, afterMs);
  }

  #ended(generation: number, code: number, reason: string): void {
    if (generation !== this.#generation || this.status.get() === 'closed') return;
    const { clock, random, token, onUnauthorized, down } = this.#parts;
    if (this.#upMs !== undefined && clock.monotonicMs() - this.#upMs >= HEALTHY_MS) this.#tries = 0;
    this.#upMs = undefined;
    const canRenew = this.#canRenew && (onUnauthorized !== undefined || typeof token === 'function');
    const { then, waitMs } = afterBreak({
      code,
      reason,
      tries: this.#tries,
      random: random.next(),
      canRenew,
      windowMs: this.#windowMs,
    });
    if (then === 'stop') return this.close(this.#said ?? stopped(code, reason));
    this.#release(CLOSES.silent.code);
    this.#tries += 1;
    this.#windowMs = undefined;
    this.#said = undefined;
    if (then === 'authenticate') {
      this.#canRenew = false;
      this.#mustRenew = true;
    }
    // A renewal that failed, or whose token did not get as far as the gateway, was no chance.
    else this.#canRenew = true;
    this.status.set('offline');
    down(undefined);
    this.#cancel = clock.setTimeout(() => this.#attempt(), waitMs);
  }

  #release(code: number): void {
    this.#generation += 1;
    this.#cancel();
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    watch(() => socket.close(code), this.#parts.failed);
  }
}

/** A token that a function of the user has given. */
function textOf(token: unknown): string | undefined {
  if (token === undefined || typeof token === 'string') return token;
  disown(token);
  throw new ClientError('BOSUN_CONFIG_INVALID', 'a token must be a text');
}

/** The frame in a text; undefined if it is not JSON: something else answers at that address. */
function frameFrom(data: string): ServerFrame | undefined {
  try {
    return JSON.parse(data) as ServerFrame;
  } catch {
    return undefined;
  }
}

/** The WebSocket URL for the URL of a gateway, such as `http://host:4180` or `https://host/bosun`. */
function addressOf(url: string): string {
  const address = new URL(url);
  address.protocol = address.protocol.replace('http', 'ws');
  const path = address.pathname.replace(/\/+$/, '');
  if (!path.endsWith(SOCKET_PATH)) address.pathname = `${path}${SOCKET_PATH}`;
  return address.href;
}

function stopped(code: number, reason: string): ClientError {
  const isStranger = code === CLOSES.unauthenticated.code || code === CLOSES.token_expired.code;
  return new ClientError(
    isStranger ? 'BOSUN_UNAUTHENTICATED' : 'BOSUN_CLIENT_CLOSED',
    `the gateway closed the connection with ${code} (${reason})`,
    { details: { closeCode: code } },
  );
}
