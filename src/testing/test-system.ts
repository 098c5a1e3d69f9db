/**
 * A whole system for tests: virtual time, seeded chance, and a store that can lose what was not synced. `crash` and
 * `restart` stand for power loss and the next start of the process.
 */
import { createSystem, type System } from '../system.ts';
import { type SystemOptions } from '../system-options.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Rounds in which nothing was written, after which nothing more is to come. */
const QUIET_ROUNDS = 4;

/** For what never comes to rest: a promise that is begun again whenever it ends. */
const ROUNDS_MAX = 10_000;

export interface TestSystemOptions extends Omit<SystemOptions, 'store' | 'clock' | 'random'> {
  /** Default 1. */
  readonly seed?: number;
  readonly clock?: VirtualClock;
  readonly store?: FaultyStore;
  /** Is given each system before it starts, to hear what it says from its first epoch on. */
  readonly onCreate?: (system: System) => void;
}

export class TestSystem {
  readonly clock: VirtualClock;
  readonly store: FaultyStore;
  /** Lines of `log` actions and reports of the runtime. */
  readonly logged: unknown[][] = [];
  readonly #options: TestSystemOptions;
  #system: System;

  /** Use {@link startTestSystem}. */
  constructor(options: TestSystemOptions) {
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.store = options.store ?? faultyStore();
    this.#system = this.#create(options);
  }

  /** The system as of the last start. */
  get system(): System {
    return this.#system;
  }

  /** Lets everything happen that can without time passing. */
  async settle(): Promise<void> {
    // Each round lets promises of effects settle, then waits for the turns that they cause; one may be so many steps
    // long.
    let quiet = 0;
    for (let round = 0; quiet < QUIET_ROUNDS && round < ROUNDS_MAX; round++) {
      const { writes } = this.store;
      await new Promise<void>((resolve) => this.clock.defer(resolve));
      await this.#system.idle();
      quiet = this.store.writes === writes ? quiet + 1 : 0;
    }
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, () => this.settle());
  }

  /** Power loss: what was not synced is gone, nothing more happens. `keepUnsynced` batches survive all the same. */
  async crash(options: { keepUnsynced?: number } = {}): Promise<void> {
    this.#system.abandon();
    this.store.crash(options);
  }

  /** Starts the next process on the same store, with other agents or options if given. */
  async restart(changes: Partial<TestSystemOptions> = {}): Promise<void> {
    // One that has failed by itself may still be closing its store.
    await this.settle();
    this.#system = this.#create({ ...this.#options, ...changes });
    await this.#system.start();
    await this.settle();
  }

  #create(options: TestSystemOptions): System {
    const { seed = 1, onCreate, ...rest } = options;
    const system = createSystem({
      // It would come up every second of every test.
      scrub: false,
      // Many epochs are many places to crash at.
      epochMs: 0,
      log: (...line) => this.logged.push(line),
      ...rest,
      store: this.store,
      clock: this.clock,
      random: new SeededRandom(seed),
    });
    onCreate?.(system);
    return system;
  }
}

export async function startTestSystem(options: TestSystemOptions): Promise<TestSystem> {
  const test = new TestSystem(options);
  await test.system.start();
  await test.settle();
  return test;
}
