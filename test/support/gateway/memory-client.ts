/** A client without a socket: its frames pass the same codec as on the wire. The test controls the time. */
import { type Connection } from '../../../src/gateway/client/connection.ts';
import { type Entrance } from '../../../src/gateway/client/hub.ts';
import { type ClientWire } from '../../../src/gateway/client/send-buffer.ts';
import { patched } from '../../../src/gateway/protocol/patch.ts';
import { type ServerFrame } from '../../../src/gateway/protocol/frames.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { showsBy } from '../shown-by.ts';
import { shop } from './shop.ts';

export type Frame = ServerFrame & { readonly [field: string]: unknown };

export class MemoryClient {
  readonly connection: Connection;
  /** All received frames, the oldest first. */
  readonly frames: Frame[] = [];
  closed: { code: number; reason: string } | undefined;
  isPaused = false;
  isCut = false;
  /** Bytes that the peer has not read; none leave while it is not reading. */
  buffered = 0;
  isReading = true;

  constructor(gateway: Gateway, entrance: Entrance = {}) {
    this.connection = gateway.connect(this.#wire(), entrance);
  }

  send(frame: object): void {
    this.raw(JSON.stringify(frame));
  }

  /** Sends raw data; undefined stands for a binary frame. */
  raw(data: string | undefined): void {
    this.connection.receive(data);
  }

  hello(fields: object = {}): void {
    this.send({ t: 'hello', v: 1, client: { name: 'test' }, ...fields });
  }

  /** Makes the peer read all waiting bytes. */
  read(): void {
    this.isReading = true;
    this.buffered = 0;
    this.connection.drained();
  }

  /** Breaks the connection. */
  drop(): void {
    this.connection.gone();
  }

  #wire(): ClientWire {
    const bufferedBytes = () => this.buffered;
    return {
      send: (data) => {
        if (!this.isReading) this.buffered += Buffer.byteLength(data);
        this.frames.push(JSON.parse(data) as Frame);
      },
      get bufferedBytes() {
        return bufferedBytes();
      },
      pause: () => (this.isPaused = true),
      resume: () => (this.isPaused = false),
      close: (code, reason) => (this.closed = { code, reason }),
      terminate: () => {
        this.isCut = true;
        this.connection.gone();
      },
    };
  }

  of(t: string, id?: string): Frame[] {
    return this.frames.filter((frame) => frame.t === t && (id === undefined || frame['id'] === id));
  }

  last(t: string, id?: string): Frame | undefined {
    return this.of(t, id).at(-1);
  }

  /** The view that a subscription's frames produce. */
  view(id: string): unknown {
    let view: unknown;
    for (const frame of this.frames) {
      if (frame.t === 'snap' && frame.id === id && frame.d !== undefined) view = frame.d;
      if (frame.t === 'delta' && frame.id === id) view = patched(view, frame.ops);
    }
    return view;
  }
}

export class GatewayTest {
  readonly test: TestSystem;
  readonly #options: GatewayOptions;
  readonly logged: unknown[][] = [];
  gateway: Gateway;
  #calls = 0;

  constructor(test: TestSystem, options: GatewayOptions) {
    showsBy('gateway');
    this.test = test;
    this.#options = options;
    this.gateway = this.#create();
  }

  /** A client that has been welcomed. */
  async client(hello: object = {}, entrance: Entrance = {}): Promise<MemoryClient> {
    const client = new MemoryClient(this.gateway, entrance);
    client.hello(hello);
    // A signature is checked in a thread of its own, which no settling waits for.
    do await this.settle();
    while (client.last('welcome') === undefined && client.closed === undefined);
    return client;
  }

  /** Makes a call and returns the answer. */
  async call(client: MemoryClient, m: string, p: object = {}, fields: object = {}): Promise<Frame> {
    const id = `call-${++this.#calls}`;
    client.send({ t: 'req', id, m, p, ...fields });
    await this.settle();
    return client.last('res', id)!;
  }

  async settle(): Promise<void> {
    // Deferred pumps of the gateway run after the system has settled.
    for (let round = 0; round < 3; round++) await this.test.settle();
  }

  async advance(ms: number): Promise<void> {
    await this.test.clock.advance(ms, () => this.settle());
  }

  /** Cuts the power of the host, which breaks all connections. */
  async crash(): Promise<void> {
    this.gateway.abandon();
    await this.test.crash();
  }

  async restart(): Promise<void> {
    await this.test.restart();
    this.gateway = this.#create();
    await this.settle();
  }

  async stop(): Promise<void> {
    this.gateway.abandon();
    await this.test.shard.stop();
  }

  #create(): Gateway {
    return createGateway(this.test.shard, {
      clock: this.test.clock,
      log: (...line) => this.logged.push(line),
      ...this.#options,
    });
  }
}

export async function startGatewayTest(
  options: GatewayOptions = {},
  system: Partial<TestSystemOptions> = {},
): Promise<GatewayTest> {
  return new GatewayTest(await startTestSystem(shop(system)), options);
}
