/**
 * Messages from one shard to another and their handling: events, asks and their replies, orders to the partition of a
 * Boss that has the child, and published events. The kernel calls this where an actor is not its own; shard-channel.ts
 * does the transport. A receiver on another shard cannot be observed, so its full mailbox delays nobody: an event that
 * finds no room becomes a dead letter there. A sender is delayed only by a channel that the other shard does not keep
 * up with.
 */
import { type EventObject } from 'xstate';
import { ERROR_CODES, type ErrorCode } from '../../../error-codes.ts';
import { BosunError, messageOf } from '../../../errors.ts';
import { childAddress } from '../../model/address.ts';
import { type Cell } from '../../world/cell.ts';
import { type Recovered, KEYSPACE } from '../../model/ports.ts';
import { type Wire } from '../../model/wire.ts';
import { Ref } from '../../model/ref.ts';
import { type DownEvent, type Relation } from '../../world/talk/down-event.ts';
import { type Elsewhere, type OtherShards } from '../../world/shards/other-shards.ts';
import { admitError } from '../../model/thrown.ts';
import { refusalOfAwaited } from '../../world/mailbox/suspended-receivers.ts';
import { type World } from '../../world/world.ts';
import { NameDirectory } from '../../world/shards/name-directory.ts';
import { type FrameRow, type ShardMessage, ShardChannels } from '../../world/shards/shard-channel.ts';
import { type Placement, shardOfLife, type ShardPlace } from '../../model/placement.ts';
import { type BossView } from '../../model/supervision.ts';

/** The parts that make a kernel one shard of several. */
export interface ShardParts extends ShardPlace {
  readonly placement: Placement;
  /** Addresses of all children that today's code declares under spread Bosses, on any shard. */
  readonly declared: ReadonlySet<string>;
  readonly wire: Wire;
  /**
   * Resolves when all shards have checked that their stores fit, so that none runs where another one refuses to start.
   */
  readonly gate: () => Promise<void>;
}

export class ShardLink implements OtherShards {
  readonly #world: World;
  readonly #here: number;
  readonly #count: number;
  readonly #placement: Placement;
  readonly #lines: ShardChannels;
  readonly #directory: NameDirectory;
  /** Actors that wait for room on the channel to a shard. */
  readonly #crowds = new Map<number, Set<Cell>>();

