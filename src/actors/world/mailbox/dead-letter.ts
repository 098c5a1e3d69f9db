/** One dead letter: its stored form, and the form for people. Data only. */
import { type EventObject } from 'xstate';
import { BosunError } from '../../../errors.ts';
import { type Conceal } from '../../model/ports.ts';
import { concealedMessage, type MessageRow } from './message.ts';

/**
 * The reason of a dead letter. `quarantined`: it crashed its agent too often, or a durable action was given up.
 * `undeliverable`: its receiver had ended, or ended before reading it. `overflowed`: its receiver's mailbox was full,
 * and waiting for room would never have ended or was not possible; or the receiver had deferred too many. `late`: a
 * reply that nobody waits for any more. `refused`: a command that its Boss could not carry out.
 */
export type DeadLetterReason = 'quarantined' | 'undeliverable' | 'overflowed' | 'late' | 'refused';

/** A message that no actor received, or that was quarantined, with the reason. */
export interface DeadLetter {
  /** The number with which it is redelivered, edited or discarded. */
  readonly number: number;
  readonly reason: DeadLetterReason;
  /** Address of the receiver; for a late reply, of the actor that replied. */
  readonly address: string;
  /** Kernel time of the turn. */
  readonly atMs: number;
  /** The error of a quarantined message, or the reason of an overflow. */
  readonly error: unknown;
  /** The event; for an action, the event of its turn; for a late reply `{ type: 'bosun.reply', value }`. */
  readonly event: EventObject;
  /** The action, for a durable action that was given up; undefined for a message. */
  readonly action: DeadAction | undefined;
}

/** A durable action that was given up. */
export interface DeadAction {
  readonly name: string;
  readonly params: unknown;
  readonly effectId: string;
}

/** A durable action in its stored form. */
export interface StoredAction {
  /** The key of the row. Rows are in the order of the turns. */
  readonly number: number;
  readonly life: number;
  readonly agent: string;
  readonly name: string;
  readonly event: EventObject;
  readonly params: unknown;
  readonly effectId: string;
}

/** The contents of a dead letter in stored form. */
export type DeadContents = { readonly message: MessageRow } | { readonly action: StoredAction };

/** The row of a dead letter. */
export type DeadLetterRow = Pick<DeadLetter, 'reason' | 'address' | 'atMs' | 'error'> & DeadContents;

/** The stored form of the row for an actor with secrets. */
export function concealedLetter(row: DeadLetterRow, conceal: Conceal): object {
  if ('message' in row) return { ...row, message: concealedMessage(row.message, conceal) };
  const { event, params } = row.action;
  return { ...row, action: { ...row.action, event: conceal(event, event.type), params: conceal(params) } };
}

/** A row in the form for people. */
export function deadLetterOf(number: number, row: DeadLetterRow): DeadLetter {
  const { address, atMs, error, reason } = row;
  if ('message' in row) return { number, reason, address, atMs, error, event: row.message[2], action: undefined };
  const { name, params, effectId, event } = row.action;
  return { number, reason, address, atMs, error, event, action: { name, params, effectId } };
}

/** The error for a number without a dead letter, or without one that the caller may see. */
export function messageUnknown(number: number): BosunError {
  return new BosunError('BOSUN_MESSAGE_UNKNOWN', `there is no dead letter ${number}`, {
    details: { number },
  });
}

/** A new dead letter: everything in it has been admitted. */
export type NewDeadLetter = Pick<DeadLetter, 'reason' | 'address' | 'error'> & DeadContents;
