/**
 * A system that is spread over workers, as its host sees it: the same words as System, with reads that are promises,
 * because what is read is in other threads. It knows where whom to find and holds no state of theirs; a worker that
 * dies is started again, and nobody has to do anything about it.
 */
import { type EventObject } from 'xstate';
import { type ActorSnapshot } from '../actors/world/actor-view.ts';
import { checkAddress, childAddress, ROOT } from '../actors/model/address.ts';
import { type AgentEvents, type AnyAgent } from '../actors/model/agent.ts';
import { BY_HOST, type OrderedBy } from '../actors/world/audit-record.ts';
import { type DeadLetterReason } from '../actors/world/mailbox/dead-letter.ts';
import { Placement } from '../actors/model/placement.ts';
import { type AskOptions } from '../actors/world/talk/ask-record.ts';
import { admit } from '../actors/model/value-check.ts';
import { type Cancel, type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { WORKER_STOP_MS } from '../limits.ts';
import { type SendOptions, type SnapshotOf, type SpawnOptions, type TreeNode } from '../system-options.ts';
import { type Staff } from './staff.ts';
import { type Verb, type HostVerbs } from './host-verbs.ts';
import { mergedLetters, mergedTree, type SpreadDeadLetter } from './merged.ts';
import { SpreadActor } from './spread-actor.ts';
import { SpreadAdmin } from './spread-admin.ts';
import { SpreadBoss } from './spread-boss.ts';
import { WorkerGateways } from './worker-gateways.ts';
import { HostCalls } from './host-calls.ts';
import { AGAIN, ONCE, PlacedCalls } from './placed-calls.ts';

interface SpreadParts {
  readonly staff: Staff;
  readonly clock: Clock;
}

export class SpreadSystem {
  readonly #staff: Staff;
  readonly #clock: Clock;
  readonly #calls: HostCalls;
  readonly #placed: PlacedCalls;
  /** What a gateway needs of the system beside what hosts use. */
  readonly gateways: WorkerGateways;
  /** To look into actors, to hold, step, mend and end them by hand, and to read who did. */
  readonly admin: SpreadAdmin;
  /** Children without an id so far. */
  #nameless = 0;
  #phase: 'new' | 'running' | 'closed' = 'new';
  #settle!: { resolve: () => void; reject: (error: BosunError) => void };
  /** Resolves when the system has been stopped; rejects with the reason when it closed by itself. */
  readonly closed: Promise<void>;

  /** Use `createSystem({ workers })`. */
  constructor({ staff, clock }: SpreadParts) {
    this.#staff = staff;
    this.#clock = clock;
    this.#calls = new HostCalls(staff, clock);
    this.#placed = new PlacedCalls(this.#calls, staff.count);
    this.admin = new SpreadAdmin(this.#placed);
    this.gateways = new WorkerGateways(this.#placed);
    this.closed = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.closed.catch(() => {});
  }

  /**
   * Starts every worker. Resolves when the static children of every Boss are there, and their names known to all.
   * Rejects as System.start, and with BOSUN_WORKERS_CHANGED.
   */
  async start(): Promise<this> {
    this.#calls.open();
    try {
      await this.#staff.start({
        heard: (worker, bytes) => this.#calls.heard(worker, bytes),
        up: (worker, { spread }) => {
          this.#placed.place(new Placement(this.#staff.count, new Set(spread)));
          this.#calls.up(worker);
        },
        down: (worker, why) => this.#calls.down(worker, why),
        failed: (reason) => void this.#fail(reason),
      });
      // Names of the declared children are known everywhere then.
      await this.#placed.all('settled', []);
    } catch (error) {
      this.#phase = 'closed';
      await this.#close(error as BosunError);
      throw error;
    }
    this.#phase = 'running';
    return this;
  }

  /**
   * Makes everything accepted so far durable, on every worker, and ends them. What is between two of them is durable,
   * and goes on with the next start.
   */
  async stop(): Promise<void> {
    if (this.#phase === 'running') {
      this.#phase = 'closed';
      await this.#close(new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped'));
      this.#settle.resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** As System.spawn, on the worker where the address is placed. Rejects besides with BOSUN_WORKER_DOWN. */
  async spawn<A extends AnyAgent>(
    agent: A,
    id: string,
    options: SpawnOptions<A> = {},
  ): Promise<SpreadActor<AgentEvents<A>, SnapshotOf<A>>> {
    const address = childAddress(options.under ?? ROOT, id);
    const input: unknown = admit(options.input, 'input');
    await this.#at(address, 'spawn', [agent.name, id, { ...options, input } as SpawnOptions], AGAIN);
    return this.actor(address, agent);
  }

  /**
   * As System.send: resolves when the event is durable. While the worker is started again it waits. Where the worker
   * died in the middle of it, one with a session is sent again, in the order of the calls; one without rejects with
   * BOSUN_WORKER_DOWN (`details.unknownOutcome`).
   */
  send<Event extends EventObject>(address: string, event: Event, options: SendOptions = {}): Promise<void> {
    // Not async, nor what it calls: promises are most of what a send costs here.
    try {
      return this.#at(
        address,
        'send',
        [address, admit(event, `event ${event.type}`), options],
        options.session === undefined ? ONCE : AGAIN,
      );
    } catch (error) {
      return Promise.reject(error as BosunError);
    }
  }

  /**
   * As System.ask. Without an `id` it is not asked again where the worker dies: it rejects with BOSUN_WORKER_DOWN
   * (`details.unknownOutcome`).
   */
  async ask<Reply = unknown>(
    address: string,
    event: EventObject & { readonly [field: string]: unknown },
    options: AskOptions = {},
  ): Promise<Reply> {
    const admitted = admit(event, `event ${event.type}`);
    return (await this.#at(
      address,
      'ask',
      [address, admitted, options],
      options.id === undefined ? ONCE : AGAIN,
    )) as Reply;
  }

  /**
   * As of its worker's last durable epoch; of a Boss with partitions, that of the first. Undefined when nobody lives
   * there.
   */
  async snapshot(address: string): Promise<ActorSnapshot | undefined> {
    return await this.#placed.first(address, 'snapshot', [address]);
  }

  /**
   * The supervision tree from the root, or from an address; the partitions of a Boss are one node. No moment is common
   * to all workers. Rejects with BOSUN_ACTOR_UNKNOWN.
   */
  async tree(address: string = ROOT): Promise<TreeNode> {
    return mergedTree(await this.#placed.each(address, 'tree', [address], AGAIN));
  }

  /** A handle on an address. Given the agent that lives there, its events and context are typed. */
  actor(address: string): SpreadActor;
  actor<A extends AnyAgent>(address: string, agent: A): SpreadActor<AgentEvents<A>, SnapshotOf<A>>;
  actor(address: string): SpreadActor {
    return new SpreadActor(
      {
        clock: this.#clock,
        send: (at, event) => this.send(at, event),
        snapshot: (at) => this.snapshot(at),
        watch: (watch, args, hearer) => this.#calls.watch(this.#placed.homesOf(args[0])[0]!, watch, args, hearer),
      },
      checkAddress(address),
    );
  }

  /** A handle on a Boss: OTP's start_child and so on. */
  boss(address: string = ROOT): SpreadBoss {
    const anyOf = (workers: readonly number[]) => workers[this.#nameless++ % workers.length]!;
    return new SpreadBoss(this.#placed, checkAddress(address), anyOf);
  }

  /** Who has a name. Names are a worker's own: where several have it, the one of the first worker. */
  async lookup(name: string): Promise<{ readonly address: string; readonly value: unknown } | undefined> {
    return (await this.#placed.all('lookup', [name])).find((found) => found !== undefined);
  }

  /** Addresses of a group's members on all workers, worker by worker. */
  async members(group: string): Promise<readonly string[]> {
    return (await this.#placed.all('members', [group])).flat();
  }

  /** Dead letters of all workers, oldest first. */
  async deadLetters(only: { readonly reason?: DeadLetterReason } = {}): Promise<readonly SpreadDeadLetter[]> {
    return mergedLetters(await this.#placed.all('deadLetters', [only]));
  }

  /** As `deadLetters.redeliver` of a System. */
  redeliver({ worker, number }: Pick<SpreadDeadLetter, 'worker' | 'number'>, as?: OrderedBy): Promise<void> {
    return this.#calls.call(worker, 'redeliver', [number, as], ONCE);
  }

  /** As `deadLetters.discard` of a System. */
  discard({ worker, number }: Pick<SpreadDeadLetter, 'worker' | 'number'>, as?: OrderedBy): Promise<void> {
    return this.#calls.call(worker, 'discard', [number, as], ONCE);
  }

  /** `admin.resume` by the host. */
  async resume(address: string): Promise<void> {
    await this.#at(address, 'resume', [address, BY_HOST], ONCE);
  }

  /**
   * As System.erase, on the worker where the address is placed. Rejects besides with BOSUN_WORKER_DOWN: then what it
   * came to is in the audit.
   */
  async erase(address: string, as?: OrderedBy): Promise<void> {
    await this.#placed.each(address, 'erase', [address, as], ONCE);
  }

  /**
   * The worker where an address is placed; undefined for a Boss that has a partition on each. Throws
   * BOSUN_SYSTEM_CLOSED before the start.
   */
  workerOf(address: string): number | undefined {
    return this.#placed.workerOf(address);
  }

  /**
   * Resolves when no worker has anything to do before time passes; messages between two of them may be on their way.
   */
  async idle(): Promise<void> {
    await this.#placed.all('idle', []);
  }

  /**
   * Ends a worker's thread at once, as whatever kills one does; it is started again. For tests and drills. Resolves
   * when it has ended.
   */
  async kill(worker: number): Promise<void> {
    await this.#staff.kill(worker);
  }

  async #fail(reason: BosunError): Promise<void> {
    // Within the start, which rejects with it.
    if (this.#phase === 'new') this.#calls.close(reason);
    if (this.#phase !== 'running') return;
    this.#phase = 'closed';
    await this.#close(reason);
    this.#settle.reject(reason);
  }

  /** Those that go on are stopped as by order; one that has closed by itself answers that it has. */
  async #close(reason: BosunError): Promise<void> {
    const stopping = this.#placed.workers
      .filter((worker) => this.#calls.isUp(worker))
      .map((worker) => this.#calls.call(worker, 'stop', [], AGAIN));
    let cancel: Cancel | undefined;
    const isOver = new Promise<void>((resolve) => (cancel = this.#clock.setTimeout(resolve, WORKER_STOP_MS)));
    await Promise.race([Promise.allSettled(stopping), isOver]);
    cancel?.();
    this.#calls.close(reason);
    await this.#staff.end();
  }

  /** A call about somebody who is on one worker. Throws where the address is none, and before the start. */
  #at<V extends Verb>(
    address: string,
    verb: V,
    args: Parameters<HostVerbs[V]>,
    how: { readonly isRepeatable: boolean },
  ): Promise<Awaited<ReturnType<HostVerbs[V]>>> {
    const [worker, ...others] = this.#placed.homesOf(address);
    // A partition of a Boss takes orders by `boss` only, and says so itself.
    return this.#calls.call(others.length === 0 ? worker! : 0, verb, args, how);
  }
}
