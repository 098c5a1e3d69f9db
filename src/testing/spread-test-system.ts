/**
 * A system that is spread over workers, for tests: all of it in one thread, on one virtual clock, each worker with a
 * store of its own that can lose what was not synced. `crash` is the death of one worker, `restart` its next start;
 * what travels between workers is bytes here too, and none of it survives the death of who it was for.
 */
import { type Wire } from '../actors/model/ports.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { createWorkerGateway } from '../gateway/workers/worker-gateway.ts';
import { System } from '../system.ts';
import { type SystemOptions } from '../system-options.ts';
import { type Staff, type StaffListener } from '../workers/staff.ts';
import { CallService } from '../workers/call-service.ts';
import { refusedStart } from '../workers/call-messages.ts';
import { factsOf } from '../workers/facts.ts';
import { SpreadSystem } from '../workers/spread-system.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface SpreadTestOptions extends Omit<SystemOptions, 'store' | 'clock' | 'random'> {
  /** How many workers. */
  readonly workers: number;
  /** Default 1. */
  readonly seed?: number;
  readonly clock?: VirtualClock;
  /** By worker; new ones unless given. */
  readonly stores?: readonly FaultyStore[];
  /** Is given the part of each worker before it starts, to hear what it says from its first epoch on. */
  readonly onCreate?: (system: System, worker: number) => void;
}

/** One worker while it lives. */
interface Worker {
  readonly system: System;
  readonly service: CallService;
  /** Who hears other workers, once its kernel runs. */
  hear: ((from: number, bytes: Uint8Array) => void) | undefined;
}

class LoopbackStaff implements Staff {
  readonly count: number;
  readonly clock: VirtualClock;
  readonly stores: readonly FaultyStore[];
  readonly logged: unknown[][];
  readonly options: SpreadTestOptions;
  readonly #living = new Map<number, Worker>();
  #listener: StaffListener | undefined;
  #begun: readonly Promise<void>[] = [];
  #ready = 0;
  #isEnding = false;
  readonly #gates: (() => void)[] = [];
  /** Frames on their way. */
  travelling = 0;

  constructor(options: SpreadTestOptions, logged: unknown[][] = []) {
    this.options = options;
    this.logged = logged;
    this.count = options.workers;
    this.clock = options.clock ?? new VirtualClock();
    this.stores =
      options.stores ?? Array.from({ length: this.count }, (_, index) => faultyStore({ name: `worker ${index}` }));
  }

