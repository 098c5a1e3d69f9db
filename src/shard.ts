/**
 * A shard: a kernel with its store, and everything that is read and ordered there, at once. A system has one in this
 * thread, or one in each worker's; its host sees neither (system.ts). Joins kernel, supervisor and persistence.
 */
import { type EventObject } from 'xstate';
import { ShardAdmin } from './actors/api/admin-handle.ts';
import { reliable } from './actors/api/reliable-random.ts';
import { ShardActor, type ActorHost } from './actors/api/shard-actor.ts';
import { type Hearer } from './actors/api/actor-handle.ts';
import { type SnapshotNews } from './actors/api/heard-snapshot.ts';
import { type ActorSnapshot, observe, type Subscription, viewOf } from './actors/world/actor-view.ts';
import { checkBoss } from './actors/world/role.ts';
import { type Observer } from './actors/world/observer.ts';
import { childAddress, checkAddress, ROOT } from './actors/model/address.ts';
import { type AgentEvents, type AnyAgent, parseEvent } from './actors/model/agent.ts';
import { BY_HOST, type OrderedBy } from './actors/world/audit-record.ts';
import { carryOutAtBoss, carryOutSlowly } from './actors/api/audited-order.ts';
import { type CheckedActor } from './actors/loop/versions/check.ts';
import { type Admits } from './actors/loop/admission.ts';
import { Kernel } from './actors/loop/kernel.ts';
import { type AskOptions } from './actors/world/talk/ask-record.ts';
import { ShardLetters } from './actors/api/dead-letter-box.ts';
import { ShardRecords } from './actors/api/record-box.ts';
import { ShardResults } from './actors/api/result-box.ts';
import { type ActorResult } from './actors/model/results.ts';
import { FROM_HOST } from './actors/world/mailbox/message.ts';
import { ClientApi } from './actors/api/client-api.ts';
import { type Clock, systemClock } from './clock.ts';
import { Closing } from './closing.ts';
import type { BosunError } from './errors.ts';
import { EPOCH_MS } from './limits.ts';
import { harmless, type Log } from './log.ts';
import { createJournal } from './persistence/journal/journal.ts';
import { Upkeep } from './persistence/upkeep/upkeep.ts';
import { type Verification } from './persistence/upkeep/verify.ts';
import { ShardBoss } from './supervisor/boss-handle.ts';
import { spawned } from './system-spawn.ts';
import { Agents } from './system-agents.ts';
import { type ShardOptions, shardOf } from './system-shard.ts';
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
import { DamageReports, journalOptionsOf, scrubberPartsOf } from './system-store.ts';
import { checkedTree, checkSystemOptions } from './system-rules.ts';
import { bossAt, type Listed, type ListedActor, listedUnder, treeUnder } from './system-tree.ts';

/** One kernel with its store. */
export class Shard<A extends AnyAgent = AnyAgent> {
  /** A type-level marker without a value at run time, which types a client (`createClient<typeof system>`). */
  declare readonly '~agents': A;
  readonly #kernel: Kernel;
  readonly #agents: Agents;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #upkeep: Upkeep;
  readonly #damage: DamageReports;
  /** Events that reached nobody, or were quarantined because they crashed their receiver. */
  readonly deadLetters: ShardLetters;
  /** The records of actors, read from the store. */
  readonly records: ShardRecords;
  /** The results of ended actors, read from the store. */
  readonly results: ShardResults;
  /** Administration: inspect, suspend, step, repair and end actors, and read the audit. */
  readonly admin: ShardAdmin;
  /** The API for a gateway, beyond the one for hosts. */
  readonly clientApi: ClientApi;
  /** @internal For a gateway: the directory of the store; undefined for one in memory. */
  readonly directory: string | undefined;
  readonly #closing = new Closing();
  /** Resolves when the system has been stopped; rejects with the reason when it closed by itself. */
  readonly closed = this.#closing.closed;
  /** @internal Resolves in either case. */
  readonly over = this.#closing.over;

