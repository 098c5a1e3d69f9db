/**
 * The processes of a system under simulation: one with one store, or workers with a store each. They are started, they
 * die and are asked things in the same words; when and of what they die is the affair of host.ts.
 */
import { type EventObject } from 'xstate';
import { type Shard } from '../../shard.ts';
import { type SendOptions } from '../../system-options.ts';
import { type FaultyStore } from '../faulty-store.ts';
import { SpreadTestSystem, type SpreadTestOptions } from '../spread-test-system.ts';
import { TestSystem, type TestSystemOptions } from '../test-system.ts';

/** The calls by which clients reach a system, whether it is spread over workers or not. */
interface Told {
  stop(): Promise<void>;
  send(address: string, event: EventObject, options: SendOptions): Promise<void>;
  ask(address: string, event: EventObject, options: { readonly id: string }): Promise<unknown>;
}

export abstract class Processes {
  /** The systems that run, by worker; one that is alone is worker 0. */
  abstract readonly systems: ReadonlyMap<number, Shard>;
  protected abstract readonly told: Told;
  /** Starts the system for the first time. */
  abstract begin(): Promise<void>;
  /** Starts every worker that has died. */
  abstract revive(): Promise<void>;
  /**
   * Simulates a death.
   *
   * @param worker The worker that dies. Default: all workers.
   */
  abstract die(keepUnsynced: number, worker?: number): void;

  stop(): Promise<void> {
    return this.told.stop();
  }

  /**
   * Sends an event from a client.
   *
   * @param id Identifies the send, so that a repeat is recognised.
   */
  send(address: string, event: EventObject, id: string): Promise<void> {
    return this.told.send(address, event, { session: { id, sequence: 1 } });
  }

  /**
   * Asks an actor for a client.
   *
   * @param id Identifies the request, so that a repeat is recognised.
   */
  ask(address: string, event: EventObject, id: string): Promise<unknown> {
    return this.told.ask(address, event, { id });
  }
}

interface Parts<Options> {
  /** Makes the options of the next start, with the code of the next process. */
  readonly options: () => Options;
  /** Called when the system has closed by itself. */
  readonly onClosed: (reason: unknown) => void;
}

export class OneProcess extends Processes {
  readonly #parts: Parts<TestSystemOptions>;
  readonly #test: TestSystem;

  constructor(parts: Parts<TestSystemOptions>) {
    super();
    this.#parts = parts;
    this.#test = new TestSystem(this.#options());
  }

  protected get told(): Told {
    return this.#test.shard;
  }

  /** A system that has died still shows what was durable. */
  get systems(): ReadonlyMap<number, Shard> {
    return new Map([[0, this.#test.shard]]);
  }

  begin(): Promise<void> {
    return this.#test.begin();
  }

  revive(): Promise<void> {
    return this.#test.restart(this.#options());
  }

  die(keepUnsynced: number): void {
    void this.#test.crash({ keepUnsynced });
  }

  #options(): TestSystemOptions {
    const { options, onClosed } = this.#parts;
    return {
      ...options(),
      onCreate: (made) => void made.closed.catch((reason: unknown) => this.#test.shard === made && onClosed(reason)),
    };
  }
}

interface SpreadParts extends Parts<SpreadTestOptions> {
  readonly stores: readonly FaultyStore[];
}

export class SpreadProcesses extends Processes {
  readonly #parts: SpreadParts;
  readonly #test: SpreadTestSystem;

  constructor(parts: SpreadParts) {
    super();
    this.#parts = parts;
    // A worker starts with the code of the process before its own, and not with that of the other workers.
    this.#test = new SpreadTestSystem({ ...parts.options(), stores: parts.stores, optionsOf: () => parts.options() });
    this.#watch();
  }

  protected get told(): Told {
    return this.#test.system;
  }

  get systems(): ReadonlyMap<number, Shard> {
    return new Map(
      this.#parts.stores.flatMap((_, worker): [number, Shard][] => {
        const system = this.#test.worker(worker);
        return system === undefined ? [] : [[worker, system]];
      }),
    );
  }

  begin(): Promise<void> {
    return this.#test.begin();
  }

  async revive(): Promise<void> {
    const living = this.systems;
    if (living.size === 0) {
      const restarted = this.#test.restartAll();
      this.#watch();
      return restarted;
    }
    const dead = this.#parts.stores.map((_, worker) => worker).filter((worker) => !living.has(worker));
    await Promise.all(dead.map((worker) => this.#test.restart(worker)));
  }

  die(keepUnsynced: number, worker?: number): void {
    if (worker === undefined) this.#test.crashAll({ keepUnsynced });
    else this.#test.crash(worker, { keepUnsynced });
  }

  #watch(): void {
    const made = this.#test.system;
    made.closed.catch((reason: unknown) => this.#test.system === made && this.#parts.onClosed(reason));
  }
}