  async start(listener: StaffListener): Promise<void> {
    this.#listener = listener;
    this.#begun = this.stores.map((_, index) => this.begin(index));
    await Promise.all(this.#begun);
  }

  post(index: number, bytes: Uint8Array): void {
    this.#travelTo(index, ({ service }) => service.hear(bytes));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const living = [...this.#living.values()];
    this.#living.clear();
    await Promise.all(living.map(({ system }) => system.stop()));
    // Who waits for the others sees that it was stopped, and closes its store.
    for (const go of this.#gates.splice(0)) go();
    await Promise.allSettled(this.#begun);
  }

  system(index: number): System | undefined {
    return this.#living.get(index)?.system;
  }

  async begin(index: number): Promise<void> {
    const { seed = 1, workers, clock, stores, onCreate, ...rest } = this.options;
    const wire: Wire = {
      post: (to, bytes) => this.#travelTo(to, ({ hear }) => hear?.(index, bytes)),
      listen: (listener) => (worker.hear = listener),
    };
    const options = {
      scrub: false as const,
      epochMs: 0,
      log: (...line: unknown[]) => this.logged.push(line),
      ...rest,
      store: this.stores[index]!,
      clock: this.clock,
      random: new SeededRandom(seed + index),
    };
    const system = new System(options, { index, count: workers, wire, gate: () => this.#gate() });
    onCreate?.(system, index);
    const tell = (bytes: Uint8Array) =>
      this.#travel(() => this.#living.get(index) === worker && this.#listener?.heard(index, bytes));
    const worker: Worker = {
      system,
      service: new CallService(system, {
        clock: this.clock,
        post: tell,
        build: () => createWorkerGateway(system, this.clock),
      }),
      hear: undefined,
    };
    this.#living.set(index, worker);
    await system.start().catch((error: unknown) => {
      throw isBosunError(error) ? refusedStart(index, error) : error;
    });
    system.closed.catch((error: unknown) => {
      if (this.#living.get(index) === worker && isBosunError(error)) this.#listener?.failed(error);
    });
    this.#listener?.up(index, factsOf(options));
  }

  async kill(index: number): Promise<void> {
    this.die(index);
    await Promise.resolve();
  }

  die(index: number): void {
    const worker = this.#living.get(index);
    if (worker === undefined) return;
    this.#living.delete(index);
    worker.system.abandon();
    this.#listener?.down(index, new BosunError('BOSUN_WORKER_DOWN', 'the test ended it'));
  }

  /** At the first start each waits for the last, unless one has failed by then. */
  #gate(): Promise<void> {
    this.#ready += 1;
    if (this.#ready >= this.count) for (const go of this.#gates.splice(0)) go();
    return this.#isEnding || this.#ready >= this.count
      ? Promise.resolve()
      : new Promise((resolve) => this.#gates.push(resolve));
  }

  /** What is on its way to a worker that dies is lost, also when another has taken its place. */
  #travelTo(index: number, arrive: (worker: Worker) => void): void {
    const worker = this.#living.get(index);
    if (worker !== undefined) this.#travel(() => this.#living.get(index) === worker && arrive(worker));
  }

  #travel(arrive: () => unknown): void {
    this.travelling += 1;
    this.clock.defer(() => {
      this.travelling -= 1;
      arrive();
    });
  }
}

export class SpreadTestSystem {
  #staff: LoopbackStaff;
  #system: SpreadSystem;

  /** Use {@link startSpreadTestSystem}. */
  constructor(options: SpreadTestOptions) {
    this.#staff = new LoopbackStaff(options);
    this.#system = new SpreadSystem({ staff: this.#staff, clock: this.#staff.clock });
  }

  get system(): SpreadSystem {
    return this.#system;
  }

  get clock(): VirtualClock {
    return this.#staff.clock;
  }

  /** By worker. */
  get stores(): readonly FaultyStore[] {
    return this.#staff.stores;
  }

  /** Lines of `log` actions and reports of the runtime. */
  get logged(): readonly unknown[][] {
    return this.#staff.logged;
  }

  /** The part of the system that a worker has; undefined while it is down. */
  worker(index: number): System | undefined {
    return this.#staff.system(index);
  }

  /** Lets everything happen that can without time passing. */
  async settle(): Promise<void> {
    // Frames cause turns, and turns frames: it is over when a few rounds in a row had neither.
    for (let quiet = 0; quiet < 4; quiet++) {
      const { travelling } = this.#staff;
      await new Promise<void>((resolve) => this.clock.defer(resolve));
      for (let index = 0; index < this.#staff.count; index++) await this.worker(index)?.idle();
      if (travelling + this.#staff.travelling > 0) quiet = -1;
    }
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, () => this.settle());
  }

  /**
   * One worker dies, and its store loses what was not synced; `keepUnsynced` batches survive all the same. Does nothing
   * where it is down.
   */
  crash(index: number, options: { keepUnsynced?: number } = {}): void {
    if (this.worker(index) === undefined) return;
    this.#staff.die(index);
    this.stores[index]!.crash(options);
  }

  /** A worker that died is started again. `isSettled: false`: it runs then, and what follows is under way. */
  async restart(index: number, { isSettled = true }: { isSettled?: boolean } = {}): Promise<void> {
    await this.#staff.begin(index);
    if (isSettled) await this.settle();
  }

  /** All of it dies, as by a power cut. */
  crashAll(): void {
    for (let index = 0; index < this.#staff.count; index++) this.crash(index);
  }

  /** The next start of all of it, with other agents or options if given. */
  async restartAll(changes: Partial<SpreadTestOptions> = {}): Promise<void> {
    this.#staff = new LoopbackStaff(
      { ...this.#staff.options, ...changes, clock: this.clock, stores: this.stores },
      this.#staff.logged,
    );
    this.#system = new SpreadSystem({ staff: this.#staff, clock: this.clock });
    await this.#system.start();
    await this.settle();
  }
}

export async function startSpreadTestSystem(options: SpreadTestOptions): Promise<SpreadTestSystem> {
  const test = new SpreadTestSystem(options);
  await test.system.start();
  await test.settle();
  return test;
}
