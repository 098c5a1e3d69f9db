/**
 * A whole system for tests: virtual time, seeded randomness, and a store that can lose unsynced writes. `crash` and
 * `restart` stand for power loss and the next start of the process.
 */
import { isAgent } from '../actors/api/agent-rules.ts';
import { BosunError } from '../errors.ts';
import { aFunction, anything, aTime, type OptionRules, problemOfOptions, recordOf, rule } from '../option-rules.ts';
import { type RunningPromise } from '../actors/world/effects/running-promises.ts';
import { logOf, Shard } from '../shard.ts';
import { OneShard } from '../shards.ts';
import { System } from '../system.ts';
import { type SystemOptions } from '../system-options.ts';
import { SYSTEM_OPTIONS } from '../system-rules.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { type CalledEffect, type EffectStubs, TestEffects } from './test-effects.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Rounds without a write after which a system counts as settled. */
const QUIET_ROUNDS = 4;

/** Limit for systems that are never idle, such as one whose promise is restarted whenever it ends. */
const ROUNDS_MAX = 10_000;

/** The options of a test system about real promises that may have other defaults in all tests of a process. */
export type TestDefaults = Required<Pick<TestSystemOptions, 'effectsMs' | 'warn'>>;

const defaults: { -readonly [Key in keyof TestDefaults]: TestDefaults[Key] } = { effectsMs: 1_000, warn: logOf({}) };

/** Sets defaults of all test systems that start later in this process, for the setup file of a test runner. */
export function configureTestSystems(changes: Partial<TestDefaults>): void {
  Object.assign(defaults, changes);
}

/** Options of `startTestSystem`. */
export interface TestSystemOptions extends Omit<SystemOptions, 'store' | 'clock' | 'random'> {
  /** Seed of random numbers. Default 1. */
  readonly seed?: number;
  readonly clock?: VirtualClock;
  readonly store?: FaultyStore;
  /**
   * Stubs of effects, by agent and name (`order.charge`): a function in the place of a promise or a custom action, or
   * logic in the place of any actor. An effect that is not named here really runs.
   */
  readonly effects?: EffectStubs;
  /**
   * Real milliseconds for which `advance` waits for each start of a promise without a stub. Default 1,000. With 0,
   * nothing waits for such promises or warns of them.
   */
  readonly effectsMs?: number;
  /** Receives warnings, such as that of a promise under way. Default: standard error. */
  readonly warn?: (line: string) => void;
  /** @internal Called with each shard before it starts, to subscribe from its first epoch on. */
  readonly onCreate?: (system: Shard) => void;
}

/** Gives a warning to those who hear the warnings of a test system with these options. */
export function warnIn({ warn = defaults.warn }: Pick<TestSystemOptions, 'warn'>, line: string): void {
  warn(line);
}

/** The options that a test system has beside those of createSystem, which checks the others. */
const TEST_RULES: OptionRules<Pick<TestSystemOptions, OwnOption>> = {
  seed: rule('a whole number', Number.isSafeInteger),
  effects: recordOf(anything),
  effectsMs: aTime,
  warn: aFunction,
  onCreate: aFunction,
};
type OwnOption = 'seed' | 'effects' | 'effectsMs' | 'warn' | 'onCreate';

/** Throws BOSUN_CONFIG_INVALID for an option that neither createSystem nor a test system has. */
function checkOptions(options: TestSystemOptions): void {
  const others = Object.fromEntries(SYSTEM_OPTIONS.map((key) => [key, anything]));
  const problem = problemOfOptions<object>(options, { ...others, ...TEST_RULES });
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `startTestSystem: ${problem}`);
}

/** A system on virtual time, with its store, clock and log. */
export class TestSystem {
  readonly clock: VirtualClock;
  readonly store: FaultyStore;
  /** The arguments of `log` actions and the reports of the runtime. */
  readonly logged: unknown[][] = [];
  readonly #log = (...line: unknown[]): void => void this.logged.push(line);
  /** Warnings so far, each once. */
  readonly warnings: string[] = [];
  readonly #options: TestSystemOptions;
  readonly #effects: TestEffects;
  #system: Shard;
  #host: System | undefined;

  /** Use {@link startTestSystem}. */
  constructor(options: TestSystemOptions) {
    checkOptions(options);
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.store = options.store ?? faultyStore();
    const { effects = {}, effectsMs = defaults.effectsMs, warn = defaults.warn } = options;
    this.#effects = new TestEffects({
      effects,
      effectsMs,
      clock: this.clock,
      warn: (line) => {
        this.warnings.push(line);
        warn(line);
      },
    });
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

  /** The calls of stubs that are functions, in their order, over all starts of the system. */
  get calls(): readonly CalledEffect[] {
    return this.#effects.calls;
  }

  /**
   * Runs everything that can happen without time passing, and waits until the system is idle. Stubs that answer at once
   * have answered. Warns of real promises under way, for which it does not wait.
   */
  async settle(): Promise<void> {
    await this.#quiet();
    this.#effects.left(() => this.#running());
  }

  /**
   * Moves virtual time on, timer by timer, and settles after each. Before time moves, it waits for real promises: each
   * start for `effectsMs` of real time, after which it warns and goes on.
   */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, () =>
      this.#effects.wait(
        () => this.#running(),
        () => this.#quiet(),
      ),
    );
  }

  async #quiet(): Promise<void> {
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

  /** The promises that run now; none for a system that is not running, or on an exact clock. */
  #running(): readonly RunningPromise[] {
    const { clientApi } = this.#system;
    return clientApi.isRunning && !this.clock.isExact ? clientApi.runningPromises() : [];
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
    await this.#quiet();
    this.#system = this.#create({ ...this.#options, ...changes });
    await this.begin();
  }

  /** Starts the system for the first time. Use {@link startTestSystem}. */
  async begin(): Promise<void> {
    const started = this.#system.start();
    // An exact clock runs deferred functions only while it is drained, so awaiting the start alone would hang.
    if (this.clock.isExact) await Promise.all([started, this.clock.drain()]);
    await started;
    await this.#quiet();
  }

  #create(options: TestSystemOptions): Shard {
    const { seed = 1, onCreate, effects: _, effectsMs: __, warn: ___, agents, ...rest } = options;
    const system = new Shard({
      // The scrubber would run every second of every test.
      scrub: false,
      // Many epochs are many places to crash at.
      epochMs: 0,
      log: this.#log,
      ...rest,
      // Anything else is refused by the checks of createSystem.
      agents: Array.isArray(agents) && agents.every(isAgent) ? this.#effects.in(agents) : agents,
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
