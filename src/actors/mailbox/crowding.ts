/**
 * Full mailboxes between actors (design P8). A turn is never held up: what it sends is taken, and its actor takes no further
 * turn until the receiver has read half of what it has. Sends to oneself and those of Bosses are exempt. Where waiting would
 * never end, because the receiver itself waits for the sender, and where the sender cannot be held up, because it is an
 * effect, the event becomes a dead letter with BOSUN_MAILBOX_FULL. Nothing of this is stored: after a restore the next send
 * finds the mailbox full again.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../../limits.ts';
import { admitError } from '../turn/admission.ts';
import { type Cell } from '../cell.ts';
import type { World } from '../world.ts';

/** Waking senders one by one would have each wait again after one turn. */
const ROOM = MAILBOX_MESSAGES_MAX / 2;

export class Crowding {
  readonly #world: World;
  #last: Error | undefined;
  /** Who waits for room, and from when on. */
  readonly #since = new Map<Cell, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** @returns Whether an event may enter a mailbox that is full. Its sender waits then. */
  admits(to: Cell, event: EventObject, from: number): boolean {
    const sender = this.#world.cells.get(from);
    if (sender === undefined || sender === to || sender.isBoss) return true;
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

  /** Who waits for room in whose mailbox, and from when on. At this moment: nothing of it is stored. */
  waiting(): { readonly sender: Cell; readonly to: Cell; readonly sinceMs: number }[] {
    return [...this.#since].flatMap(([sender, sinceMs]) => (sender.waitsFor === undefined || sender.gone ? [] : [{ sender, to: sender.waitsFor, sinceMs }]));
  }

  /** Puts an event aside for which there is no room. */
  #overflow(to: Cell, event: EventObject, { from, circle }: { from: number; circle: readonly string[] | undefined }): void {
    const { life, address } = to.identity;
    const why = circle === undefined ? `${address} has a full mailbox` : `${circle.join(', ')} wait for each other, with full mailboxes`;
    let error = this.#last;
    // A flood has one error: making and admitting each anew would cost more than the flood.
    if (error?.message !== why) {
      error = admitError(new BosunError('BOSUN_MAILBOX_FULL', why, { details: { address, ...(circle && { circle }) } })) as Error;
      this.#last = error;
    }
    this.#world.letters.add({ reason: 'overflowed', address, error, message: [life, 'event', event, from, 0, 0] });
  }

  /** A mailbox has become shorter: who waited for room goes on. */
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

/** Those who would wait for each other if `sender` waited for `to`. */
function circleOf(to: Cell, sender: Cell): string[] | undefined {
  const circle = [sender.identity.address];
  for (let cell: Cell | undefined = to; cell !== undefined; cell = cell.waitsFor) {
    if (cell === sender) return circle;
    circle.push(cell.identity.address);
  }
  return undefined;
}
