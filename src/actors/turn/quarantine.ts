/**
 * Messages that crashed their agent too often, and agents that too many messages crashed (design P6). A message is put
 * aside, and may be delivered again, edited or discarded; an agent that two messages in a row crashed is suspended with
 * its mailbox, until somebody who has had a look resumes it.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { DELIVERIES_MAX, QUARANTINES_IN_A_ROW_MAX } from '../../limits.ts';
import { type Cell, type Held } from '../world/cell.ts';
import { type DeadLetters } from '../world/mailbox/dead-letters.ts';
import { type DeadLetterRow, type StoredAction } from '../world/mailbox/dead-letter.ts';
import { keyMissing } from '../world/missing-keys.ts';
import { type Message, type MessageRow } from '../world/mailbox/message.ts';
import { Concealed } from '../model/ports.ts';
import { type World } from '../world/world.ts';

/** Puts aside a message that crashed its agent too often. Everything in it has been admitted. */
export function quarantine(world: World, facts: { address: string; error: unknown; message: MessageRow }): void {
  world.letters.add({ reason: 'quarantined', ...facts });
  world.asks.crashed(facts, facts.message[2], facts.error);
}

/** Counts a delivery that crashed the agent. @returns Whether there will be another. */
export function isDeliveredAgain({ draft }: World, message: Message): boolean {
  message.deliveries += 1;
  if (message.timer !== null) message.timer.deliveries = message.deliveries;
  if (message.deliveries >= DELIVERIES_MAX) return false;
  if (message.timer === null) draft.unread(message);
  else draft.armed(message.timer);
  return true;
}

/**
 * Holds a quarantined message against its agent. @returns Whether it was one too many in a row, and the agent is
 * suspended.
 */
export function strike(world: World, cell: Cell, error: unknown): boolean {
  const least = cell.definition.poison === 'suspend' ? QUARANTINES_IN_A_ROW_MAX : 1;
  const held: Held = { ...cell.held, strikes: Math.max(least, (cell.held?.strikes ?? 0) + 1), error, restart: null };
  world.hold(cell, held);
  cell.suspension = suspicion(cell, held);
  return cell.suspension !== undefined;
}

/**
 * A message was processed: those before it were bad, and not the agent's state. Who was suspended by order stays so.
 */
export function forgive(world: World, cell: Cell): void {
  const order = cell.held?.order;
  if (order === undefined) world.hold(cell, undefined);
  else if (cell.held!.strikes > 0) world.hold(cell, { strikes: 0, error: undefined, restart: null, order });
}

/** What an agent is suspended for by what is held against it, if that is enough. */
export function suspicion({ address, agent }: Cell, { strikes, error, order }: Held): BosunError | undefined {
  if (strikes < QUARANTINES_IN_A_ROW_MAX) {
    if (order === undefined) return undefined;
    const { by, reason } = order;
    return new BosunError(
      'BOSUN_ACTOR_SUSPENDED',
      `${address}: suspended by ${by}${reason === null ? '' : `: ${reason}`}`,
      { details: { address, agent, ...order } },
    );
  }
  const what = `${address}: crashed by messages until they were quarantined, the last by: ${messageOf(error)}`;
  return new BosunError('BOSUN_STATE_SUSPECT', what, { cause: error, details: { address, agent } });
}

/** Where durable actions are run. */
interface Actions {
  again(address: string, action: StoredAction): void;
}

export class Quarantine {
  readonly #world: World;
  readonly #actions: Actions;

  constructor(world: World, actions: Actions) {
    this.#world = world;
    this.#actions = actions;
  }

  get letters(): DeadLetters {
    return this.#world.letters;
  }

  /** Throws BOSUN_MESSAGE_UNKNOWN. */
  row(number: number): DeadLetterRow {
    const row = this.letters.row(number);
    if (row === undefined)
      throw new BosunError('BOSUN_MESSAGE_UNKNOWN', `no message ${number} is among the dead letters`, {
        details: { number },
      });
    return row;
  }

  discard(number: number): void {
    this.row(number);
    this.letters.remove(number);
  }

  /**
   * Puts the message at the end of its receiver's mailbox, as it was or as an event in its place, which has been
   * admitted; has an action tried again. Throws BOSUN_MESSAGE_UNKNOWN, BOSUN_ACTOR_UNKNOWN where the receiver has
   * ended, BOSUN_SECRET_KEY, or BOSUN_EVENT_REFUSED for an event in the place of an action.
   */
  redeliver(number: number, edited: EventObject | undefined): void {
    const row = this.row(number);
    const { address } = row;
    if (!('message' in row)) {
      for (const part of [row.action.event, row.action.params])
        if (part instanceof Concealed) throw keyMissing(row, part);
      if (edited !== undefined)
        throw new BosunError(
          'BOSUN_EVENT_REFUSED',
          `dead letter ${number} is an action of ${address}, which takes no other event`,
        );
      this.discard(number);
      this.#actions.again(address, row.action);
      return;
    }
    const [to, kind, event, from, attempt] = row.message;
    const cell = this.#world.cells.get(to);
    if (cell === undefined)
      throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${address}, which the message was for, has ended`, {
        details: { address },
      });
    if (edited === undefined && event instanceof Concealed) throw keyMissing(row, event);
    this.discard(number);
    if (edited === undefined) this.#world.enqueue(cell, event, kind, from, attempt);
    else this.#world.post(cell, edited, from);
  }

  /**
   * Lets an agent go on that is suspect or was suspended by order. Throws what it is suspended for where that is
   * something else.
   */
  resume(cell: Cell): void {
    if (cell.suspension === undefined) return;
    if (cell.isUnreadable) throw cell.suspension;
    cell.suspension = undefined;
    this.#world.hold(cell, undefined);
    this.#world.schedule(cell);
  }
}
