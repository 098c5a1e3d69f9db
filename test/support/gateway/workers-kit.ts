/** A gateway over workers, for tests: all in one thread, on virtual time, with the small shop of test/gateway. */
import { onTestFinished } from 'vitest';
import { MemoryClient, type Frame } from './memory-client.ts';
import { shop } from './shop.ts';
import { type Entrance } from '../../../src/gateway/client/hub.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import {
  type SpreadTestOptions,
  type SpreadTestSystem,
  startSpreadTestSystem,
} from '../../../src/testing/spread-test-system.ts';

/** Names of the counters in the tree of {@link spreadShop}. */
export const COUNTERS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];

export class SpreadGatewayTest {
  readonly test: SpreadTestSystem;
  readonly logged: unknown[][] = [];
  readonly #options: GatewayOptions;
  gateway: Gateway;
  readonly #underWay = new Set<object>();
  #calls = 0;

  constructor(test: SpreadTestSystem, options: GatewayOptions) {
    this.test = test;
    this.#options = options;
    this.gateway = this.#create();
  }

  /** A counter on each of two workers. */
  get pair(): readonly [zero: string, one: string] {
    const on = (worker: number) => COUNTERS.find((name) => this.test.system.workerOf(name) === worker)!;
    return [on(0), on(1)];
  }

  /**
   * Number of things for which the gateway waits: a subscription at each worker gateway, and an epoch of each worker.
   */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** A client that has been welcomed. */
  async client(hello: object = {}, entrance: Entrance = {}): Promise<MemoryClient> {
    const client = new MemoryClient(this.gateway, entrance);
    client.hello(hello);
    await this.settle();
    return client;
  }

  /** Makes a call and returns the answer. */
  async call(client: MemoryClient, m: string, p: object = {}, fields: object = {}): Promise<Frame> {
    const id = this.begin(client, m, p, fields);
    await this.settle();
    return client.last('res', id)!;
  }

  /** @returns The id of the call. */
  begin(client: MemoryClient, m: string, p: object = {}, fields: object = {}): string {
    const id = `call-${++this.#calls}`;
    client.send({ t: 'req', id, m, p, ...fields });
    return id;
  }

  async subscribe(client: MemoryClient, topic: string, fields: object = {}): Promise<void> {
    client.send({ t: 'sub', id: topic, topic, ...fields });
    await this.settle();
  }

  async settle(): Promise<void> {
    // Deferred work of the gateway and its worker gateways runs after the workers have settled.
    for (let round = 0; round < 5; round++) await this.test.settle();
  }

  async advance(ms: number): Promise<void> {
    await this.test.clock.advance(ms, () => this.settle());
  }

  async restart(worker: number): Promise<void> {
    await this.test.restart(worker);
    await this.settle();
  }

  /** Cuts the power of the host: of all workers, and of their connections. */
  async crashAll(): Promise<void> {
    this.gateway.abandon();
    this.test.crashAll();
    await this.test.restartAll();
    this.gateway = this.#create();
    await this.settle();
  }

  async countOf(address: string): Promise<unknown> {
    const reading = this.test.system.snapshot(address);
    await this.settle();
    return ((await reading)?.context as { count: number } | undefined)?.count;
  }

  async stop(): Promise<void> {
    this.gateway.abandon();
    await this.test.system.stop();
  }

  #watch(): void {
    const { inside } = this.test.system;
    if (!('gateways' in inside)) throw new Error('the system is over workers');
    const { gateways } = inside;
    const begin = gateways.begin.bind(gateways);
    this.#underWay.clear();
    gateways.begin = (worker, verb, args, { answer, reject }) => {
      const call = {};
      const over = () => this.#underWay.delete(call);
      this.#underWay.add(call);
      const end = begin(worker, verb, args, {
        answer: (what) => {
          over();
          answer(what);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      return () => {
        over();
        end();
      };
    };
  }

  #create(): Gateway {
    this.#watch();
    return createGateway(this.test.system, {
      clock: this.test.clock,
      log: (...line) => this.logged.push(line),
      ...this.#options,
    });
  }
}

export function spreadShop(changes: Partial<SpreadTestOptions> = {}): SpreadTestOptions {
  const { agents, tree } = shop();
  const children = [...(tree?.children ?? []), ...COUNTERS.map((id) => ({ id, agent: 'counter' }))];
  return { workers: 2, agents, tree: { ...tree, children }, ...changes };
}

/** Starts a gateway that is stopped at the end of the test. */
export async function startSpreadGateway(
  options: GatewayOptions = {},
  changes: Partial<SpreadTestOptions> = {},
): Promise<SpreadGatewayTest> {
  const test = new SpreadGatewayTest(await startSpreadTestSystem(spreadShop(changes)), options);
  onTestFinished(() => test.stop());
  await test.settle();
  return test;
}
