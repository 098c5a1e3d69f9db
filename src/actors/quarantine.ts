/**
 * Messages that crashed their agent too often, and agents that too many messages crashed (design P6). A message is put
 * aside, and may be delivered again, edited or discarded; an agent that two messages in a row crashed is suspended with its
 * mailbox, until somebody who has had a look resumes it.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../errors.ts';
import { QUARANTINE_MESSAGES_MAX, QUARANTINES_IN_A_ROW_MAX } from '../limits.ts';
import { type Cell, type Held } from './cell.ts';
import { type MessageRow } from './message.ts';
import { rowKey } from './rows.ts';
import { type World } from './world.ts';

/** A message, or a durable action, in quarantine. */
export interface Quarantined {
  /** By which `redeliver` and `discard` know it. */
  readonly number: number;
  readonly address: string;
  /** Kernel time. */
  readonly atMs: number;
  readonly error: unknown;
  /** The event that crashed its agent; of an action, the event of the turn that wanted it. */
  readonly event: EventObject;
  /** Of a durable action that was given up; undefined for a message. */
  readonly action: QuarantinedAction | undefined;
}

/** A durable action that was given up. */
export interface QuarantinedAction {
  readonly name: string;
  readonly params: unknown;
  readonly effectId: string;
}

/** A durable action, as it is stored. */
export interface StoredAction {
  /** Key of its row; in the order of the turns. */
  readonly number: number;
  readonly life: number;
  readonly agent: string;
  readonly name: string;
  readonly event: EventObject;
  readonly params: unknown;
  readonly effectId: string;
}

/** What failed, as it is stored. */
type Failed = { readonly message: MessageRow } | { readonly action: StoredAction };

/** Its row of table `q`. */
export type QuarantineRow = Pick<Quarantined, 'address' | 'atMs' | 'error'> & Failed;

/** Puts aside what failed too often. The oldest makes room for the newest. Everything in it has been admitted. */
export function quarantine(world: World, facts: { address: string; error: unknown } & Failed): void {
  const number = world.next('quarantine');
  const row: QuarantineRow = { ...facts, atMs: world.time.nowMs() };
  world.draft.put(rowKey('q', number), row);
  if (number > QUARANTINE_MESSAGES_MAX) world.draft.remove(rowKey('q', number - QUARANTINE_MESSAGES_MAX));
}

/** A row as people see it. */
export function quarantinedOf(number: number, row: QuarantineRow): Quarantined {
  const { address, atMs, error } = row;
  if ('message' in row) return { number, address, atMs, error, event: row.message[2], action: undefined };
  const { name, params, effectId, event } = row.action;
  return { number, address, atMs, error, event, action: { name, params, effectId } };
}

/** Holds a quarantined message against its agent. @returns Whether it was one too many in a row, and the agent is suspended. */
export function strike(world: World, cell: Cell, error: unknown): boolean {
  const held: Held = { strikes: (cell.held?.strikes ?? 0) + 1, error, restart: null };
  world.hold(cell, held);
  cell.suspension = suspicion(cell, held);
  return cell.suspension !== undefined;
}

/** What an agent is suspended for by what is held against it, if that is enough. */
export function suspicion({ identity: { address, agent } }: Cell, { strikes, error }: Held): BosunError | undefined {
  if (strikes < QUARANTINES_IN_A_ROW_MAX) return undefined;
  const what = `${address}: ${strikes} messages in a row crashed it until they were quarantined, the last by: ${messageOf(error)}`;
  return new BosunError('BOSUN_STATE_SUSPECT', what, { cause: error, details: { address, agent } });
}

/** Where durable actions are run. */
interface Actions {
  again(address: string, action: StoredAction): void;
}

export class Quarantine {
  readonly #world: World;
  readonly #actions: Actions;
  readonly #rowAt: (number: number) => QuarantineRow | undefined;
  /** Taken out; not durable yet. */
  readonly #taken = new Set<number>();

  /** @param rowAt As of the last durable epoch. */
  constructor(world: World, actions: Actions, rowAt: (number: number) => QuarantineRow | undefined) {
    this.#world = world;
    this.#actions = actions;
    this.#rowAt = rowAt;
  }

  /** Throws BOSUN_MESSAGE_UNKNOWN. */
  row(number: number): QuarantineRow {
    const row = this.#taken.has(number) ? undefined : this.#rowAt(number);
    if (row === undefined) throw new BosunError('BOSUN_MESSAGE_UNKNOWN', `no message ${number} is in quarantine`, { details: { number } });
    return row;
  }

  discard(number: number): void {
    this.row(number);
    this.#taken.add(number);
    this.#world.draft.remove(rowKey('q', number));
  }

  /**
   * Puts the message at the end of its receiver's mailbox, as it was or as an event in its place, which has been admitted;
   * has an action tried again. Throws BOSUN_MESSAGE_UNKNOWN, BOSUN_ACTOR_UNKNOWN where the receiver has ended, or
   * BOSUN_EVENT_REFUSED for an event in the place of an action.
   */
  redeliver(number: number, edited: EventObject | undefined): void {
    const row = this.row(number);
    const { address } = row;
    if (!('message' in row)) {
      if (edited !== undefined) throw new BosunError('BOSUN_EVENT_REFUSED', `${number} in quarantine is an action of ${address}, which takes no other event`);
      this.discard(number);
      this.#actions.again(address, row.action);
      return;
    }
    const [to, kind, event, from, attempt] = row.message;
    const cell = this.#world.cells.get(to);
    if (cell === undefined) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${address}, which the message was for, has ended`, { details: { address } });
    this.discard(number);
    if (edited === undefined) this.#world.enqueue(cell, event, kind, from, attempt);
    else this.#world.post(cell, edited, from);
  }

  /** Lets a suspect agent go on. Throws what it is suspended for where that is something else. */
  resume(cell: Cell): void {
    if (cell.suspension === undefined) return;
    if (cell.isUnreadable) throw cell.suspension;
    cell.suspension = undefined;
    this.#world.hold(cell, undefined);
    this.#world.schedule(cell);
  }
}
