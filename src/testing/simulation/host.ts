/**
 * The system under simulation: starts it anew after each death, does to it what a fault says, and lets it come to rest.
 * One process or several workers on the stores that they are given; what is done to them, and when, is the affair of
 * run.ts.
 */
import { type EventObject } from 'xstate';
import { assert } from '../../assert.ts';
import { type Shard } from '../../shard.ts';
import { type FaultyStore, type HeldWrite } from '../faulty-store.ts';
import { type VirtualClock } from '../virtual-clock.ts';
import { type SimulatedSystem } from './definition.ts';
import { type Fault } from './faults.ts';
import { OneProcess, type Processes, SpreadProcesses } from './processes.ts';
import { SeededOrder } from './turn-order.ts';
import { SeededWires } from './wires.ts';

interface Parts {
  readonly clock: VirtualClock;
  /** The stores by worker. A process that is not spread has one. */
  readonly stores: readonly FaultyStore[];
  readonly seed: number;
  /** Makes the system for the next process. */
  readonly code: () => SimulatedSystem;
  /** Called when the processes have started and run. */
  readonly onStart: () => void;
  /** Called when a process has died or stopped. */
  readonly onDeath: () => void;
  /** Called when the system has closed by itself. */
  readonly onClosed: (reason: unknown) => void;
}

/** How often a stop is waited for before it counts as stuck. */
const STOP_WAITS = 20;
const WAIT_MS = 1_000;

/**
 * Times that the system settles within one wait. After these, work that itself waits for a settled system has ended.
 */
const RESTS = 4;

/** How often a start is waited for: longer than any full disk lasts. */
const START_WAITS = 100;

type Death = Extract<Fault, { downMs: number }>;

/** A process death that takes place at the next write of any process. */
interface Armed {
  readonly fault: Death;
  readonly held: readonly HeldWrite[];
  isDisarmed: boolean;
}

