/** One dead letter: what is stored of it, and what people see. Data only. */
import { type EventObject } from 'xstate';
import { type Conceal } from '../../model/ports.ts';
import { concealedMessage, type MessageRow } from './message.ts';

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
export type DeadContents = { readonly message: MessageRow } | { readonly action: StoredAction };

/** Its row. */
export type DeadLetterRow = Pick<DeadLetter, 'reason' | 'address' | 'atMs' | 'error'> & DeadContents;

/** The row as it is stored of an actor with secrets. */
export function concealedLetter(row: DeadLetterRow, conceal: Conceal): object {
  if ('message' in row) return { ...row, message: concealedMessage(row.message, conceal) };
  const { event, params } = row.action;
  return { ...row, action: { ...row.action, event: conceal(event, event.type), params: conceal(params) } };
}

/** A row as people see it. */
export function deadLetterOf(number: number, row: DeadLetterRow): DeadLetter {
  const { address, atMs, error, reason } = row;
  if ('message' in row) return { number, reason, address, atMs, error, event: row.message[2], action: undefined };
  const { name, params, effectId, event } = row.action;
  return { number, reason, address, atMs, error, event, action: { name, params, effectId } };
}

/** A letter to be: everything in it has been admitted. */
export type NewDeadLetter = Pick<DeadLetter, 'reason' | 'address' | 'error'> & DeadContents;
