/** The composition root: joins kernel, supervisor and persistence into a system. The only file that sees them all. */
import { type EventObject } from 'xstate';
import { AdminHandle } from './actors/api/admin-handle.ts';
import { ActorHandle } from './actors/api/actor-handle.ts';
import { type ActorSnapshot, type Subscription, viewOf } from './actors/world/actor-view.ts';
import { childAddress, checkAddress, ROOT } from './actors/model/address.ts';
import { type AgentEvents, type AnyAgent, parseEvent } from './actors/model/agent.ts';
import { BY_HOST, type OrderedBy } from './actors/world/audit-record.ts';
import { carryOutAtBoss, carryOutSlowly } from './actors/api/audited-order.ts';
import { type CheckedActor } from './actors/loop/versions/check.ts';
import { Kernel } from './actors/loop/kernel.ts';
import { type AskOptions } from './actors/world/talk/ask-record.ts';
import { DeadLetterBox } from './actors/api/dead-letter-box.ts';
import { FROM_HOST } from './actors/world/mailbox/message.ts';
import { type Journal } from './actors/model/ports.ts';
import { ClientApi } from './actors/api/client-api.ts';
import { type Clock, systemClock } from './clock.ts';
import { BosunError } from './errors.ts';
import { EPOCH_MS } from './limits.ts';
import { createJournal, type JournalOptions } from './persistence/journal.ts';
import { KeyRing } from './persistence/key-ring.ts';
import { type ScrubberParts } from './persistence/scrubber.ts';
import { Upkeep } from './persistence/upkeep.ts';
import { type Verification } from './persistence/verify.ts';
import { type BossContext } from './supervisor/boss.ts';
import { BossHandle } from './supervisor/boss-handle.ts';
import { parseChildSpec, parseTree } from './supervisor/child-spec.ts';
import { type ChildRecord } from './supervisor/exit-rules.ts';
import { Agents } from './system-agents.ts';
import { WORKER_GATEWAY_MODULE, type ShardOptions, shardOf } from './system-shard.ts';
import {
  type SendOptions,
  type SnapshotOf,
  type SpawnOptions,
  type SystemOptions,
  type TreeNode,
} from './system-options.ts';
import { treeUnder } from './system-tree.ts';
import { type SpreadOptions } from './workers/options.ts';
import { spreadOverThreads } from './workers/spread.ts';
import { type SpreadSystem } from './workers/spread-system.ts';

export class System<A extends AnyAgent = AnyAgent> {
  /** For types only, and nothing at run time: by it a client is typed (`createClient<typeof system>`). */
  declare readonly '~agents': A;
  readonly #kernel: Kernel;
  readonly #agents: Agents;
  readonly #clock: Clock;
  readonly #log: (...args: unknown[]) => void;
  readonly #upkeep: Upkeep;
  readonly #damage: BosunError[] = [];
  /** Events that reached nobody, or were put aside because they crashed their agent. */
  readonly deadLetters: DeadLetterBox;
  /** To look into actors, to hold, step, mend and end them by hand, and to read who did. */
  readonly admin: AdminHandle;
  /** What a gateway needs of the system beside what hosts use. */
  readonly clientApi: ClientApi;
  readonly #damageWatchers = new Set<(damage: BosunError) => void>();
  #settle!: { resolve: () => void; reject: (error: BosunError) => void };
  /** Resolves when the system has been stopped; rejects with the reason when it closed by itself. */
  readonly closed: Promise<void>;

