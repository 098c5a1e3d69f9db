/**
 * The shards of a system in worker threads: where addresses are placed, calls that survive deaths of workers, and the
 * end of all. It holds no state of the workers; a worker that dies is restarted without help.
 */
import { type Hearer } from '../actors/api/actor-handle.ts';
import { checkAddress } from '../actors/model/address.ts';
import { Placement } from '../actors/model/placement.ts';
import { type Cancel, type Clock } from '../clock.ts';
import { Closing } from '../closing.ts';
import { BosunError } from '../errors.ts';
import { WORKER_STOP_MS } from '../limits.ts';
import { type Shards } from '../shards.ts';
import { type CallName, type WatchArguments, type WatchName, type WatchWord } from '../system-calls.ts';
import { mergedTree } from '../system-merge.ts';
import { type SendRequest, type TreeNode } from '../system-options.ts';
import { WORKER_GATEWAY } from './call-messages.ts';
import { HostCalls } from './host-calls.ts';
import { sendSpread } from './spread-sends.ts';
import { type Staff } from './staff.ts';

/** The worker gateways as a gateway reaches them. A call that `begin` made is repeated over deaths of the worker. */
export interface ShardGateways {
  readonly count: number;
  isUp(worker: number): boolean;
  homesOf(address: string): readonly number[];
  call(worker: number, verb: string, args: readonly unknown[], how: IsRepeatable): Promise<unknown>;
  begin(worker: number, verb: string, args: readonly unknown[], heard: Heard): () => void;
}

/** Whether repeating a call has no further effect. */
interface IsRepeatable {
  readonly isRepeatable: boolean;
}

/** Receives the outcome of a call. */
interface Heard {
  answer(what: unknown): void;
  reject(error: BosunError): void;
}

export class WorkerShards implements Shards {
  readonly count: number;
  readonly areApart = true;
  /** The directory of the stores, where a gateway announces itself; undefined for stores in memory. */
  readonly directory: string | undefined;
  readonly #staff: Staff;
  readonly #clock: Clock;
  readonly #calls: HostCalls;
  readonly #all: readonly number[];
  #placement: Placement | undefined;
  #phase: 'new' | 'running' | 'closed' = 'new';
  readonly #closing = new Closing();
  readonly closed = this.#closing.closed;
  readonly over = this.#closing.over;
  /** The needs of a gateway beyond a host's: which workers are up, and calls to the gateways beside the shards. */
  readonly gateways: ShardGateways;
  /** Joins the partitions of a Boss into one node. */
  readonly joinNodes: (partitions: readonly TreeNode[]) => TreeNode = mergedTree;

  constructor(staff: Staff, clock: Clock) {
    this.count = staff.count;
    this.directory = staff.directory;
    this.#staff = staff;
    this.#clock = clock;
    this.#calls = new HostCalls(staff, clock);
    this.#all = Array.from({ length: staff.count }, (_, worker) => worker);
    this.gateways = {
      count: staff.count,
      isUp: (worker) => this.#calls.isUp(worker),
      homesOf: (address) => this.homesOf(address),
      call: (worker, verb, args, how) => this.#calls.call(worker, WORKER_GATEWAY, [verb, ...args], how),
      begin: (worker, verb, args, heard) =>
        this.#calls.begin(worker, WORKER_GATEWAY, [verb, ...args], { ...heard, isRepeatable: true }),
    };
  }

  /** Resolves when all workers know the names of the declared children. Rejects with BOSUN_WORKERS_CHANGED too. */
  async start(): Promise<void> {
    this.#calls.open();
    try {
      await this.#staff.start({
        heard: (worker, bytes) => this.#calls.heard(worker, bytes),
        up: (worker, { spread }) => {
          // It is the same at every start.
          this.#placement ??= new Placement(this.count, new Set(spread));
          this.#calls.up(worker);
        },
        down: (worker, why) => this.#calls.down(worker, why),
        failed: (reason) => void this.#fail(reason),
      });
      await Promise.all(this.#all.map((worker) => this.call(worker, 'settled', [], { isRepeatable: true })));
    } catch (error) {
      this.#phase = 'closed';
      await this.#close(error as BosunError);
      throw error;
    }
    this.#phase = 'running';
  }

  /** Messages in transit between workers are durable and are delivered after the next start. */
  async stop(): Promise<void> {
    if (this.#phase !== 'running') return;
    this.#phase = 'closed';
    await this.#close(new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped'));
    this.#closing.stopped();
  }

  homesOf(address: string): readonly number[] {
    if (this.#placement === undefined) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');
    const home = this.#placement.homeOf(checkAddress(address));
    return home === 'every' ? this.#all : [home];
  }

  call(worker: number, name: CallName, args: readonly unknown[], how: IsRepeatable): Promise<unknown> {
    return this.#calls.call(worker, name, args, how);
  }

  watch<Name extends WatchName>(
    worker: number,
    name: Name,
    args: WatchArguments<Name>,
    hearer: Hearer<WatchWord<Name>>,
  ): () => void {
    return this.#calls.watch(worker, name, args, hearer as Hearer<unknown>);
  }

  sendMany(requests: readonly SendRequest[]): Promise<void> {
    return sendSpread(this, requests);
  }

  kill(worker: number): Promise<void> {
    return this.#staff.kill(worker);
  }

  async #fail(reason: BosunError): Promise<void> {
    // The start rejects with the reason.
    if (this.#phase === 'new') this.#calls.close(reason);
    if (this.#phase !== 'running') return;
    this.#phase = 'closed';
    await this.#close(reason);
    this.#closing.failed(reason);
  }

  /** Stops the running workers in good order; one that has closed by itself answers that it has. */
  async #close(reason: BosunError): Promise<void> {
    const stopping = this.#all
      .filter((worker) => this.#calls.isUp(worker))
      .map((worker) => this.call(worker, 'stop', [], { isRepeatable: true }));
    let cancel: Cancel | undefined;
    const isOver = new Promise<void>((resolve) => (cancel = this.#clock.setTimeout(resolve, WORKER_STOP_MS)));
    await Promise.race([Promise.allSettled(stopping), isOver]);
    cancel?.();
    this.#calls.close(reason);
    await this.#staff.end();
  }
}
