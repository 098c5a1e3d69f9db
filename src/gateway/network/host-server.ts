/**
 * A share in an HTTP server of the host: requests and upgrades below one path are the gateway's, all others stay the
 * host's. Handlers see the path without that prefix. The server itself, its limits and its end are the host's affair.
 */
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Duplex } from 'node:stream';
import { BosunError } from '../../errors.ts';
import { isThenable } from '../../user-code.ts';

/** The gateway's handlers for requests and upgrades below its path. */
export interface ServerHandlers {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

type Listener = (...args: unknown[]) => unknown;

export class HostServer {
  readonly #server: Server;
  readonly #prefix: string;
  readonly #handlers: ServerHandlers;
  #undo: (() => void) | undefined;

  /**
   * Prepares the share of a server.
   *
   * @param path The path of the gateway on the server, such as `/bosun`; `/` for the whole server.
   */
  constructor(server: Server, path: string, handlers: ServerHandlers) {
    this.#server = server;
    this.#prefix = path.replace(/\/+$/, '');
    this.#handlers = handlers;
  }

  /**
   * Handles all requests below the path from now on. Listeners that the host adds later would see them too, so it must
   * add its own first. Rejects with BOSUN_CONFIG_INVALID if the server does not listen on a port.
   */
  async attach(): Promise<{ readonly host: string; readonly port: number; readonly path: string }> {
    if (!this.#server.listening) await new Promise<void>((resolve) => this.#server.once('listening', () => resolve()));
    const address: AddressInfo | string | null = this.#server.address();
    if (address === null || typeof address === 'string')
      throw new BosunError('BOSUN_CONFIG_INVALID', 'the server of the gateway must listen on a port, not on a pipe');
    const restoreRequests = this.#stepInFront('request', (request, rest) => {
      const response = rest[0] as ServerResponse;
      if (request.url!.startsWith('/')) this.#handlers.request(request, response);
      else this.#toFolder(request, response);
    });
    const restoreUpgrades = this.#stepInFront('upgrade', (request, rest) =>
      this.#handlers.upgrade(request, rest[0] as Duplex, rest[1] as Buffer),
    );
    this.#undo = () => {
      restoreRequests();
      restoreUpgrades();
    };
    return { host: address.address, port: address.port, path: this.#prefix };
  }

  /** Returns all requests to the host. */
  detach(): void {
    this.#undo?.();
    this.#undo = undefined;
  }

  /** Redirects a browser to the path with a trailing slash, since the page names its files relative to its folder. */
  #toFolder({ url = '' }: IncomingMessage, response: ServerResponse): void {
    // Relative to where the browser is: a proxy in front may have another prefix.
    const folder = this.#prefix.slice(this.#prefix.lastIndexOf('/') + 1);
    response.writeHead(308, { Location: `${folder}/${url}` }).end();
  }

  /** Replaces the host's listeners by one that calls them for all other requests. */
  #stepInFront(event: 'request' | 'upgrade', handle: (request: IncomingMessage, rest: unknown[]) => void): () => void {
    const server = this.#server;
    const before = server.listeners(event) as Listener[];
    const listener = (request: IncomingMessage, ...rest: unknown[]): unknown => {
      if (this.#take(request)) return handle(request, rest);
      const given = before.map((other) => other.call(server, request, ...rest));
      // A server that captures rejections looks for them in what its listeners return.
      return given.some(isThenable) ? Promise.all(given) : undefined;
    };
    server.removeAllListeners(event);
    server.on(event, listener);
    return () => {
      server.off(event, listener);
      for (const other of before) server.on(event, other);
    };
  }

  /** Whether a request is for the gateway. If so, the prefix is removed from its path. */
  #take(request: IncomingMessage): boolean {
    const { url = '/' } = request;
    const path = url.split('?', 1)[0]!;
    if (path !== this.#prefix && !path.startsWith(`${this.#prefix}/`)) return false;
    request.url = url.slice(this.#prefix.length);
    return true;
  }
}
