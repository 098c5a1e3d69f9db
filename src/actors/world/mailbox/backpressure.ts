/**
 * Backpressure of full mailboxes (design P8). A turn is never blocked: its sends are accepted, and its actor takes no
 * further turn until the receiver has read half of its messages. Sends to oneself and those of Bosses are exempt. Where
 * waiting would never end, because the receiver itself waits for the sender, and where the sender cannot wait, because
 * it is an effect, the event becomes a dead letter with BOSUN_MAILBOX_FULL. By its overflow policy an agent may treat
 * every event for a full mailbox that way, or the oldest event in it. Nothing of this is stored: after a restore the
 * next send finds the mailbox full again.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../limits.ts';
import { admitError } from '../../model/thrown.ts';
import { type Cell } from '../cell.ts';
import { messageRow } from './message.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'asks' | 'cells' | 'draft' | 'letters' | 'schedule' | 'time'>;

/**
 * Unread messages below which waiting senders continue. If they were woken one by one, each would wait again after one
 * turn.
 */
const ROOM = MAILBOX_MESSAGES_MAX / 2;

export class Backpressure {
  readonly #world: Needs;
  #last: Error | undefined;
  /** Actors that wait for room, and since when. */
  readonly #since = new Map<Cell, number>();

  constructor(world: Needs) {
    this.#world = world;
  }

  /**
   * Decides about an event for a full mailbox.
   *
   * @param from 0 or less for hosts and clients, which ingress has refused already where that is the policy.
   * @returns Whether the event may enter. Its sender waits then, or another event has made room.
   */
  admits(to: Cell, event: EventObject, from: number): boolean {
    const sender = from > 0 ? this.#world.cells.get(from) : undefined;
    if (sender === to || sender?.role.waitsForRoom === false) return true;
    const { policy } = to.definition.overflow;
    if (policy === 'drop-oldest') {
      this.#dropOldest(to);
      return true;
    }
    if (sender === undefined) return true;
    if (policy === 'refuse') {
      this.#overflow(to, event, { from, circle: undefined });
      return false;
    }
    const circle = circleOf(to, sender);
    if (circle !== undefined || sender.definition.isEffect) {
      this.#overflow(to, event, { from, circle });
      return false;
    }
    if (sender.waitsFor === undefined) {
      sender.waitsFor = to;
      this.#since.set(sender, this.#world.time.nowMs());
      (to.crowd ??= new Set()).add(sender);
    }
    return true;
  }

  /** Lists which sender waits for room in whose mailbox, and since when. The list is in memory only. */
  waiting(): { readonly sender: Cell; readonly to: Cell; readonly sinceMs: number }[] {
    return [...this.#since].flatMap(([sender, sinceMs]) =>
      sender.waitsFor === undefined || sender.gone ? [] : [{ sender, to: sender.waitsFor, sinceMs }],
    );
  }

  /** Drops the oldest event, and tells its asker or the waiting host. Signals, timers and commands stay. */
  #dropOldest(to: Cell): void {
    const message = to.mailbox.takeOldest(({ kind, timer }) => kind === 'event' && timer === null);
    if (message === null) return;
    const { address } = to;
    const why = `${address} has a full mailbox, and newer events`;
    const error = this.#full(why, { address });
    if (message.order === null) this.#world.asks.crashed(to.identity, message.event, error);
    else message.order.failure = new BosunError('BOSUN_MAILBOX_FULL', why, { details: { address } });
    this.#world.draft.read(message);
    this.#world.letters.add({ reason: 'overflowed', address, error, message: messageRow(message) });
  }

  /** Makes an event for which there is no room a dead letter. */
  #overflow(
    to: Cell,
    event: EventObject,
    { from, circle }: { from: number; circle: readonly string[] | undefined },
  ): void {
    const { life, address } = to.identity;
    const why =
      circle === undefined
        ? `${address} has a full mailbox`
        : `${circle.join(', ')} wait for each other, with full mailboxes`;
    const error = this.#full(why, { address, ...(circle && { circle }) });
    this.#world.letters.add({ reason: 'overflowed', address, error, message: [life, 'event', event, from, 0, 0] });
    this.#world.asks.crashed(to.identity, event, error);
  }

  /** The error of all events of a flood: making and admitting one per event would cost more than the flood itself. */
  #full(why: string, details: Record<string, unknown>): Error {
    if (this.#last?.message !== why)
      this.#last = admitError(new BosunError('BOSUN_MAILBOX_FULL', why, { details })) as Error;
    return this.#last;
  }

  /** Lets waiting senders go on after a mailbox has become shorter. */
  eased(cell: Cell): void {
    if (cell.crowd === undefined || (cell.mailbox.size - cell.mailbox.deferred > ROOM && !cell.gone)) return;
    const { crowd } = cell;
    cell.crowd = undefined;
    for (const sender of crowd) {
      sender.waitsFor = undefined;
      this.#since.delete(sender);
      this.#world.schedule(sender);
    }
  }
}

/** The actors that would wait for each other if `sender` waited for `to`. */
function circleOf(to: Cell, sender: Cell): string[] | undefined {
  const circle = [sender.address];
  for (let cell: Cell | undefined = to; cell !== undefined; cell = cell.waitsFor) {
    if (cell === sender) return circle;
    circle.push(cell.address);
  }
  return undefined;
}
