/**
 * A system over workers for tests: all in one thread, on one virtual clock, each worker with a store of its own that
 * can lose unsynced writes. `crash` is the death of one worker, `restart` its next start; messages between workers are
 * bytes here too, and none survives the death of its receiver.
 */
import { type Wire } from '../actors/model/wire.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { createWorkerGateway } from '../gateway/workers/worker-gateway.ts';
import { logOf, Shard } from '../shard.ts';
import { System } from '../system.ts';
import { type SystemOptions } from '../system-options.ts';
import { type Staff, type StaffListener } from '../workers/staff.ts';
import { CallService } from '../workers/call-service.ts';
import { refusedStart } from '../workers/call-messages.ts';
import { factsOf } from '../workers/facts.ts';
import { WorkerShards } from '../workers/worker-shards.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** How frames travel between workers, and between each and the host. */
export interface Wires {
  /**
   * Takes a frame for transport.
   *
   * @param line The sender and the receiver. Frames of one line arrive in their order.
   */
  travel(line: string, arrive: () => void): void;
}

/** Options of `startSpreadTestSystem`. */
export interface SpreadTestOptions extends Omit<SystemOptions, 'store' | 'clock' | 'random'> {
  /** Number of workers. */
  readonly workers: number;
  /** Seed of random numbers. Default 1. */
  readonly seed?: number;
  readonly clock?: VirtualClock;
  /** Stores by worker; default: new ones. */
  readonly stores?: readonly FaultyStore[];
  /** Called with the system of each worker before it starts, to subscribe from its first epoch on. */
  readonly onCreate?: (system: Shard, worker: number) => void;
  /** @internal Options of a worker at each of its starts, over the others. */
  readonly optionsOf?: (worker: number) => Partial<SpreadTestOptions>;
  /** @internal Default: every frame arrives at the next round, in order. */
  readonly wires?: Wires;
}

/** A running worker. */
interface Worker {
  readonly system: Shard;
  readonly service: CallService;
  /** Takes frames of other workers. Undefined until its kernel runs. */
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
  /** Number of frames in transit. */
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
    this.#travelTo(index, `host to ${index}`, ({ service }) => service.hear(bytes));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const living = [...this.#living.values()];
    this.#living.clear();
    await Promise.all(living.map(({ system }) => system.stop()));
    // Workers that wait for the others see that the system was stopped, and close their stores.
    for (const go of this.#gates.splice(0)) go();
    await Promise.allSettled(this.#begun);
  }

  system(index: number): Shard | undefined {
    return this.#living.get(index)?.system;
  }

  async begin(index: number): Promise<void> {
    const changes = this.options.optionsOf?.(index);
    const { seed = 1, workers, clock, stores, onCreate, optionsOf, wires, ...rest } = { ...this.options, ...changes };
    const wire: Wire = {
      post: (to, bytes) => this.#travelTo(to, `${index} to ${to}`, ({ hear }) => hear?.(index, bytes)),
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
    const system = new Shard(options, { index, count: workers, wire, gate: () => this.#gate() });
    onCreate?.(system, index);
    const tell = (bytes: Uint8Array) =>
      this.#travel(`${index} to host`, () => {
        if (this.#living.get(index) === worker) this.#listener?.heard(index, bytes);
      });
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
    this.#listener?.down(index, new BosunError('BOSUN_WORKER_DOWN', 'the test ended the worker'));
  }

  /** Waits at the first start until all workers are ready, or one has failed. */
  #gate(): Promise<void> {
    this.#ready += 1;
    if (this.#ready >= this.count) for (const go of this.#gates.splice(0)) go();
    return this.#isEnding || this.#ready >= this.count
      ? Promise.resolve()
      : new Promise((resolve) => this.#gates.push(resolve));
  }

  /** Sends a frame. It is lost if its receiver dies before it arrives, even if the receiver is restarted. */
  #travelTo(index: number, line: string, arrive: (worker: Worker) => void): void {
    const worker = this.#living.get(index);
    if (worker === undefined) return;
    this.#travel(line, () => {
      if (this.#living.get(index) === worker) arrive(worker);
    });
  }

  #travel(line: string, arrive: () => void): void {
    this.travelling += 1;
    const arrived = () => {
      this.travelling -= 1;
      arrive();
    };
    if (this.options.wires === undefined) this.clock.defer(arrived);
    else this.options.wires.travel(line, arrived);
  }
}

function systemOf(staff: LoopbackStaff): System {
  const log = logOf({ log: (...line) => void staff.logged.push(line) });
  return new System(new WorkerShards(staff, staff.clock), { clock: staff.clock, log });
}

/** A system over workers on virtual time, in one thread. */
export class SpreadTestSystem {
  #staff: LoopbackStaff;
  #system: System;

  /** Use {@link startSpreadTestSystem}. */
  constructor(options: SpreadTestOptions) {
    this.#staff = new LoopbackStaff(options);
    this.#system = systemOf(this.#staff);
  }

  get system(): System {
    return this.#system;
  }

  get clock(): VirtualClock {
    return this.#staff.clock;
  }

  /** The stores by worker. */
  get stores(): readonly FaultyStore[] {
    return this.#staff.stores;
  }

  /** The arguments of `log` actions and the reports of the runtime. */
  get logged(): readonly unknown[][] {
    return this.#staff.logged;
  }

  /** The system of a worker; undefined while it is down. */
  worker(index: number): Shard | undefined {
    return this.#staff.system(index);
  }

  /** Runs everything that can happen without time passing, and waits until the system is idle. */
  async settle(): Promise<void> {
    if (this.clock.isExact) return void (await this.clock.drain());
    // Frames cause turns, and turns cause frames: it has settled when a few rounds in a row had neither.
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
   * Simulates the death of one worker, whose store loses unsynced writes except the first `keepUnsynced` batches. Does
   * nothing if the worker is down.
   */
  crash(index: number, options: { keepUnsynced?: number } = {}): void {
    if (this.worker(index) === undefined) return;
    this.#staff.die(index);
    this.stores[index]!.crash(options);
  }

  /** Restarts a worker that died. `isSettled: false`: returns once it runs, without waiting for the consequences. */
  async restart(index: number, { isSettled = true }: { isSettled?: boolean } = {}): Promise<void> {
    await this.#staff.begin(index);
    if (isSettled) await this.settle();
  }

  /** Simulates the death of all workers, as by a power cut. */
  crashAll(options: { keepUnsynced?: number } = {}): void {
    for (let index = 0; index < this.#staff.count; index++) this.crash(index, options);
  }

  /** Starts all workers again, with other agents or options if given. */
  async restartAll(changes: Partial<SpreadTestOptions> = {}): Promise<void> {
    this.#staff = new LoopbackStaff(
      { ...this.#staff.options, ...changes, clock: this.clock, stores: this.stores },
      this.#staff.logged,
    );
    this.#system = systemOf(this.#staff);
    await this.begin();
  }

  /** Starts all workers for the first time. Use {@link startSpreadTestSystem}. */
  async begin(): Promise<void> {
    await this.#system.start();
    await this.settle();
  }
}

/** Starts a system over workers on virtual time, and settles it. */
export async function startSpreadTestSystem(options: SpreadTestOptions): Promise<SpreadTestSystem> {
  const test = new SpreadTestSystem(options);
  await test.begin();
  return test;
}
