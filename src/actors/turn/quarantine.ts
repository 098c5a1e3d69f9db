/**
 * Quarantine: messages that crashed their agent too often, and agents that too many messages crashed (design P6). A
 * message is set aside, and may be redelivered, edited or discarded; an agent that two messages in a row crashed is
 * suspended with its mailbox, until a person resumes it.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { DELIVERIES_MAX, QUARANTINES_IN_A_ROW_MAX } from '../../limits.ts';
import { type Cell } from '../world/cell.ts';
import { type Held } from '../world/held.ts';
import { type DeadLetters } from '../world/mailbox/dead-letters.ts';
import { type DeadLetterRow, messageUnknown, type StoredAction } from '../world/mailbox/dead-letter.ts';
import { keyMissing } from '../world/missing-keys.ts';
import { type Message, type MessageRow } from '../world/mailbox/message.ts';
import { Concealed } from '../model/ports.ts';
import { owedRestart, suspicion } from '../world/suspension.ts';
import { type RestartMode } from '../model/supervision.ts';
import { type World } from '../world/world.ts';

/** Quarantines a message that crashed its agent too often. Everything in it has been admitted. */
export function quarantine(world: World, facts: { address: string; error: unknown; message: MessageRow }): void {
  world.letters.add({ reason: 'quarantined', ...facts });
  const [to, , event] = facts.message;
  const { error } = facts;
  const who = world.cells.get(to)?.identity ?? { address: facts.address, agent: '?', version: null };
  world.incidents.say({ kind: 'quarantined', who, error, over: event.type });
  world.asks.crashed(facts, facts.message[2], facts.error);
}

/**
 * Counts a delivery that crashed the agent.
 *
 * @returns Whether there will be another.
 */
export function isDeliveredAgain({ draft }: World, message: Message): boolean {
  message.deliveries += 1;
  if (message.timer !== null) message.timer.deliveries = message.deliveries;
  if (message.deliveries >= DELIVERIES_MAX) return false;
  if (message.timer === null) draft.unread(message);
  else draft.armed(message.timer);
  return true;
}

/**
 * Counts a quarantined message against its agent.
 *
 * @returns Whether it was one too many in a row, so that the agent is suspended.
 */
export function strike(world: World, cell: Cell, error: unknown): boolean {
  const least = cell.definition.poison === 'suspend' ? QUARANTINES_IN_A_ROW_MAX : 1;
  const held: Held = { ...cell.held, strikes: Math.max(least, (cell.held?.strikes ?? 0) + 1), error, restart: null };
  world.hold(cell, held);
  cell.suspension = suspicion(cell, held);
  if (cell.suspension !== undefined) world.incidents.suspended(cell, cell.suspension);
  return cell.suspension !== undefined;
}

/**
 * Clears the strikes after a processed message: the messages before it were bad, and not the agent's state. A
 * suspension by order stays.
 */
export function forgive(world: World, cell: Cell): void {
  const order = cell.held?.order;
  if (order === undefined) world.hold(cell, undefined);
  else if (cell.held!.strikes > 0) world.hold(cell, { strikes: 0, error: undefined, restart: null, order });
}

/** The runner of durable actions. */
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

  /** The row of a dead letter. Throws BOSUN_MESSAGE_UNKNOWN. */
  row(number: number): DeadLetterRow {
    const row = this.letters.row(number);
    if (row === undefined) throw messageUnknown(number);
    return row;
  }

  discard(number: number): void {
    this.row(number);
    this.letters.remove(number);
  }

  /**
   * Puts the message at the end of its receiver's mailbox, unchanged or replaced by an admitted event; tries an action
   * again. Throws BOSUN_MESSAGE_UNKNOWN, BOSUN_ACTOR_UNKNOWN if the receiver has ended, BOSUN_SECRET_KEY, or
   * BOSUN_EVENT_REFUSED for an event in place of an action.
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
          `dead letter ${number} is a durable action of ${address}, and no other event can replace it`,
        );
      this.discard(number);
      this.#actions.again(address, row.action);
      return;
    }
    const [to, kind, event, from, attempt] = row.message;
    const cell = this.#world.cells.get(to);
    if (cell === undefined)
      throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${address}, the receiver of the message, has ended`, {
        details: { address },
      });
    if (edited === undefined && event instanceof Concealed) throw keyMissing(row, event);
    this.discard(number);
    if (edited === undefined) this.#world.enqueue(cell, event, kind, from, attempt);
    else this.#world.post(cell, edited, from);
  }

  /**
   * Resumes an agent that is suspect, failing or suspended by order. If it is unreadable, throws the error of that.
   *
   * @returns The restart that it owes its Boss: it failed again and again and has not been restarted since. The caller
   * carries it out, or leaves it to the next start.
   */
  resume(cell: Cell): RestartMode | null {
    if (cell.suspension === undefined) return null;
    if (cell.isUnreadable) throw cell.suspension;
    cell.suspension = undefined;
    const restart = owedRestart(cell);
    this.#world.hold(cell, restart === null ? undefined : { strikes: 0, error: undefined, restart });
    this.#world.schedule(cell);
    return restart;
  }
}
