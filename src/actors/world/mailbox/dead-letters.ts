/**
 * Dead letters: every event that reached nobody or was put aside, with the reason, in one durable list. Those that
 * crashed their agent and the others have a bound each, so that a flood of one kind does not wash the other away; the
 * oldest makes room for the newest.
 */
import { type EventObject } from 'xstate';
import { DEAD_LETTERS_MAX, QUARANTINE_MESSAGES_MAX } from '../../../limits.ts';
import { concealedMessage, type MessageRow } from './message.ts';
import { type Conceal } from '../../model/ports.ts';
import { rowKey } from '../../model/row-keys.ts';
import type { World } from '../world.ts';

/**
 * `quarantined`: it crashed its agent too often, or a durable action was given up. `undeliverable`: its receiver had
 * ended, or ended before reading it. `overflowed`: its receiver's mailbox was full, and waiting for room would never
 * have ended or was not possible; or the receiver had deferred too many. `late`: a reply that nobody waits for any
 * more. `refused`: a command that its Boss could not carry out.
 */
export type DeadLetterReason = 'quarantined' | 'undeliverable' | 'overflowed' | 'late' | 'refused';

export interface DeadLetter {
  /** By which it is redelivered, edited and discarded. */
  readonly number: number;
  readonly reason: DeadLetterReason;
  /** Of the receiver; of a late reply, of the actor that replied. */
  readonly address: string;
  /** Kernel time. */
  readonly atMs: number;
  /** What a quarantined one failed by, or why one overflowed. */
  readonly error: unknown;
  /**
   * The event; of an action, the event of the turn that wanted it; of a late reply `{ type: 'bosun.reply', value }`.
   */
  readonly event: EventObject;
  /** Of a durable action that was given up; undefined for a message. */
  readonly action: DeadAction | undefined;
}

/** A durable action that was given up. */
export interface DeadAction {
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

/** What died, as it is stored. */
type Contents = { readonly message: MessageRow } | { readonly action: StoredAction };

/** Its row of table `q`. Rows of earlier builds have no reason: they were quarantined. */
export type DeadLetterRow = Pick<DeadLetter, 'address' | 'atMs' | 'error'> & {
  readonly reason?: DeadLetterReason;
} & Contents;

function concealedLetter(row: DeadLetterRow, conceal: Conceal): object {
  if ('message' in row) return { ...row, message: concealedMessage(row.message, conceal) };
  const { event, params } = row.action;
  return { ...row, action: { ...row.action, event: conceal(event, event.type), params: conceal(params) } };
}

/** A row as people see it. */
export function deadLetterOf(number: number, row: DeadLetterRow): DeadLetter {
  const { address, atMs, error, reason = 'quarantined' } = row;
  if ('message' in row) return { number, reason, address, atMs, error, event: row.message[2], action: undefined };
  const { name, params, effectId, event } = row.action;
  return { number, reason, address, atMs, error, event, action: { name, params, effectId } };
}

export class DeadLetters {
  readonly #world: World;
  readonly #rows = new Map<number, DeadLetterRow>();
  /** Numbers, oldest first. */
  readonly #quarantined = new Set<number>();
  readonly #others = new Set<number>();
  /** Told once a letter is durable. */
  readonly watchers = new Set<(letter: DeadLetter) => void>();

  constructor(world: World) {
    this.#world = world;
  }

  load(number: number, row: DeadLetterRow): void {
    this.#rows.set(number, row);
    this.#classOf(row).add(number);
  }

  /** Everything in it has been admitted. */
  add(
    facts: { readonly reason: DeadLetterReason; readonly address: string; readonly error: unknown } & Contents,
  ): void {
    const number = this.#world.next('quarantine');
    const row: DeadLetterRow = { ...facts, atMs: this.#world.time.nowMs() };
    this.load(number, row);
    const life = 'message' in row ? row.message[0] : row.action.life;
    this.#world.draft.putOf(life, rowKey('q', number), row, (conceal) => concealedLetter(row, conceal));
    const kin = this.#classOf(row);
    const [oldest] = kin;
    if (kin.size > (kin === this.#quarantined ? QUARANTINE_MESSAGES_MAX : DEAD_LETTERS_MAX)) this.remove(oldest!);
    // Also where nobody takes a turn because of it: it has to become durable.
    this.#world.wake();
    if (this.watchers.size === 0) return;
    const letter = deadLetterOf(number, row);
    this.#world.draft.output(() => {
      for (const watcher of [...this.watchers]) this.#world.guarded(() => watcher(letter));
    });
  }

  /** An event whose receiver has ended. */
  undeliverable(to: { readonly life: number; readonly address: string }, event: EventObject, from: number): void {
    this.add({
      reason: 'undeliverable',
      address: to.address,
      error: undefined,
      message: [to.life, 'event', event, from, 0, 0],
    });
  }

  row(number: number): DeadLetterRow | undefined {
    return this.#rows.get(number);
  }

  remove(number: number): void {
    const row = this.#rows.get(number);
    if (row === undefined) return;
    this.#rows.delete(number);
    this.#classOf(row).delete(number);
    this.#world.draft.remove(rowKey('q', number));
  }

  /** Removes those for which `drop` says so. */
  removeWhere(drop: (row: DeadLetterRow) => boolean): void {
    for (const [number, row] of [...this.#rows]) if (drop(row)) this.remove(number);
  }

  #classOf({ reason = 'quarantined' }: DeadLetterRow): Set<number> {
    return reason === 'quarantined' ? this.#quarantined : this.#others;
  }
}