  constructor(world: World, parts: ShardParts, recovered: Recovered) {
    const { index, count, placement, wire } = parts;
    this.#world = world;
    this.#here = index;
    this.#count = count;
    this.#placement = placement;
    this.#lines = new ShardChannels({
      world,
      place: parts,
      wire,
      arrive: (crossing) => this.#arrive(crossing),
      onRoom: (shard) => this.#ease(shard),
    });
    this.#directory = new NameDirectory(world, count);
    for (const [key, row] of recovered.rows.get(KEYSPACE.shard) ?? []) {
      this.#lines.loadTaken(key, row);
      this.#directory.load(key, row);
    }
    for (const [key, row] of recovered.rows.get(KEYSPACE.frames) ?? [])
      this.#lines.loadFrame(parseInt(key, 16), row as FrameRow);
  }

  /** Opens the channels when the system runs. */
  open(): void {
    this.#lines.open();
  }

  close(): void {
    this.#lines.close();
  }

  /** Resolves when the other shards have taken everything in transit to them. */
  settled(): Promise<void> {
    return this.#lines.settled();
  }

  /**
   * Sends an event to a life of another shard.
   *
   * @returns False for a life of this shard.
   */
  send(
    { life, address }: { readonly life: number; readonly address: string },
    event: EventObject,
    from: number,
  ): boolean {
    const shard = shardOfLife(life, this.#count);
    if (shard === this.#here) return false;
    const sender = this.#world.cells.get(from);
    if (sender?.definition.isEffect === true && this.#lines.isFull(shard))
      this.#overflow({ life, address }, event, from, `the line to worker ${shard} is full`);
    else {
      this.#lines.add(shard, ['event', life, address, event, from]);
      this.#holdUp(sender, shard);
    }
    return true;
  }

  /** The receiver of an ask on another shard, by a reference or an address; undefined for one of this shard. */
  askable(to: Ref | string, asker: number): Elsewhere | undefined {
    const shard = typeof to === 'string' ? this.#placement.homeOf(to) : shardOfLife(to.life, this.#count);
    if (shard === this.#here || shard === 'every') return undefined;
    const { life, address } = typeof to === 'string' ? { life: 0, address: to } : to;
    return {
      life,
      address,
      isFull: this.#lines.isFull(shard),
      deliver: (event) => this.#lines.add(shard, ['ask', life, address, event, asker]),
    };
  }

  /**
   * Replies to an ask of another shard.
   *
   * @returns False for an ask of this shard.
   */
  reply(from: { readonly life: number; readonly address: string }, to: Ref, value: unknown): boolean {
    return this.#toAsk(to.life, ['reply', to.life, from.address, value, from.life]);
  }

  /**
   * Fails an ask of another shard.
   *
   * @returns False for an ask of this shard.
   */
  fail(ask: number, address: string, error: BosunError): boolean {
    return this.#toAsk(ask, ['failure', ask, address, admitError(error), 0]);
  }

  /** Tells the asker on another shard that its request was dropped unread. */
  unanswered(event: EventObject, address: string): void {
    const { replyTo } = event as { replyTo?: unknown };
    if (replyTo instanceof Ref)
      this.fail(
        replyTo.life,
        address,
        new BosunError('BOSUN_ASK_FAILED', `${address} ended before it replied`, { details: { address } }),
      );
  }

  /**
   * Passes an order about a child to the partition of the Boss that has it.
   *
   * @returns Whether only another shard handles it.
   */
  order(boss: Cell, event: EventObject, from: number): boolean {
    const { address } = boss;
    const id = (event as { id?: unknown }).id ?? (event as { spec?: { id?: unknown } }).spec?.id;
    if (typeof id !== 'string' || !this.#placement.isSpread(address)) return false;
    const home = this.#homeOfChild(address, id);
    if (home === this.#here) return false;
    for (let shard = 0; shard < this.#count; shard++) {
      if (shard !== this.#here && (home === 'every' || home === shard))
        this.#lines.add(shard, ['order', 0, address, event, from]);
    }
    return home !== 'every';
  }

  /**
   * The spec of a dynamic child without an id, completed by an id that belongs to this shard and is unique over all
   * shards.
   */
  withId(boss: Cell, event: EventObject): { readonly spec: object } | undefined {
    const { spec } = event as { spec?: { readonly id?: unknown } | null };
    const { address } = boss;
    const { template } = (boss.context ?? {}) as Partial<BossView>;
    if (
      event.type !== 'child.start' ||
      spec?.id !== undefined ||
      template === undefined ||
      !this.#placement.isSpread(address)
    )
      return undefined;
    for (;;) {
      const id = String(this.#world.next('life'));
      if (this.#homeOfChild(address, id) === this.#here) return { spec: { ...spec, id } };
    }
  }

  /** Sends an event to members of a group on other shards too. */
  publish(group: string, event: EventObject, from: number): void {
    for (let shard = 0; shard < this.#count; shard++) {
      if (shard === this.#here) continue;
      this.#lines.add(shard, ['publish', 0, group, event, from]);
      this.#holdUp(this.#world.cells.get(from), shard);
    }
  }

  /** The holder of a name on another shard. */
  holder(name: string): Ref | undefined {
    return this.#directory.find(name);
  }

  /** Names held on other shards. */
  names(): Iterable<string> {
    return this.#directory.names();
  }

  /** Tells the other shards that an actor of this shard has a name, or no longer has it. */
  tellName(
    kind: 'named' | 'nameless',
    name: string,
    { life, address }: { readonly life: number; readonly address: string },
  ): void {
    for (let shard = 0; shard < this.#count; shard++)
      if (shard !== this.#here) this.#lines.add(shard, [kind, life, address, name, life]);
  }

  /**
   * Tells the other shard that one of its lives is watched from here, or no longer is. Does nothing for a life of this
   * shard.
   */
  tellWatch(
    kind: 'watch' | 'unwatch',
    { life, address }: { readonly life: number; readonly address: string },
    { watcher, relation }: { readonly watcher: number; readonly relation: Relation },
  ): void {
    const shard = shardOfLife(life, this.#count);
    if (shard !== this.#here) this.#lines.add(shard, [kind, life, address, relation, watcher]);
  }

  /**
   * Tells another shard that a life watched from there has ended.
   *
   * @returns False for a watcher of this shard.
   */
  tellEnded(
    watcher: number,
    { life, address }: { readonly life: number; readonly address: string },
    what: { readonly relation: Relation; readonly event: DownEvent },
  ): boolean {
    const shard = shardOfLife(watcher, this.#count);
    if (shard === this.#here) return false;
    this.#lines.add(shard, ['ended', watcher, address, Object.freeze(what), life]);
    return true;
  }

  /** Whether a life, or the actor at an address, belongs to another shard. */
  isElsewhere(target: Ref | string): boolean {
    const home = typeof target === 'string' ? this.#placement.homeOf(target) : shardOfLife(target.life, this.#count);
    return home !== this.#here && home !== 'every';
  }

  #toAsk(ask: number, crossing: ShardMessage): boolean {
    const shard = shardOfLife(ask, this.#count);
    if (shard === this.#here) return false;
    this.#lines.add(shard, crossing);
    return true;
  }

  /** Handles an incoming message. Everything in it was admitted by the sender. */
  #arrive([kind, to, address, what, from]: ShardMessage): void {
    const world = this.#world;
    switch (kind) {
      case 'event':
        this.#deliver({ life: to, address }, what as EventObject, from);
        return;
      case 'ask':
        this.#ask(to, address, what as EventObject & { readonly replyTo: Ref }, from);
        return;
      case 'order': {
        const boss = world.addresses.get(address);
        if (boss?.role.supervises === true) world.enqueue(boss, what as EventObject, 'command', from);
        else world.letters.undeliverable({ life: 0, address }, what as EventObject, from);
        return;
      }
      case 'publish':
        for (const { identity } of world.groups.members(address)) this.#deliver(identity, what as EventObject, from);
        return;
      case 'named':
        this.#directory.named(what as string, to, address);
        return;
      case 'nameless':
        this.#directory.nameless(what as string, to);
        return;
      case 'watch':
        world.monitors.watchedFrom(from, { life: to, address }, what as Relation);
        return;
      case 'unwatch':
        world.monitors.unwatchedFrom(from, to, what as Relation);
        return;
      case 'ended':
        world.monitors.endedAway(from, to, what as { relation: Relation; event: DownEvent });
        return;
      case 'reply':
        world.asks.reply({ life: from, address }, world.refOf(to, address), what);
        return;
      case 'failure':
        world.asks.failed(to, errorFrom(what));
    }
  }

  #ask(to: number, address: string, event: EventObject & { readonly replyTo: Ref }, from: number): void {
    const world = this.#world;
    const life = to === 0 ? world.addresses.get(address)?.life : to;
    const receiver = life === undefined ? undefined : world.cells.get(life);
    const reason =
      life === undefined
        ? new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address} to ask`, { details: { address } })
        : receiver && refusalOfAwaited(receiver);
    if (reason !== undefined) this.fail(event.replyTo.life, address, reason);
    else this.#deliver({ life: life!, address }, event, from);
  }

  #deliver(to: { readonly life: number; readonly address: string }, event: EventObject, from: number): void {
    const cell = this.#world.cells.get(to.life);
    if (cell === undefined) {
      this.#world.letters.undeliverable(to, event, from);
      this.unanswered(event, to.address);
    } else if (cell.isFull) this.#overflow(to, event, from, `${to.address} has a full mailbox`);
    else this.#world.post(cell, event, from);
  }

  #overflow(
    { life, address }: { readonly life: number; readonly address: string },
    event: EventObject,
    from: number,
    why: string,
  ): void {
    const error = new BosunError('BOSUN_MAILBOX_FULL', why, { details: { address } });
    this.#world.letters.add({
      reason: 'overflowed',
      address,
      error: admitError(error),
      message: [life, 'event', event, from, 0, 0],
    });
    const { replyTo } = event as { replyTo?: unknown };
    if (replyTo instanceof Ref) this.fail(replyTo.life, address, error);
  }

  /** Blocks a machine until the other shard has caught up. Bosses are exempt, as with full mailboxes. */
  #holdUp(sender: Cell | undefined, shard: number): void {
    if (sender?.role.waitsForRoom !== true || sender.definition.isEffect || !this.#lines.isFull(shard)) return;
    sender.holdUp();
    const crowd = this.#crowds.get(shard);
    if (crowd === undefined) this.#crowds.set(shard, new Set([sender]));
    else crowd.add(sender);
  }

  /** Unblocks senders. One that waits for two channels is checked again when it sends. */
  #ease(shard: number): void {
    const crowd = this.#crowds.get(shard) ?? [];
    this.#crowds.delete(shard);
    for (const sender of crowd) {
      sender.letGo();
      this.#world.schedule(sender);
    }
  }

  /** The shard of a child. An id that forms no valid address is left to the Boss, which refuses it. */
  #homeOfChild(boss: string, id: string): number | 'every' {
    try {
      return this.#placement.homeOf(childAddress(boss, id));
    } catch {
      return this.#here;
    }
  }
}

/** Converts a plain error to a BosunError, with its code. */
function errorFrom(what: unknown): BosunError {
  const { code, details } = what as { code?: unknown; details?: Record<string, unknown> };
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_ASK_FAILED';
  return new BosunError(known, messageOf(what), { cause: what, ...(details && { details }) });
}
