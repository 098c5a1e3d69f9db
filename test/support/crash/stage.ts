/**
 * What a script is performed on, in the same words for a system of one kernel and for one over workers: both on virtual
 * time and on stores that fail.
 */
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type System } from '../../../src/system.ts';
import { type SendOptions, type SpawnOptions, type SystemOptions } from '../../../src/system-options.ts';
import { type FaultyStore, faultyStore } from '../../../src/testing/faulty-store.ts';
import { SpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { TestSystem } from '../../../src/testing/test-system.ts';

export interface Stage {
  /** By part; one where nothing is spread. */
  readonly stores: readonly FaultyStore[];
  start(): Promise<void>;
  /** What runs now, by part. */
  parts(): readonly System[];
  /** Where an address is placed. */
  partOf(address: string): number;
  send(address: string, event: { readonly type: string }, options?: SendOptions): Promise<void>;
  spawn(agent: AnyAgent, id: string, options: SpawnOptions): Promise<unknown>;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  /** The power fails, of one part or of all; unsynced batches are lost but for so many. */
  crash(options?: { readonly part?: number; readonly keepUnsynced?: number }): Promise<void>;
  /** The next start of what is down, or of one part alone. */
  restart(part?: number): Promise<void>;
  stop(): Promise<void>;
}

/** How a stage is set up; it has as many parts as stores. */
interface Scenery extends Pick<SystemOptions, 'agents' | 'tree' | 'journal' | 'durability'> {
  readonly stores: readonly FaultyStore[];
}

/** So many stores of a stage. */
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
      await test.system.start();
      await test.settle();
    },
    parts: () => [test.system],
    partOf: () => 0,
    send: (address, event, how) => test.system.send(address, event, how),
    spawn: (agent, id, how) => test.system.spawn(agent, id, how),
    settle: () => test.settle(),
    advance: (ms) => test.advance(ms),
    crash: ({ keepUnsynced = 0 } = {}) => test.crash({ keepUnsynced }),
    restart: () => test.restart(),
    stop: () => test.system.stop(),
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
