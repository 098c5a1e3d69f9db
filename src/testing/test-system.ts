/**
 * A whole system for tests: virtual time, seeded randomness, and a store that can lose unsynced writes. `crash` and
 * `restart` stand for power loss and the next start of the process.
 */
import { logOf, Shard } from '../shard.ts';
import { OneShard } from '../shards.ts';
import { System } from '../system.ts';
import { type SystemOptions } from '../system-options.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Rounds without a write after which a system counts as settled. */
const QUIET_ROUNDS = 4;

/** Limit for systems that are never idle, such as one whose promise is restarted whenever it ends. */
const ROUNDS_MAX = 10_000;

/** Options of `startTestSystem`. */
export interface TestSystemOptions extends Omit<SystemOptions, 'store' | 'clock' | 'random'> {
  /** Seed of random numbers. Default 1. */
  readonly seed?: number;
  readonly clock?: VirtualClock;
  readonly store?: FaultyStore;
  /** @internal Called with each shard before it starts, to subscribe from its first epoch on. */
  readonly onCreate?: (system: Shard) => void;
}

/** A system on virtual time, with its store, clock and log. */
export class TestSystem {
  readonly clock: VirtualClock;
  readonly store: FaultyStore;
  /** The arguments of `log` actions and the reports of the runtime. */
  readonly logged: unknown[][] = [];
  readonly #log = (...line: unknown[]): void => void this.logged.push(line);
  readonly #options: TestSystemOptions;
  #system: Shard;
  #host: System | undefined;

  /** Use {@link startTestSystem}. */
  constructor(options: TestSystemOptions) {
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.store = options.store ?? faultyStore();
    this.#system = this.#create(options);
  }

  /** @internal The shard of the system as of the last start: what is durable there, read at once. */
  get shard(): Shard {
    return this.#system;
  }

  /** The system as of the last start. */
  get system(): System {
    if (this.#host?.inside === this.#system) return this.#host;
    const log = logOf({ log: this.#options.log ?? this.#log });
    this.#host = new System(new OneShard(this.#system), { clock: this.clock, log });
    return this.#host;
  }

  /** Runs everything that can happen without time passing, and waits until the system is idle. */
  async settle(): Promise<void> {
    if (this.clock.isExact) return void (await this.clock.drain());
    // Each round lets promises of effects settle, then waits for the turns that they cause. A promise may take several
    // rounds.
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

  /**
   * Simulates a power loss: unsynced writes are lost except the first `keepUnsynced` batches, and nothing more happens.
   */
  async crash(options: { keepUnsynced?: number } = {}): Promise<void> {
    this.#system.abandon();
    this.store.crash(options);
  }

  /** Starts the next process on the same store, with other agents or options if given. */
  async restart(changes: Partial<TestSystemOptions> = {}): Promise<void> {
    // A system that has failed by itself may still be closing its store.
    await this.settle();
    this.#system = this.#create({ ...this.#options, ...changes });
    await this.begin();
  }

  /** Starts the system for the first time. Use {@link startTestSystem}. */
  async begin(): Promise<void> {
    const started = this.#system.start();
    // An exact clock runs deferred functions only while it is drained, so awaiting the start alone would hang.
    if (this.clock.isExact) await Promise.all([started, this.clock.drain()]);
    await started;
    await this.settle();
  }

  #create(options: TestSystemOptions): Shard {
    const { seed = 1, onCreate, ...rest } = options;
    const system = new Shard({
      // The scrubber would run every second of every test.
      scrub: false,
      // Many epochs are many places to crash at.
      epochMs: 0,
      log: this.#log,
      ...rest,
      store: this.store,
      clock: this.clock,
      random: new SeededRandom(seed),
    });
    // A test asks for the reason once time has passed; that the system closed is in its log.
    system.closed.catch(() => {});
    onCreate?.(system);
    return system;
  }
}

/** Starts a system on virtual time, on a store whose faults a test controls, and settles it. */
export async function startTestSystem(options: TestSystemOptions): Promise<TestSystem> {
  const test = new TestSystem(options);
  await test.begin();
  return test;
}
