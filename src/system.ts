/**
 * The composition root, and what a host sees of a system: one type, whether its kernel is in this thread or there are
 * several in threads of their own. Every method is a row of the table of calls or made of some; reads are promises.
 */
import { type EventObject } from 'xstate';
import { ActorHandle, type HandleHost, HeardActor } from './actors/api/actor-handle.ts';
import { type HeardSnapshot, heardSnapshot } from './actors/api/heard-snapshot.ts';
import { type ResultOptions } from './actors/api/result-box.ts';
import { type RunPage, type RunsOptions } from './actors/api/run-pages.ts';
import { childAddress, checkAddress, ROOT } from './actors/model/address.ts';
import { type AgentEvents, type AnyAgent } from './actors/model/agent.ts';
import { type ActorResult } from './actors/model/results.ts';
import { type ActorSnapshot, type Subscription } from './actors/world/actor-view.ts';
import { BY_HOST, type OrderedBy } from './actors/world/audit-record.ts';
import { type AskOptions } from './actors/world/talk/ask-record.ts';
import { type Clock, systemClock } from './clock.ts';
import { BosunError, isBosunError } from './errors.ts';
import { shown } from './lending.ts';
import { type Log } from './log.ts';
import { type Verification } from './persistence/upkeep/verify.ts';
import { logOf, Shard } from './shard.ts';
import { OneShard, PlacedCalls, type Shards } from './shards.ts';
import {
  type AdminHandle,
  adminOf,
  begun,
  type BossHandle,
  bossOf,
  type DeadLetterBox,
  type HandleParts,
  lettersOf,
  type RecordBox,
  recordsOf,
} from './system-handles.ts';
import {
  type SendOptions,
  type SendRequest,
  type SnapshotOf,
  type SpawnArguments,
  type SpawnOptions,
  type SystemHealth,
  type SystemOptions,
  type TreeNode,
} from './system-options.ts';
import { spreadOptionsIn } from './system-rules.ts';
import { WORKER_GATEWAY_MODULE } from './system-shard.ts';
import { type SpreadOptions } from './workers/options.ts';
import { spreadOverThreads } from './workers/spread.ts';
import { type WorkerShards } from './workers/worker-shards.ts';

