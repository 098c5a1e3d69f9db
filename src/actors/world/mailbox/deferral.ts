/**
 * Deferred messages, as by gen_statem's postpone: a turn that performs `defer()` leaves its message unread. The message
 * is set aside until a turn ends in another state; then all deferred ones come up again in order, before newer ones.
 * Their rows hold their place, so that a crash changes none of it.
 */
import { BosunError } from '../../../errors.ts';
import { DEFERRED_MESSAGES_MAX } from '../../../limits.ts';
import { admitError } from '../../model/thrown.ts';
import { type Cell } from '../cell.ts';
import { type Effect } from '../../model/step-engine.ts';
import { Message, messageRow } from './message.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'asks' | 'backpressure' | 'cells' | 'draft' | 'letters' | 'next' | 'timers'>;

/** Whether a turn defers its message. */
export function isDeferring(effects: readonly Effect[]): boolean {
  for (const effect of effects) if (effect.kind === 'command' && effect.name === 'bosun.defer') return true;
  return false;
}

/**
 * Sets the message of a turn aside.
 *
 * @returns False if too many are deferred: the message has become a dead letter, and must be consumed.
 */
export function setAside(world: Needs, cell: Cell, message: Message): boolean {
  const { mailbox } = cell;
  if (mailbox.deferred >= DEFERRED_MESSAGES_MAX) {
    overflow(world, cell, message);
    return false;
  }
  mailbox.shift();
  const deferred = message.timer === null ? message : fromTimer(world, cell, message);
  // A permanent number: a message deferred again keeps its place among the others.
  deferred.deferral = deferred.deferral === 0 ? world.next('message') : Math.abs(deferred.deferral);
  mailbox.defer(deferred);
  world.draft.unread(deferred);
  if (cell.crowd !== undefined) world.backpressure.eased(cell);
  return true;
}

/** Offers an actor all its deferred messages again. */
export function offerAgain(world: Needs, cell: Cell): void {
  for (const message of cell.mailbox.offerAgain()) {
    message.deferral = -message.deferral;
    world.draft.unread(message);
  }
}

/** Restores deferred messages, once all other messages are in their mailboxes. */
export function restoreDeferred(world: Needs, messages: readonly Message[]): void {
  // Messages set aside go last, those offered again first: 1, 2 and -2, -1 give the right order in each case.
  for (const message of messages.toSorted((a, b) => a.deferral - b.deferral))
    world.cells.get(message.to)?.receive(message);
}

/** Converts the message of a due timer into an ordinary message, since, as in OTP, nothing cancels it any more. */
function fromTimer(world: Needs, cell: Cell, { event, timer, deliveries, level }: Message): Message {
  world.timers.consume(cell, timer!, event);
  const message = new Message(world.next('message'), cell.life, 'event', event, cell.life, 0, null, null);
  message.deliveries = deliveries;
  message.level = level;
  return message;
}

function overflow(world: Needs, { identity }: Cell, message: Message): void {
  const { address } = identity;
  const why = `${address} has deferred ${DEFERRED_MESSAGES_MAX} messages already`;
  const error = admitError(new BosunError('BOSUN_MAILBOX_FULL', why, { details: { address } }));
  world.letters.add({ reason: 'overflowed', address, error, message: messageRow(message) });
  world.asks.crashed(identity, message.event, error);
}
