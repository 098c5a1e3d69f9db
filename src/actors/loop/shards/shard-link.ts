/**
 * What crosses from one shard to another, and what it comes to there: events, asks and their replies, orders to the
 * partition of a Boss that has the child, and what is published. The kernel asks here where an actor is none of its
 * own; how it gets across is lines.ts's affair. A receiver on another shard cannot be seen, so its full mailbox holds
 * nobody up: what finds no room becomes a dead letter there. What holds a sender up is a line that the other shard does
 * not keep up with.
 */
import { type EventObject } from 'xstate';
import { BosunError, ERROR_CODES, type ErrorCode, messageOf } from '../../../errors.ts';
import { childAddress } from '../../model/address.ts';
import { type Cell } from '../../world/cell.ts';
import { type Recovered, type Wire, KEYSPACE } from '../../model/ports.ts';
import { Ref } from '../../model/ref.ts';
import { type DownEvent, type Relation } from '../../world/talk/down-event.ts';
import { type Elsewhere, type OtherShards } from '../../world/shards/other-shards.ts';
import { admitError } from '../../model/value-check.ts';
import { type World } from '../../world/world.ts';
import { NameDirectory } from '../../world/shards/name-directory.ts';
import { type ShardMessage, ShardChannels } from '../../world/shards/shard-channel.ts';
import { type Placement, shardOfLife, type ShardPlace } from '../../model/placement.ts';
import { type BossView } from '../../model/supervision.ts';

/** What makes a kernel one shard of several. */
export interface ShardParts extends ShardPlace {
  readonly placement: Placement;
  /** Addresses of all children that today's code declares under spread Bosses, wherever they live. */
  readonly declared: ReadonlySet<string>;
  readonly wire: Wire;
  /**
   * Resolves when all shards have found that their stores fit, so that none goes on alone from what another refuses.
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
  /** Who waits for room on the line to a shard. */
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
    this.#lines.load(recovered.rows.get(KEYSPACE.shard) ?? []);
    for (const [key, row] of recovered.rows.get(KEYSPACE.shard) ?? []) this.#directory.load(key, row);
  }

  /** The system runs. */
  open(): void {
    this.#lines.open();
  }

  close(): void {
    this.#lines.close();
  }

  /** Resolves when everything that is on its way to other shards now has been taken there. */
  settled(): Promise<void> {
    return this.#lines.settled();
  }

  /** Sends an event to a life of another shard. @returns False for one of this shard. */
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

  /** Whom an effect asks by a reference or an address of another shard; undefined for one of this shard. */
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

  /** Replies to an ask of another shard. @returns False for one of this shard. */
  reply(from: { readonly life: number; readonly address: string }, to: Ref, value: unknown): boolean {
    return this.#toAsk(to.life, ['reply', to.life, from.address, value, from.life]);
  }

  /** What was asked by another shard will not be answered. @returns False for an ask of this shard. */
  fail(ask: number, address: string, error: BosunError): boolean {
    return this.#toAsk(ask, ['failure', ask, address, admitError(error), 0]);
  }

  /** A request dies unread: whoever asks on another shard learns of it. */
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
   * Hands an order about a child to the partition of the Boss that has it. @returns Whether that is another shard's
   * alone.
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

  /** The spec of a dynamic child that was given no id, with one that lives here and that no shard gives twice. */
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

  /** Members of a group on other shards get the event too. */
  publish(group: string, event: EventObject, from: number): void {
    for (let shard = 0; shard < this.#count; shard++) {
      if (shard === this.#here) continue;
      this.#lines.add(shard, ['publish', 0, group, event, from]);
      this.#holdUp(this.#world.cells.get(from), shard);
    }
  }

  /** Who has a name on another shard. */
  holder(name: string): Ref | undefined {
    return this.#directory.find(name);
  }

  /** Names that somebody on another shard has. */
  names(): Iterable<string> {
    return this.#directory.names();
  }

  /** An actor of this shard has a name from now on, or has it no more: the others are told. */
  tellName(
    kind: 'named' | 'nameless',
    name: string,
    { life, address }: { readonly life: number; readonly address: string },
  ): void {
    for (let shard = 0; shard < this.#count; shard++)
      if (shard !== this.#here) this.#lines.add(shard, [kind, life, address, name, life]);
  }

  /** A life of another shard is watched from here from now on, or no more. Does nothing for one of this shard. */
  tellWatch(
    kind: 'watch' | 'unwatch',
    { life, address }: { readonly life: number; readonly address: string },
    { watcher, relation }: { readonly watcher: number; readonly relation: Relation },
  ): void {
    const shard = shardOfLife(life, this.#count);
    if (shard !== this.#here) this.#lines.add(shard, [kind, life, address, relation, watcher]);
  }

  /** A life that is watched from another shard is over. @returns False for a watcher of this shard. */
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

  /** Whether a life, or whoever lives at an address, is of another shard. */
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

  /** Something has come. Everything in it was admitted where it was sent. */
  #arrive([kind, to, address, what, from]: ShardMessage): void {
    const world = this.#world;
    switch (kind) {
      case 'event':
        this.#deliver({ life: to, address }, what as EventObject, from);
        return;
      case 'ask': {
        const life = to === 0 ? world.addresses.get(address)?.life : to;
        if (life !== undefined) this.#deliver({ life, address }, what as EventObject, from);
        else {
          const nobody = new BosunError('BOSUN_ACTOR_UNKNOWN', `nobody lives at ${address} to be asked`, {
            details: { address },
          });
          this.fail((what as { replyTo: Ref }).replyTo.life, address, nobody);
        }
        return;
      }
      case 'order': {
        const boss = world.addresses.get(address);
        if (boss?.isBoss === true) world.enqueue(boss, what as EventObject, 'command', from);
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

  /** A machine takes no further turn until the other shard has caught up. Bosses are exempt, as with full mailboxes. */
  #holdUp(sender: Cell | undefined, shard: number): void {
    if (sender === undefined || sender.isBoss || sender.definition.isEffect || !this.#lines.isFull(shard)) return;
    sender.isHeldUp = true;
    const crowd = this.#crowds.get(shard);
    if (crowd === undefined) this.#crowds.set(shard, new Set([sender]));
    else crowd.add(sender);
  }

  /** One that waits for two lines is looked at again when it sends. */
  #ease(shard: number): void {
    const crowd = this.#crowds.get(shard) ?? [];
    this.#crowds.delete(shard);
    for (const sender of crowd) {
      sender.isHeldUp = false;
      this.#world.schedule(sender);
    }
  }

  /** An id that makes no address is refused by the Boss, in its words. */
  #homeOfChild(boss: string, id: string): number | 'every' {
    try {
      return this.#placement.homeOf(childAddress(boss, id));
    } catch {
      return this.#here;
    }
  }
}

/** What came as a plain error, with the code that it had. */
function errorFrom(what: unknown): BosunError {
  const { code, details } = what as { code?: unknown; details?: Record<string, unknown> };
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_ASK_FAILED';
  return new BosunError(known, messageOf(what), { cause: what, ...(details && { details }) });
}
