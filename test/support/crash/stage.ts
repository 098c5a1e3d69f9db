/**
 * The stage on which a script is performed, with one interface for a system of one kernel and a system of workers, both
 * on virtual time and on stores that fail.
 */
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type Shard } from '../../../src/shard.ts';
import { type SendOptions, type SpawnOptions, type SystemOptions } from '../../../src/system-options.ts';
import { type FaultyStore, faultyStore } from '../../../src/testing/faulty-store.ts';
import { SpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { TestSystem } from '../../../src/testing/test-system.ts';

export interface Stage {
  /** Stores by part; a single one for one kernel. */
  readonly stores: readonly FaultyStore[];
  start(): Promise<void>;
  /** Running systems by part. */
  parts(): readonly Shard[];
  /** The part that holds an address. */
  partOf(address: string): number;
  send(address: string, event: { readonly type: string }, options?: SendOptions): Promise<void>;
  spawn(agent: AnyAgent, id: string, options: SpawnOptions): Promise<unknown>;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  /** Cuts the power of one part or of all; unsynced batches are lost except `keepUnsynced` of them. */
  crash(options?: { readonly part?: number; readonly keepUnsynced?: number }): Promise<void>;
  /** Starts every dead part, or one part alone. */
  restart(part?: number): Promise<void>;
  stop(): Promise<void>;
}

/** The setup of a stage, which has as many parts as stores. */
interface Scenery extends Pick<SystemOptions, 'agents' | 'tree' | 'journal' | 'durability'> {
  readonly stores: readonly FaultyStore[];
}

/** Makes `count` stores for a stage. */
export function faultyStores(count: number): FaultyStore[] {
  return Array.from({ length: count }, (_, part) => faultyStore({ name: `store ${part}` }));
}

export function stageOf(scenery: Scenery): Stage {
  return scenery.stores.length === 1 ? oneKernel(scenery) : overWorkers(scenery);
}

function oneKernel({ stores, ...options }: Scenery): Stage {
  const test = new TestSystem({ ...options, store: stores[0]! });
  return {
    stores,
    start: async () => {
      await test.shard.start();
      await test.settle();
    },
    parts: () => [test.shard],
    partOf: () => 0,
    send: (address, event, how) => test.shard.send(address, event, how),
    spawn: (agent, id, how) => test.shard.spawn(agent, id, how),
    settle: () => test.settle(),
    advance: (ms) => test.advance(ms),
    crash: ({ keepUnsynced = 0 } = {}) => test.crash({ keepUnsynced }),
    restart: () => test.restart(),
    stop: () => test.shard.stop(),
  };
}

function overWorkers({ stores, ...options }: Scenery): Stage {
  const test = new SpreadTestSystem({ ...options, workers: stores.length, stores });
  const workers = stores.map((_, worker) => worker);
  return {
    stores,
    start: async () => {
      await test.system.start();
      await test.settle();
    },
    parts: () => workers.flatMap((worker) => test.worker(worker) ?? []),
    partOf: (address) => test.system.workerOf(address)!,
    send: (address, event, how) => test.system.send(address, event, how),
    spawn: (agent, id, how) => test.system.spawn(agent, id, how),
    settle: () => test.settle(),
    advance: (ms) => test.advance(ms),
    crash: async ({ part, ...how } = {}) => {
      for (const worker of part === undefined ? workers : [part]) test.crash(worker, how);
    },
    restart: async (part) => {
      if (part !== undefined) return await test.restart(part);
      const dead = workers.filter((worker) => test.worker(worker) === undefined);
      if (dead.length === workers.length) await test.restartAll();
      else for (const worker of dead) await test.restart(worker);
    },
    stop: () => test.system.stop(),
  };
}