  /** Makes a shard. `shard` is set for one of several, `admits` to refuse a store before it runs. */
  constructor(options: SystemOptions<A>, shard?: ShardOptions, admits?: Admits) {
    checkSystemOptions(options);
    this.directory = options.store.directory;
    this.#clock = options.clock ?? systemClock;
    this.#log = logOf(options);
    this.#agents = new Agents({ ...options, log: this.#log });
    const damage = (this.#damage = new DamageReports(this.#log));
    const journal = createJournal(options.store, journalOptionsOf(options, { damage, log: this.#log }));
    const stateOf = (life: number) => this.#kernel.world?.cells.resident(life)?.durableState;
    const scrubbed = { journal, damage, clock: this.#clock, log: this.#log, stateOf };
    this.#upkeep = new Upkeep(options.store, scrubberPartsOf(options, scrubbed));
    this.#kernel = new Kernel(
      {
        journal,
        name: options.store.name,
        clock: this.#clock,
        random: reliable(options.random, { own: { next: Math.random }, log: this.#log }),
        logicOf: (name) => this.#agents.logicOf(name),
        ...shardOf(checkedTree(options, this.#agents), shard),
        admits,
        hold: options.hold ?? false,
        outageMs: options.outageMs ?? Infinity,
        trustWallClock: options.trustWallClock ?? false,
        caution: options.caution ?? true,
        residentActors: options.residentActors,
        keepers: this.#agents.keepers(),
        endedPolicyOf: (name) => this.#agents.endedPolicyOf(name),
        epochMs: options.epochMs ?? EPOCH_MS,
        ...(options.stepEngine && { stepEngine: options.stepEngine }),
        turnOrder: options.turnOrder,
        beforeClose: () => this.#upkeep.stopScrubbing(),
        log: this.#log,
      },
      (error) => {
        void this.#upkeep.stop();
        this.#closing.failed(error);
      },
    );
    this.admin = new ShardAdmin(this.#kernel);
    this.records = new ShardRecords(this.#kernel, (agent) =>
      options.hold === true && this.#agents.named(agent) === undefined ? 'unread' : this.#agents.recordsOf(agent),
    );
    this.clientApi = new ClientApi(this.#kernel, this.#agents, this.records);
    this.results = new ShardResults(this.#kernel, this.#clock);
    this.deadLetters = new ShardLetters(this.#kernel, (cell, event) => parseEvent(this.#agents.receiver(cell), event));
  }

  /**
   * Opens the store and goes on from its last epoch. Resolves when the static children of every Boss have started. An
   * actor that the given agents cannot read is suspended and does not prevent the others from starting. Rejects with
   * BOSUN_STORE_* or BOSUN_CLOCK_SUSPECT.
   */
  async start(): Promise<this> {
    await this.#kernel.start();
    this.#upkeep.start();
    return this;
  }

  /** Makes everything accepted so far durable, aborts running effects, closes the store. */
  async stop(): Promise<void> {
    await this.#upkeep.stop();
    await this.#kernel.stop();
    this.#closing.stopped();
  }

  /**
   * Ends the system as the death of its process would, for tests. Nothing further is written, released or run; the
   * store is left as it is, and `closed` never settles.
   */
  abandon(): void {
    void this.#upkeep.stop();
    this.#kernel.abandon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Returns the actor at an address, or has its Boss start one there, as System.spawn does. */
  async spawn<A extends AnyAgent>(
    agent: A,
    id: string,
    ...[options = {}]: SpawnArguments<A>
  ): Promise<ShardActor<AgentEvents<A>, SnapshotOf<A>>> {
    await this.spawnNamed(agent.name, id, options as SpawnOptions);
    return this.actor(childAddress(options.under ?? ROOT, id), agent);
  }

  /** Starts an actor as `spawn` does, by the name of its agent. Resolves with the result of one that has ended. */
  spawnNamed(agent: string, id: string, options: SpawnOptions): Promise<ActorResult | undefined> {
    const order = (boss: string, event: EventObject) => this.#order(boss, event);
    const isBorn = (address: string) => this.snapshot(address) !== undefined;
    const { directory } = this.#kernel;
    const parts = {
      directory,
      results: this.results,
      isBorn,
      order,
      hasAgent: this.#agents.named(agent) !== undefined,
    };
    return spawned(parts, agent, id, options);
  }

  /** Sends as System.send does. */
  send<Event extends EventObject>(address: string, event: Event, options?: SendOptions): Promise<void> {
    try {
      return this.clientApi.deliver(address, event, options, FROM_HOST);
    } catch (error) {
      return Promise.reject(error as BosunError);
    }
  }

  /** Sends as System.sendMany does. */
  sendMany<Event extends EventObject>(requests: readonly SendRequest<Event>[]): Promise<void> {
    return this.clientApi.deliverMany(requests, FROM_HOST);
  }

  /** Asks as System.ask does. */
  async ask<Reply = unknown>(
    address: string,
    event: EventObject & { readonly [field: string]: unknown },
    options: AskOptions = {},
  ): Promise<Reply> {
    return (await this.clientApi.ask(address, event, options, FROM_HOST)) as Reply;
  }

  /** The durable holder of a name (`systemId`, `register`) and its value; undefined where there is none. */
  lookup(name: string): { readonly address: string; readonly value: unknown } | undefined {
    return this.#kernel.shown.named(name);
  }

  /** Addresses of a group's members, in order of birth, as of the last durable epoch. */
  members(group: string): readonly string[] {
    return this.#kernel.shown.members(group);
  }

  /** The last accepted sequence of a session; 0 when there is none. */
  lastSequence(session: string): number {
    return this.#kernel.shown.lastSequence(session);
  }

  /** The last durable snapshot; undefined when nobody lives there. Throws BOSUN_STORE_DAMAGED, BOSUN_SECRET_KEY. */
  snapshot(address: string): ActorSnapshot | undefined {
    const cell = this.#kernel.shown.at(address);
    if (cell?.isIllegible === true) throw cell.suspension!;
    return cell && viewOf(this.#kernel.engine, cell);
  }

  /** The last durable snapshot and what it accepts; undefined when nobody lives there. Throws as `snapshot` does. */
  news(address: string): SnapshotNews | undefined {
    const view = this.snapshot(address);
    return view && { view, accepts: this.clientApi.accepts(address) };
  }

  /**
   * Reports the present snapshot, then one for every durable epoch that changes the actor. Throws BOSUN_ACTOR_UNKNOWN.
   *
   * @returns A function that ends it.
   */
  watchNews(address: string, { next, completed, lost }: Hearer<SnapshotNews>): () => void {
    const cell = this.#kernel.directory.observed(checkAddress(address));
    const tell = () => {
      const view = viewOf(this.#kernel.engine, cell);
      if (view !== undefined) next({ view, accepts: this.clientApi.acceptedBy(cell) });
    };
    tell();
    return observe(cell, { changed: tell, ...(completed && { ended: completed }), ...(lost && { closed: lost }) })
      .unsubscribe;
  }

  /** Adds an observer of the actor at an address. Throws BOSUN_ACTOR_UNKNOWN. */
  observe(address: string, observer: Observer): Subscription {
    return observe(this.#kernel.directory.observed(checkAddress(address)), observer);
  }

  /** Returns a handle on an address. If the agent that lives there is given, its events and context are typed. */
  actor(address: string): ShardActor;
  actor<A extends AnyAgent>(address: string, agent: A): ShardActor<AgentEvents<A>, SnapshotOf<A>>;
  actor(address: string): ShardActor {
    const host: ActorHost = {
      clock: this.#clock,
      log: this.#log,
      observed: (at) => this.#kernel.directory.observed(at),
      snapshotOf: (cell) => viewOf(this.#kernel.engine, cell),
      send: (at, event) => this.send(at, event),
      sendMany: (requests) => this.sendMany(requests),
    };
    return new ShardActor(host, checkAddress(address));
  }

  /**
   * Returns a handle on a Boss with OTP's functions (start_child and so on), each audited as an order of `as`. Its
   * methods throw BOSUN_ACTOR_UNKNOWN where there is no such Boss.
   */
  boss(address: string = ROOT, as: OrderedBy = BY_HOST): ShardBoss {
    const order = (at: string, event: EventObject) => carryOutAtBoss(this.#kernel, at, event, as);
    return new ShardBoss({ order, look: (at) => bossAt(this.#kernel, at) }, checkAddress(address));
  }

  /** The supervision tree from the root, or from an address. Throws BOSUN_ACTOR_UNKNOWN. */
  tree(address: string = ROOT): TreeNode {
    return treeUnder(this.#kernel, address);
  }

  /** @internal For pages: an actor and all below it by address, or a part of them. Costs only the entries taken. */
  listed(address: string, which?: Listed): Iterable<ListedActor | undefined> {
    return listedUnder(this.#kernel, address, which);
  }

  /** Resumes an actor as the host: see `admin.resume`. */
  resume(address: string): Promise<void> {
    return this.admin.resume(address, BY_HOST);
  }

  /** @internal For {@link checkStore}. */
  readings(): CheckedActor[] {
    return this.#kernel.readings();
  }

  /** @internal For tests: the durable chains of actors in memory, by life, which a recovery must reproduce. */
  chains(): Map<number, { readonly seq: number; readonly hash: number }> {
    return new Map([...this.#kernel.shown.chains()].map(([life, { seq, hash }]) => [life, { seq, hash }]));
  }

  /**
   * Damage found in the store at the start and since, oldest first; `details` have its place and the actor that it
   * stops. Damaged data is withheld; everything else works.
   */
  damage(): readonly BosunError[] {
    return this.#damage.list();
  }

  /** Calls `handler` for damage found from now on. */
  onDamage(handler: (damage: BosunError) => void): Subscription {
    return this.#damage.watch(handler);
  }

  /**
   * The reasons why stored actors do not run, in order of birth; `details` have `life` and, where it is known,
   * `address`. Their records stay unchanged.
   */
  unreadable(): readonly BosunError[] {
    const { world } = this.#kernel;
    return world?.unreadable.problems(world.cells.values()) ?? [];
  }

  /** Copies the store while the kernel goes on, as System.backup does. */
  async backup(to: string): Promise<Verification> {
    return await this.#upkeep.backup(to);
  }

  /** The size of the store in bytes; null for one in memory, and while the system does not run. */
  storeBytes(): Promise<number | null> {
    return this.#upkeep.storeBytes();
  }

  /** Erases an actor and everything below it for good, as System.erase does. */
  erase(address: string, as: OrderedBy = BY_HOST): Promise<void> {
    return carryOutSlowly(this.#kernel, { order: 'erase', address, as }, async () => {
      await this.#upkeep.erase(() => this.#kernel.erase(checkAddress(address)));
    });
  }

  /**
   * Resolves when nothing happens until time passes: no turn waits, and no write is under way. Running effects do not
   * count.
   */
  idle(): Promise<void> {
    return this.#kernel.idle();
  }

  /** @internal For one of several shards: resolves when the other shards have taken everything in transit to them. */
  async settled(): Promise<void> {
    await this.#kernel.shardsSettled();
  }

  /** Calls `handler` for every event that any actor emits, once its epoch is durable. */
  onEmitted(handler: (address: string, event: EventObject) => void): Subscription {
    return this.#kernel.onEmitted(handler);
  }

  /** The reason why sends are refused while the store cannot be written; undefined when there is no outage. */
  get outage(): BosunError | undefined {
    return this.#kernel.outage;
  }

  /** The number of actors in memory: all of them, unless `residentActors` is set. */
  get residents(): number {
    return this.#kernel.world?.cells.size ?? 0;
  }

  /** The state of the kernel and its store. */
  async health(): Promise<SystemHealth> {
    return { epoch: this.epoch, residents: this.residents, storeBytes: await this.storeBytes(), outage: this.outage };
  }

  /** @internal For a gateway: what it serves. */
  get inside(): this {
    return this;
  }

  /** The number of the last epoch begun. */
  get epoch(): number {
    return this.#kernel.epoch;
  }

  async #order(boss: string, event: EventObject): Promise<unknown> {
    const cell = this.#kernel.directory.living(boss);
    checkBoss(cell);
    return await this.#kernel.ingress.order(cell, event);
  }
}

/** The log of a system: standard error by default. */
export function logOf({ log = (...args) => console.error(...args) }: Pick<SystemOptions, 'log'>): Log {
  return harmless(log);
}