  /** Use {@link createSystem}. @param shard Where this is one of several. */
  constructor(options: SystemOptions<A>, shard?: ShardOptions) {
    this.#agents = new Agents(options);
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? ((...args) => console.error(...args));
    this.closed = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever wants to know awaits `closed`; nobody wanting to must not end the process.
    this.closed.catch(() => {});
    const journal = createJournal(options.store, this.#journalOptions(options));
    this.#upkeep = new Upkeep(options.store, this.#scrubberParts(options, journal));
    this.#kernel = new Kernel(
      {
        journal,
        name: options.store.name,
        clock: this.#clock,
        random: options.random ?? { next: Math.random },
        logicOf: (name) => this.#agents.logicOf(name),
        ...shardOf(parseTree(options.tree ?? {}), shard),
        hold: options.hold ?? false,
        outageMs: options.outageMs ?? Infinity,
        trustWallClock: options.trustWallClock ?? false,
        caution: options.caution ?? true,
        residentActors: options.residentActors,
        epochMs: options.epochMs ?? EPOCH_MS,
        ...(options.stepEngine && { stepEngine: options.stepEngine }),
        log: this.#log,
      },
      (error) => {
        void this.#upkeep.stop();
        this.#settle.reject(error);
      },
    );
    this.admin = new AdminHandle(this.#kernel);
    this.clientApi = new ClientApi(this.#kernel, this.#agents);
    this.deadLetters = new DeadLetterBox(this.#kernel, (cell, event) => parseEvent(this.#agents.receiver(cell), event));
  }

  /**
   * Opens the store and goes on from its last epoch. Resolves when the static children of every Boss are there. An
   * actor that the agents given cannot read is suspended and does not keep the others from starting. Rejects with
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
    this.#settle.resolve();
  }

  /**
   * For tests: ends as the death of the process does. Nothing further is written, released or run; the store is left as
   * it is, and `closed` never settles.
   */
  abandon(): void {
    void this.#upkeep.stop();
    this.#kernel.abandon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Gets the actor at an address, or has its Boss start one there. Resolves when the start is durable.
   * Rejects with BOSUN_AGENT_UNKNOWN, BOSUN_ADDRESS_INVALID, BOSUN_CHILD_SPEC_INVALID (also where another agent has the
   * address), BOSUN_START_FAILED where its first turn fails (nothing of it is left then), BOSUN_CHILDREN_FULL,
   * BOSUN_ACTOR_UNKNOWN (no such Boss), and as `send` does. Under a Boss of the strategy `dynamic` only `input` counts.
   */
  async spawn<A extends AnyAgent>(
    agent: A,
    id: string,
    options: SpawnOptions<A> = {},
  ): Promise<ActorHandle<AgentEvents<A>, SnapshotOf<A>>> {
    const { under = ROOT, restart = 'transient', input, backoff, resume } = options;
    if (this.#agents.named(agent.name) === undefined) {
      throw new BosunError('BOSUN_AGENT_UNKNOWN', `agent "${agent.name}" was not given to createSystem`);
    }
    const address = childAddress(under, id);
    const spec = parseChildSpec({
      id,
      agent: agent.name,
      restart,
      input,
      ...(backoff && { backoff }),
      ...(resume && { resume }),
    });
    const there = this.#kernel.find(address)?.identity;
    if (there !== undefined && (there.bond !== 'supervised' || there.agent !== agent.name)) {
      throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${address} is the address of another agent, ${there.agent}`);
    }
    // For one that has been born in memory only, the Boss's answer is durable no earlier than the birth.
    if (there === undefined || this.snapshot(address) === undefined)
      await this.#order(under, { type: 'child.start', spec } as EventObject);
    return this.actor(address, agent);
  }

  /**
   * Sends an event that the agent declares for the outside. Resolves when it is durable, which says nothing about
   * whether it was processed: an actor that is suspended reads it when it goes on. Rejects with BOSUN_ACTOR_UNKNOWN,
   * BOSUN_AGENT_UNKNOWN, BOSUN_EVENT_REFUSED, BOSUN_EVENT_INVALID, BOSUN_VALUE_REFUSED, BOSUN_MAILBOX_FULL,
   * BOSUN_STORE_UNAVAILABLE, BOSUN_SYSTEM_CLOSED, or with what the system closed for (BOSUN_STORE_*).
   */
  send<Event extends EventObject>(address: string, event: Event, options?: SendOptions): Promise<void> {
    try {
      return this.clientApi.deliver(address, event, options, FROM_HOST);
    } catch (error) {
      return Promise.reject(error as BosunError);
    }
  }

  /**
   * Sends an event as `send` does, and resolves with what the actor replies to it (the action `reply`), once that is
   * durable. With an `id`, an ask that is repeated is not sent again and gets the reply that is recorded, over crashes
   * too. Rejects as `send` does, and with BOSUN_TIMEOUT (`details.unknownOutcome`), BOSUN_ASK_FAILED, BOSUN_ASKS_FULL,
   * BOSUN_EVENT_NOT_TAKEN where the actor's state does nothing with the event, BOSUN_KEY_CONFLICT.
   */
  async ask<Reply = unknown>(
    address: string,
    event: EventObject & { readonly [field: string]: unknown },
    options: AskOptions = {},
  ): Promise<Reply> {
    return (await this.clientApi.ask(address, event, options, FROM_HOST)) as Reply;
  }

  /**
   * Who has a name, by a `systemId` or the action `register`, and the value beside it; undefined when nobody has. As of
   * the last durable epoch.
   */
  lookup(name: string): { readonly address: string; readonly value: unknown } | undefined {
    return this.#kernel.shown.named(name);
  }

  /** Addresses of a group's members, in order of their births. As of the last durable epoch. */
  members(group: string): readonly string[] {
    return this.#kernel.shown.members(group);
  }

  /** The last sequence of a session that was accepted; 0 when none was. */
  lastSequence(session: string): number {
    return this.#kernel.shown.lastSequence(session);
  }

  /**
   * As of the last durable epoch; undefined when nobody lives there. Throws BOSUN_STORE_DAMAGED for a record that is
   * damaged, BOSUN_SECRET_KEY for one whose key is missing.
   */
  snapshot(address: string): ActorSnapshot | undefined {
    const cell = this.#kernel.shown.at(address);
    if (cell?.isIllegible === true) throw cell.suspension!;
    return cell && viewOf(this.#kernel.engine, cell);
  }

  /** A handle on an address. Given the agent that lives there, its events and context are typed. */
  actor(address: string): ActorHandle;
  actor<A extends AnyAgent>(address: string, agent: A): ActorHandle<AgentEvents<A>, SnapshotOf<A>>;
  actor(address: string): ActorHandle {
    return new ActorHandle(
      {
        clock: this.#clock,
        observed: (at) => this.#kernel.observed(at),
        snapshotOf: (cell) => viewOf(this.#kernel.engine, cell),
        send: (at, event) => this.send(at, event),
      },
      checkAddress(address),
    );
  }

  /**
   * A handle on a Boss: OTP's start_child and so on, each audited as an order of `as`. Its methods throw
   * BOSUN_ACTOR_UNKNOWN where none lives there.
   */
  boss(address: string = ROOT, as: OrderedBy = BY_HOST): BossHandle {
    const look = (at: string) => {
      const cell = this.#kernel.observed(at);
      if (!cell.isBoss) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${at} is no Boss`);
      const recordOf = (id: string) => this.#kernel.shown.childRow(cell, id) as ChildRecord | undefined;
      const records = () => [...cell.table.keys()].flatMap((id) => recordOf(id) ?? []);
      return { context: viewOf(this.#kernel.engine, cell)?.context as BossContext, records, recordOf };
    };
    return new BossHandle(
      { order: (at, event) => carryOutAtBoss(this.#kernel, at, event, as), look },
      checkAddress(address),
    );
  }

  /** The supervision tree from the root, or from an address. Throws BOSUN_ACTOR_UNKNOWN. */
  tree(address: string = ROOT): TreeNode {
    return treeUnder(this.#kernel, address);
  }

  /** `admin.resume` by the host. */
  resume(address: string): Promise<void> {
    return this.admin.resume(address, BY_HOST);
  }

  /** @internal For {@link checkStore}. */
  readings(): CheckedActor[] {
    return this.#kernel.readings();
  }

  /**
   * @internal For proofs: what a recovery must come to, by life, as of the last durable epoch in memory; of those in
   *   memory.
   */
  chains(): Map<number, { readonly seq: number; readonly hash: number }> {
    return new Map([...this.#kernel.shown.states()].map(([life, { seq, hash }]) => [life, { seq, hash }]));
  }

  /**
   * Damage found in the store at the start and since, oldest first; `details` say where it is and whom it stops. What
   * is damaged is withheld; everything else works.
   */
  damage(): readonly BosunError[] {
    return [...this.#damage];
  }

  /** Called for damage found from now on. */
  onDamage(handler: (damage: BosunError) => void): Subscription {
    this.#damageWatchers.add(handler);
    return { unsubscribe: () => void this.#damageWatchers.delete(handler) };
  }

  /**
   * Why actors that are in the store do not run, in order of their births; `details` have `life` and, where it is
   * known, `address`. Their records stay as they are.
   */
  unreadable(): readonly BosunError[] {
    const { world } = this.#kernel;
    return world?.unreadable.problems(world.cells.values()) ?? [];
  }

  /**
   * Copies the store to the new data directory `to` (the LevelDB is in `to/store`), as it is after the last epoch
   * written, while the system goes on. The copy is verified and appears whole or not at all.
   *
   * @returns What verifying the copy found. Rejects with BOSUN_CONFIG_INVALID (the place is taken, or the store has no
   * snapshots), BOSUN_SYSTEM_CLOSED, BOSUN_STORE_FAILED.
   */
  async backup(to: string): Promise<Verification> {
    return await this.#upkeep.backup(to);
  }

  /** How much room the store takes; null for one in memory, and while the system does not run. */
  storeBytes(): Promise<number | null> {
    return this.#upkeep.storeBytes();
  }

  /**
   * Erases an actor and everything below it for good: state, mailbox, timers, quarantined messages, its Boss's record,
   * and unread messages that it sent. Resolves when nothing of it is left in the store's files, which takes as long as
   * writing the whole store once; turns go on meanwhile, and their epochs wait. What others learned of it stays with
   * them, and so do backups, and the keys (not the values) of objects that it held.
   *
   * A static child is started anew by the next start. The audit keeps that something was ordered, when and by whom,
   * without its address, reason and arguments. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID for the root,
   * BOSUN_SYSTEM_CLOSED.
   */
  erase(address: string, as: OrderedBy = BY_HOST): Promise<void> {
    return carryOutSlowly(this.#kernel, { order: 'erase', address, as }, async () => {
      // Also one whose record is damaged.
      await this.#upkeep.erase(() =>
        this.#kernel.erase(this.#kernel.find(checkAddress(address)) ?? this.#kernel.cell(address)),
      );
    });
  }

  /**
   * Resolves when nothing is to be done before time passes: no turn is waiting, and no write is under way. Running
   * effects do not count.
   */
  idle(): Promise<void> {
    return this.#kernel.idle();
  }

  /** @internal Of one of several: resolves when everything that was on its way to others has been taken there. */
  async settled(): Promise<void> {
    await this.#kernel.shardsSettled();
  }

  /** Called for every event that any actor emits, once its epoch is durable. */
  onEmitted(handler: (address: string, event: EventObject) => void): Subscription {
    return this.#kernel.onEmitted(handler);
  }

  /** Why sends are refused, while the store cannot be written; undefined when all is well. */
  get outage(): BosunError | undefined {
    return this.#kernel.outage;
  }

  /** How many actors are in memory: all, but for `residentActors`. */
  get residents(): number {
    return this.#kernel.world?.cells.size ?? 0;
  }

  /** Number of the last epoch begun. */
  get epoch(): number {
    return this.#kernel.epoch;
  }

  #journalOptions({ journal, durability, recoverTo, ...options }: SystemOptions): JournalOptions {
    return {
      ...journal,
      keys: keysOf(options),
      ...(durability !== undefined && { durability }),
      ...(recoverTo !== undefined && { recoverTo }),
      onDamage: (damage) => this.#tellDamage(damage),
      onSetAside: ({ recoveredTo, moved }) => {
        this.#log(
          `the journal goes on from epoch ${recoveredTo}; ${moved.size} ${moved.size === 1 ? 'epoch' : 'epochs'} ` +
            'behind it were set aside:',
          [...moved.values()],
        );
      },
    };
  }

  #scrubberParts(
    { scrub, hold = false, durability = 'disk' }: SystemOptions,
    journal: Journal,
  ): Omit<ScrubberParts, 'store'> | null {
    if (scrub === false || (scrub === undefined && (hold || durability === 'memory'))) return null;
    return {
      ...scrub,
      clock: this.#clock,
      stateOf: (life) => this.#kernel.world?.durableState(life),
      decode: (bytes) => journal.codec.decode(bytes),
      onDamage: (damage) => this.#tellDamage(damage),
      log: this.#log,
    };
  }

  #tellDamage(damage: BosunError): void {
    this.#damage.push(damage);
    this.#log(damage.message, damage.details);
    for (const watcher of [...this.#damageWatchers]) watcher(damage);
  }

  async #order(boss: string, event: EventObject): Promise<unknown> {
    const cell = this.#kernel.cell(boss);
    if (!cell.isBoss) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${boss} is no Boss`);
    return await this.#kernel.ingress.order(cell, event);
  }
}

/** @returns undefined where nothing is to be encrypted. Throws BOSUN_CONFIG_INVALID. */
function keysOf({
  secretKey,
  previousSecretKeys = [],
}: Pick<SystemOptions, 'secretKey' | 'previousSecretKeys'>): KeyRing | undefined {
  if (secretKey !== undefined) return new KeyRing(secretKey, previousSecretKeys);
  if (previousSecretKeys.length > 0)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'previous secret keys only read: give a secret key too');
  return undefined;
}

/**
 * Makes a system; call `start` on it. With `workers` it is spread over threads. Throws BOSUN_CONFIG_INVALID or
 * BOSUN_CHILD_SPEC_INVALID.
 */
export function createSystem<const A extends AnyAgent>(options: SystemOptions<A>): System<A>;
export function createSystem(options: SpreadOptions): SpreadSystem;
export function createSystem<const A extends AnyAgent>(
  options: SystemOptions<A> | SpreadOptions,
): System<A> | SpreadSystem {
  return 'workers' in options
    ? spreadOverThreads(options, {
        clock: systemClock,
        workerGateway: WORKER_GATEWAY_MODULE,
        log: options.log ?? ((...args) => console.error(...args)),
      })
    : new System<A>(options);
}

/**
 * What starting a system with these agents would do to each actor in a stopped store. Migrations are tried on what is
 * stored; nothing is written and nothing runs. Rejects with BOSUN_STORE_*.
 */
export async function checkStore(
  options: Pick<SystemOptions, 'agents' | 'resolveAgent' | 'store' | 'log' | 'secretKey' | 'previousSecretKeys'>,
): Promise<CheckedActor[]> {
  const system = new System({ ...options, hold: true });
  await system.start();
  try {
    return system.readings();
  } finally {
    await system.stop();
  }
}