export class Host {
  readonly #parts: Parts;
  readonly #order = new SeededOrder();
  readonly #wires: SeededWires;
  readonly #processes: Processes;
  #armed: Armed | undefined;
  #isStopping = false;
  /** The fault by which a process died, until it starts again. */
  #died: Death | undefined;
  /** The latest snapshots that were shown before process deaths, by worker and life. */
  readonly #shown = new Map<string, { readonly seq: number; readonly hash: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#wires = new SeededWires(parts.clock);
    const { stores } = parts;
    // A system that is told to stop while its store cannot be written has not closed by itself.
    const onClosed = (reason: unknown) => !this.#isStopping && parts.onClosed(reason);
    const [store] = stores as readonly [FaultyStore];
    this.#processes =
      stores.length === 1
        ? new OneProcess({ options: () => ({ ...this.#options(), store }), onClosed })
        : new SpreadProcesses({
            stores,
            options: () => ({ ...this.#options(), wires: this.#wires, workers: stores.length }),
            onClosed,
          });
  }

  #options() {
    const { clock, seed, code } = this.#parts;
    const { workers: _, ...system } = code();
    return { ...system, clock, seed, turnOrder: this.#order };
  }

  /** The systems that run, by worker. */
  get systems(): readonly Shard[] {
    return [...this.#processes.systems.values()];
  }

  /** Whether a process is down. */
  get isDown(): boolean {
    return this.#died !== undefined;
  }

  /**
   * Begins a step.
   *
   * @param order Seed for the order of turns and frames from now on; 0 for the usual order.
   */
  begin(order: number): void {
    this.#order.begin(order);
    this.#wires.begin(order);
  }

  async start(): Promise<void> {
    this.#parts.onStart();
    await this.#whole(this.#processes.begin());
  }

  /**
   * Runs deferred work until the system is idle.
   *
   * @returns False if it never becomes idle.
   */
  async settle(rounds?: number): Promise<boolean> {
    const isAtRest = await this.#parts.clock.drain(rounds);
    return isAtRest || rounds !== undefined;
  }

  send(address: string, event: EventObject, id: string): Promise<void> {
    return this.#processes.send(address, event, id);
  }

  ask(address: string, event: EventObject, id: string): Promise<unknown> {
    return this.#processes.ask(address, event, id);
  }

  /** Carries out a fault and its consequences, until the process runs again. */
  async suffer(fault: Fault): Promise<void> {
    const { clock, stores } = this.#parts;
    switch (fault.kind) {
      case 'powerCut':
      case 'processKill':
      case 'tornTail':
        if (fault.at === 'now') this.#die(fault);
        else this.#arm({ ...fault, at: fault.at });
        return;
      case 'restart':
        await this.stop();
        // What was armed may have come first.
        if (this.#died !== undefined) return;
        this.#parts.onDeath();
        this.#died = fault;
        return;
      case 'writeFails':
        for (const store of stores) store.failWrites(fault.writes, { applied: fault.applied });
        return;
      case 'diskFull':
        for (const store of stores) store.failWrites(Infinity);
        clock.setTimeout(() => this.#canWrite(), fault.forMs);
        return;
      case 'wallJump':
        clock.jumpWallMs(fault.byMs);
        return;
      case 'sleep':
        clock.suspend(fault.forMs);
        return;
      case 'workerDeath':
        this.#die(fault, fault.worker);
        return;
      case 'wireDelay':
        this.#wires.delay(fault.line, fault.forMs);
        return;
    }
  }

  /**
   * Starts the processes that died.
   *
   * @returns The difference between a state shown before the death and the state now; undefined if there is none.
   */
  async revive(settle: () => Promise<void>): Promise<string | undefined> {
    if (this.#died === undefined) return undefined;
    if (this.#died.downMs > 0) await this.#parts.clock.advance(this.#died.downMs, settle);
    this.#died = undefined;
    this.#isStopping = false;
    this.#parts.onStart();
    await this.#whole(this.#processes.revive());
    return this.#died === undefined ? this.#regression() : undefined;
  }

  /** Ends all faults: pending ones do not happen, writes succeed, and frames arrive. */
  heal(): void {
    this.#disarm();
    this.#canWrite();
    this.#wires.heal();
  }

  /**
   * Stops the processes in good order. Does not wait for a process that dies meanwhile, nor without limit for a store.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#during(this.#processes.stop(), STOP_WAITS);
  }

  /** Awaits a start, unless a process dies before it is complete. */
  async #whole(start: Promise<void>): Promise<void> {
    const isOver = await this.#during(start, START_WAITS);
    if (this.#died !== undefined) return;
    assert(isOver, 'a start comes to an end');
    await start;
  }

  /**
   * Lets time pass until the work is done or a process has died.
   *
   * @returns Whether the work is done.
   */
  async #during(work: Promise<void>, waits: number): Promise<boolean> {
    let isOver = false;
    const over = () => void (isOver = true);
    work.then(over, over);
    for (let wait = 0; wait < waits && !isOver && this.#died === undefined; wait++) {
      for (let rest = 0; rest < RESTS && !isOver; rest++) await this.settle();
      if (!isOver) await this.#parts.clock.advance(WAIT_MS, async () => void (await this.settle()));
    }
    return isOver;
  }

  #canWrite(): void {
    for (const store of this.#parts.stores) store.failWrites(0);
  }

  #arm(fault: Death & { readonly at: 'before' | 'durable' }): void {
    if (this.#armed !== undefined) return;
    const armed: Armed = { fault, held: this.#parts.stores.map((store) => store.hold(fault.at)), isDisarmed: false };
    this.#armed = armed;
    for (const { reached } of armed.held)
      void reached.then(() => {
        if (!armed.isDisarmed && this.#armed === armed) this.#die(fault);
      });
  }

  #disarm(): void {
    if (this.#armed === undefined) return;
    this.#armed.isDisarmed = true;
    for (const held of this.#armed.held) held.release();
    this.#armed = undefined;
  }

  /**
   * Simulates a process death.
   *
   * @param worker The worker that dies. Default: all workers.
   */
  #die(fault: Death, worker?: number): void {
    this.#show();
    this.#processes.die('keep' in fault ? fault.keep : 0, worker);
    if (worker === undefined) this.#armed = undefined;
    this.#died = fault;
    this.#parts.onDeath();
  }

  /**
   * Records the latest snapshot shown of each life. A system that dies while it starts may not have restored all of
   * them.
   */
  #show(): void {
    for (const [index, system] of this.#processes.systems) {
      for (const [life, state] of system.chains()) {
        const key = `${index}/${life}`;
        if (state.seq > (this.#shown.get(key)?.seq ?? -1)) this.#shown.set(key, state);
      }
    }
  }

  /**
   * Describes a snapshot that was shown before the death and was lost: neither it nor a later one has been restored.
   * Undefined if none was lost.
   */
  #regression(): string | undefined {
    for (const [index, system] of this.#processes.systems) {
      for (const [life, after] of system.chains()) {
        const shown = this.#shown.get(`${index}/${life}`);
        if (shown === undefined) continue;
        if (after.seq < shown.seq)
          return `life ${life} was shown after change ${shown.seq} and goes on from change ${after.seq}`;
        if (after.seq === shown.seq && after.hash !== shown.hash)
          return `life ${life} has another state after change ${shown.seq}`;
      }
    }
    this.#shown.clear();
    return undefined;
  }
}
