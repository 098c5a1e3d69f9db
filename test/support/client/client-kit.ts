/** Clients and a gateway in one process, on virtual time, with connections that can be cut. */
import { type Client, type ClientOptions, createClient } from '../../../src/client/client.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { type GatewaySocket, gatewaySocket } from '../../../src/testing/gateway-socket.ts';
import { type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { randomOf } from '../chance.ts';
import { type GatewayTest, startGatewayTest } from '../gateway/memory-client.ts';
import { type counter, type deaf, type till } from '../gateway/shop.ts';

export type Shop = typeof counter | typeof till | typeof deaf;

export class ClientTest {
  readonly host: GatewayTest;
  readonly socket: GatewaySocket;
  readonly #random = randomOf('the clients of a test');
  /** Whether the host is down: connections are refused. */
  isDown = false;

  constructor(host: GatewayTest) {
    this.host = host;
    this.socket = gatewaySocket(() => (this.isDown ? undefined : this.host.gateway));
  }

  client(options: ClientOptions = {}): Client<Shop> {
    return createClient<Shop>('ws://shop', {
      WebSocket: this.socket.WebSocket,
      clock: this.host.test.clock,
      random: this.#random,
      ...options,
    });
  }

  /** A client that is live. */
  async live(options: ClientOptions = {}): Promise<Client<Shop>> {
    const client = this.client(options);
    await this.host.settle();
    return client;
  }

  cut(): void {
    for (const line of [...this.socket.lines]) line.cut();
  }

  settle(): Promise<void> {
    return this.host.settle();
  }

  advance(ms: number): Promise<void> {
    return this.host.advance(ms);
  }

  async crash(options: { keepUnsynced?: number } = {}): Promise<void> {
    this.isDown = true;
    this.host.gateway.abandon();
    await this.host.test.crash(options);
  }

  async restart(): Promise<void> {
    await this.host.restart();
    this.isDown = false;
  }

  get context(): { count: number; seen: readonly string[] } {
    return this.host.test.shard.snapshot('visits')!.context as { count: number; seen: string[] };
  }

  stop(): Promise<void> {
    return this.host.stop();
  }
}

export async function startClientTest(
  options: GatewayOptions = {},
  system: Partial<TestSystemOptions> = {},
): Promise<ClientTest> {
  return new ClientTest(await startGatewayTest(options, system));
}

/** The state of a promise, without waiting for it. */
export function watched<T>(promise: Promise<T>): {
  value?: T;
  error?: { readonly code?: string; readonly details?: unknown };
} {
  const state: ReturnType<typeof watched<T>> = {};
  promise.then(
    (value) => (state.value = value),
    (error: unknown) => (state.error = error as { code?: string }),
  );
  return state;
}

export function memoryStorage(): {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  readonly entries: Map<string, string>;
} {
  const entries = new Map<string, string>();
  return { entries, getItem: (key) => entries.get(key) ?? null, setItem: (key, value) => void entries.set(key, value) };
}