/** A system of actors, as made by `createSystem`: over one store in this thread, or over several in worker threads. */
export class System<A extends AnyAgent = AnyAgent> {
  /** A type-level marker without a value at run time, which types a client (`createClient<typeof system>`). */
  declare readonly '~agents': A;
  readonly #shards: Shards;
  readonly #placed: PlacedCalls;
  readonly #parts: HandleParts;
  readonly #host: HandleHost;
  readonly #heard = new Map<string, WeakRef<ActorHandle>>();
  readonly #collected = new FinalizationRegistry<HeardActor>((heard) => {
    heard.stop();
    if (this.#heard.get(heard.address)?.deref() === undefined) this.#heard.delete(heard.address);
  });
  /** Administration: inspect, suspend, step, repair and end actors, and read the audit. */
  readonly admin: AdminHandle;
  /** Events that reached nobody, or were quarantined because they crashed their receiver. */
  readonly deadLetters: DeadLetterBox;
  /** The records of actors, read from the store. */
  readonly records: RecordBox;
  /** Resolves when the system has been stopped; rejects with the reason when it closed by itself. */
  readonly closed: Promise<void>;
  /** @internal Resolves in either case. */
  readonly over: Promise<void>;

  /** Use {@link createSystem}. */
  constructor(shards: Shards, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#shards = shards;
    this.closed = shards.closed;
    this.over = shards.over;
    const placed = (this.#placed = new PlacedCalls(shards));
    const parts = (this.#parts = { shards, placed, log });
    this.admin = adminOf(parts);
    this.deadLetters = lettersOf(parts);
    this.records = recordsOf(parts);
    this.#host = {
      clock,
      log,
      send: (address, event) => this.send(address, event),
      sendMany: (requests) => this.sendMany(requests),
      ask: (address, event, options) => this.ask(address, event, options),
      result: (address, options) => this.result(address, options),
      snapshots: (address, hearer) => shards.watch(shards.homesOf(address)[0]!, 'snapshots', [address], hearer),
      emitted: (address, type, hearer) => {
        const next = ([event]: readonly [event?: EventObject]) => event && hearer.next(shown(event));
        return shards.watch(shards.homesOf(address)[0]!, 'emitted', [address, type], { ...hearer, next });
      },
    };
  }

  /**
   * Opens the stores and goes on from their last epochs. Resolves when the static children of every Boss have started.
   * An actor that the given agents cannot read is suspended and does not prevent the others from starting. Rejects with
   * BOSUN_STORE_*, BOSUN_CLOCK_SUSPECT, BOSUN_WORKERS_CHANGED.
   */
  async start(): Promise<this> {
    await this.#shards.start();
    return this;
  }

  /** Makes everything accepted so far durable, aborts running effects, closes the stores, and ends the workers. */
  stop(): Promise<void> {
    return this.#shards.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Returns the actor at an address, or has its Boss start one there. Resolves when the start is durable. An actor that
   * has ended is not started again while its result is kept: the handle is that of an ended actor then, and `result`
   * has the outcome; `again: true` begins anew. Rejects with BOSUN_AGENT_UNKNOWN, BOSUN_ADDRESS_INVALID,
   * BOSUN_CHILD_SPEC_INVALID (also where another agent has the address), BOSUN_START_FAILED if its first turn fails
   * (nothing of it remains then), BOSUN_CHILDREN_FULL, BOSUN_ACTOR_UNKNOWN (no such Boss), and as `send` does. Under a
   * `dynamic` Boss only `input` is used.
   */
  async spawn<A extends AnyAgent>(
    agent: A,
    id: string,
    ...[options = {}]: SpawnArguments<A>
  ): Promise<ActorHandle<AgentEvents<A>, SnapshotOf<A>>> {
    const result = await this.#placed.call('spawn', [agent.name, id, options as SpawnOptions]);
    const address = childAddress(options.under ?? ROOT, id);
    if (result !== undefined) return this.#ended(result);
    try {
      return await this.actor(address, agent);
    } catch (error) {
      // It may have ended since.
      if (!isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) throw error;
      return this.#ended(await this.result(address));
    }
  }

  /**
   * The result of the actor at an address: at once if it has ended, otherwise when it ends, over restarts by its Boss
   * and of the system. Kept as the agent's option `keep` says. Children of machines have none: their machine is told.
   * Rejects with BOSUN_ACTOR_UNKNOWN if nobody lives or has ended there, or its results are not kept, BOSUN_TIMEOUT
   * after `timeoutMs`, BOSUN_ADDRESS_INVALID, BOSUN_STORE_DAMAGED, BOSUN_STORE_FAILED, BOSUN_SECRET_KEY,
   * BOSUN_SYSTEM_CLOSED.
   */
  async result(address: string, options?: ResultOptions): Promise<ActorResult> {
    return await this.#placed.call('result', [checkAddress(address), options]);
  }

  /**
   * A page of the results that are kept of ended actors, the newest end first by default: of all, or of one agent, by
   * how they ended and since when. Rejects with BOSUN_VALUE_REFUSED for a limit out of bounds, and as `result` does.
   */
  runs(options?: RunsOptions): Promise<RunPage> {
    return this.#placed.call('runs', [options]);
  }

  /**
   * Sends an event that the agent declares for the outside. Resolves when it is durable, which says nothing about
   * whether it was processed: an actor that a person suspended reads it when it is resumed. Rejects with
   * BOSUN_ACTOR_UNKNOWN, BOSUN_AGENT_UNKNOWN, BOSUN_EVENT_REFUSED, BOSUN_EVENT_INVALID, BOSUN_VALUE_REFUSED,
   * BOSUN_MAILBOX_FULL, BOSUN_STORE_UNAVAILABLE, BOSUN_SYSTEM_CLOSED, any other reason for which the actor is
   * suspended (such as BOSUN_STATE_SUSPECT), or with the error for which the system closed (BOSUN_STORE_*).
   *
   * Over workers it waits while the worker is restarted. If the worker dies in the middle of it, a send with a session
   * is repeated, in the order of the calls; one without rejects with BOSUN_WORKER_DOWN (`details.unknownOutcome`).
   */
  send<Event extends EventObject>(address: string, event: Event, options?: SendOptions): Promise<void> {
    return this.#placed.call('send', [address, event, options]);
  }

  /**
   * Sends many events in order, with one promise for all, which is cheaper than one each. Resolves when all are
   * durable. An event is refused as by `send`; the others are sent all the same, and once they are durable the promise
   * rejects with BOSUN_SENDS_REFUSED, whose `details.refused` has `{ index, error }` of each refused one, in order.
   */
  sendMany<Event extends EventObject>(requests: readonly SendRequest<Event>[]): Promise<void> {
    return this.#shards.sendMany(requests);
  }

  /**
   * Sends an event as `send` does, and resolves with the actor's reply (the action `reply`), once that is durable. With
   * an `id`, a repeated ask is not sent again and gets the recorded reply, also after a crash. Rejects as `send` does,
   * and with BOSUN_TIMEOUT (`details.unknownOutcome`), BOSUN_ASK_FAILED, BOSUN_ASKS_FULL, BOSUN_EVENT_NOT_TAKEN if
   * the actor's state does not handle the event, BOSUN_KEY_CONFLICT, BOSUN_ACTOR_SUSPENDED at once for a new ask.
   */
  async ask<Reply = unknown>(
    address: string,
    event: EventObject & { readonly [field: string]: unknown },
    options: AskOptions = {},
  ): Promise<Reply> {
    return (await this.#placed.call('ask', [address, event, options])) as Reply;
  }

  /**
   * A handle on the actor at an address, which hears of it from now on. If its agent is given, its events and context
   * are typed. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID, BOSUN_SYSTEM_CLOSED.
   */
  actor(address: string): Promise<ActorHandle>;
  actor<A extends AnyAgent>(address: string, agent: A): Promise<ActorHandle<AgentEvents<A>, SnapshotOf<A>>>;
  async actor(address: string): Promise<ActorHandle> {
    const known = this.#heard.get(address)?.deref();
    if (known?.isLive === true) return known;
    const heard = await HeardActor.begin(this.#host, checkAddress(address));
    const handle = new ActorHandle(this.#host, heard);
    this.#heard.set(address, new WeakRef(handle));
    this.#collected.register(handle, heard);
    return handle;
  }

  /**
   * A handle on a Boss with OTP's functions (start_child and so on), each audited as an order of `as`. They reject with
   * BOSUN_ACTOR_UNKNOWN where there is no such Boss.
   */
  boss(address: string = ROOT, as: OrderedBy = BY_HOST): BossHandle {
    return bossOf(this.#parts, checkAddress(address), as);
  }

  /**
   * The last durable snapshot of an actor; undefined when nobody lives there. Rejects with BOSUN_STORE_DAMAGED,
   * BOSUN_SECRET_KEY.
   */
  async snapshot(address: string): Promise<HeardSnapshot | undefined> {
    const news = await this.#placed.call('snapshot', [address]);
    return news && heardSnapshot(news);
  }

  /**
   * The supervision tree from the root, or from an address. Over workers the partitions of a Boss are one node, and the
   * workers are read at slightly different times. Rejects with BOSUN_ACTOR_UNKNOWN.
   */
  tree(address: string = ROOT): Promise<TreeNode> {
    return this.#placed.call('tree', [address]);
  }

  /** The durable holder of a name (`systemId`, `register`) and its value; undefined where there is none. */
  lookup(name: string): Promise<{ readonly address: string; readonly value: unknown } | undefined> {
    return this.#placed.call('lookup', [name]);
  }

  /** Addresses of a group's members in order of birth, over workers worker by worker. */
  members(group: string): Promise<readonly string[]> {
    return this.#placed.call('members', [group]);
  }

  /** The last accepted sequence of a session; 0 when there is none. */
  lastSequence(session: string): Promise<number> {
    return this.#placed.call('lastSequence', [session]);
  }

  /** Resumes an actor as the host: see `admin.resume`. */
  resume(address: string): Promise<void> {
    return this.#placed.call('admin.resume', [address, BY_HOST]);
  }

  /**
   * Damage found in the stores at the start and since; `details` have its place and the actor that it stops. Damaged
   * data is withheld; everything else works.
   */
  damage(): Promise<readonly BosunError[]> {
    return this.#placed.call('damage', []);
  }

  /** Calls `handler` for damage found from now on. Resolves when it has begun. */
  onDamage(handler: (damage: BosunError) => void): Promise<Subscription> {
    return begun(this.#parts, { name: 'damage', args: [], tell: handler });
  }

  /**
   * The reasons why stored actors do not run; `details` have `life` and, where it is known, `address`. Their records
   * stay unchanged.
   */
  unreadable(): Promise<readonly BosunError[]> {
    return this.#placed.call('unreadable', []);
  }

  /** Epoch, actors in memory, size of the stores, and outage. */
  health(): Promise<SystemHealth> {
    return this.#placed.call('health', []);
  }

  /**
   * Copies the store as of the last epoch written to the new data directory `to` (the LevelDB is in `to/store`), while
   * the system goes on. The copy is verified and appears complete or not at all.
   *
   * @returns The result of the verification. Rejects with BOSUN_CONFIG_INVALID (the place is taken, or the store has no
   * snapshots), BOSUN_SYSTEM_CLOSED, BOSUN_STORE_FAILED, and BOSUN_OVER_WORKERS, whose stores have no moment in common.
   */
  async backup(to: string): Promise<Verification> {
    if (this.#shards instanceof OneShard) return await this.#shards.shard.backup(to);
    throw new BosunError('BOSUN_OVER_WORKERS', 'stores of workers are backed up one by one, by bosun backup');
  }

  /**
   * Erases an actor and everything below it for good: state, mailbox, timers, quarantined messages, its Boss's record,
   * and unread messages that it sent. Resolves when nothing of it is left in the store's files, which takes as long as
   * writing the whole store once; turns go on meanwhile, and their epochs wait. Copies of its data in other actors and
   * in backups stay, and so do the keys (not the values) of objects that it held.
   *
   * A static child is started anew by the next start. The audit keeps that something was ordered, when and by whom,
   * without its address, reason and arguments. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID for the root,
   * BOSUN_SYSTEM_CLOSED.
   */
  erase(address: string, as: OrderedBy = BY_HOST): Promise<void> {
    return this.#placed.call('erase', [address, as]);
  }

  /**
   * Resolves when nothing happens until time passes: no turn waits, and no write is under way. Running effects do not
   * count, nor do messages in transit between workers.
   */
  idle(): Promise<void> {
    return this.#placed.call('idle', []);
  }

  /** Calls `handler` for every event that any actor emits, once its epoch is durable. Resolves when it has begun. */
  onEmitted(handler: (address: string, event: EventObject) => void): Promise<Subscription> {
    const tell = ({ address, event }: { readonly address: string; readonly event: EventObject }) =>
      handler(address, event);
    return begun(this.#parts, { name: 'everyEmitted', args: [], tell });
  }

  /**
   * The worker where an address is placed, 0 without workers; undefined for a Boss with a partition on each worker.
   * Throws BOSUN_ADDRESS_INVALID, and BOSUN_SYSTEM_CLOSED before the start.
   */
  workerOf(address: string): number | undefined {
    const homes = this.#shards.homesOf(address);
    return homes.length === 1 ? homes[0] : undefined;
  }

  /**
   * Ends a worker's thread at once, as a crash would; it is restarted. For drills. Resolves when the thread has ended.
   * Rejects with BOSUN_CONFIG_INVALID without workers.
   */
  killWorker(worker: number): Promise<void> {
    return this.#shards.kill(worker);
  }

  #ended<Event extends EventObject, Snapshot extends ActorSnapshot>(result: ActorResult): ActorHandle<Event, Snapshot> {
    return new ActorHandle(this.#host, HeardActor.ended(this.#host, result));
  }

  /** @internal What a gateway serves. */
  get inside(): Shard | WorkerShards {
    return this.#shards instanceof OneShard ? this.#shards.shard : (this.#shards as WorkerShards);
  }
}

/**
 * Creates a system; call `start` on it. With `workers` it is spread over threads. Throws BOSUN_CONFIG_INVALID,
 * BOSUN_CHILD_SPEC_INVALID, or BOSUN_AGENT_UNKNOWN for a tree that names an agent that is not among `agents`.
 */
export function createSystem<
  const A extends AnyAgent = AnyAgent,
  Asked extends AnyAgent = never,
  Named extends string = string,
>(
  // One signature: where the options do not fit, the compiler then reports on the variant that was meant.
  options: (SystemOptions<A, Asked, Named> & { readonly workers?: undefined }) | SpreadOptions,
): System<A> {
  const spread = spreadOptionsIn(options);
  if (spread !== undefined) {
    const parts = { clock: systemClock, workerGateway: WORKER_GATEWAY_MODULE, log: logOf(spread) };
    return new System<A>(spreadOverThreads(spread, parts), parts);
  }
  const one = options as SystemOptions<A>;
  const shard = new Shard<A>(one);
  return new System<A>(new OneShard(shard), { clock: one.clock ?? systemClock, log: logOf(one) });
}
