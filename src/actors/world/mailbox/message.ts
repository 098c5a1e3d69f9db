/** A message in a mailbox, and its durable form, a row. */
import { type EventObject } from 'xstate';
import { type InboundRequest } from './inbound.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Conceal, type RowKey, KEYSPACE } from '../../model/ports.ts';
import { type Timer } from '../../model/timers.ts';

/**
 * The kind of a message. `event`: from any sender. `signal`: done, error or snapshot of a machine's own child.
 * `completion`: an effect about itself. `exit`: end of a Boss's child. `command`: to a Boss, in the system lane.
 * `down`: end of a monitored life. `link`: end of a linked life.
 */
export type MessageKind = 'event' | 'signal' | 'completion' | 'exit' | 'command' | 'down' | 'link';

/** Senders without a life. */
export const FROM_HOST = 0;
export const FROM_CLIENT = -1;

export class Message {
  /**
   * The place of the message in the order of acceptance over the whole system; 0 for a due timer, whose durable form is
   * the timer.
   */
  readonly id: number;
  readonly to: number;
  readonly kind: MessageKind;
  readonly event: EventObject;
  /** Life of the sender, FROM_HOST or FROM_CLIENT. */
  readonly from: number;
  /**
   * Completions: the start of the effect that they belong to. A restore assigns arrived ones to the start that it
   * makes.
   */
  attempt: number;
  /** How often its turn has thrown. */
  deliveries = 0;
  /** The timer of a due timer's message, consumed together with it; null for any other message. */
  readonly timer: Timer | null;
  /** The request to tell once the end of the message, with or without a turn, is durable. Not stored. */
  readonly order: InboundRequest | null;
  /** The priority that its receiver declares for its event: -1 high, 0 normal, 1 low. Not stored. */
  level = 0;
  /**
   * 0 for a message that was never deferred. Otherwise a number by time of deferral that it keeps: positive while it is
   * set aside, negative since it was offered again.
   */
  deferral = 0;
  /** The sequence at which its receiver must be when its turn comes; null for any. */
  ifSequence: number | null = null;
  /** The key of its row, or its timer's, in a frozen epoch; null before. */
  key: RowKey | null = null;
  /** Kernel time of the first epoch that held it unread, or when its timer came due; null before. */
  storedAtMs: number | null = null;
  /** Whether the epoch in the making lists it among messages that may have to be stored. */
  isListed = false;
  /** Whether the message was read or discarded. */
  isGone = false;
  /** The next message in its mailbox. */
  next: Message | null = null;

  constructor(
    id: number,
    to: number,
    kind: MessageKind,
    event: EventObject,
    from: number,
    attempt: number,
    timer: Timer | null,
    order: InboundRequest | null,
  ) {
    this.id = id;
    this.to = to;
    this.kind = kind;
    this.event = event;
    this.from = from;
    this.attempt = attempt;
    this.timer = timer;
    this.order = order;
  }
}

export type MessageRow = readonly [
  to: number,
  kind: MessageKind,
  event: EventObject,
  from: number,
  attempt: number,
  deliveries: number,
  /** Kernel time at which it was first stored; null, or absent, for a message that was never in a mailbox. */
  storedAtMs?: number | null,
  /** The deferral. Absent for a message that was never deferred, unless another field follows; then 0. */
  deferral?: number,
  /** The required sequence. Absent for any sequence. */
  ifSequence?: number,
];

export function messageRow({
  to,
  kind,
  event,
  from,
  attempt,
  deliveries,
  storedAtMs,
  deferral,
  ifSequence,
}: Message): MessageRow {
  if (ifSequence !== null) return [to, kind, event, from, attempt, deliveries, storedAtMs, deferral, ifSequence];
  return deferral === 0
    ? [to, kind, event, from, attempt, deliveries, storedAtMs]
    : [to, kind, event, from, attempt, deliveries, storedAtMs, deferral];
}

/** The stored form of the row for an actor with secrets. */
export function concealedMessage([to, kind, event, ...rest]: MessageRow, conceal: Conceal): readonly unknown[] {
  return [to, kind, conceal(event, event.type), ...rest];
}

export function messageFromRow(id: number, row: MessageRow): Message {
  const [to, kind, event, from, attempt, deliveries, storedAtMs = null, deferral = 0, ifSequence = null] = row;
  const message = new Message(id, to, kind, event, from, attempt, null, null);
  message.deliveries = deliveries;
  message.deferral = deferral;
  message.ifSequence = ifSequence;
  message.key = rowKey(KEYSPACE.mailboxes, id);
  message.storedAtMs = storedAtMs;
  return message;
}

/**
 * Creates the message of a timer that is due to its own owner. `event`: the timer's, or the one that its schedule makes
 * of it.
 */
export function messageOfTimer(timer: Timer, event: EventObject): Message {
  const message = new Message(0, timer.to, 'event', event, timer.to, 0, timer, null);
  message.deliveries = timer.deliveries;
  message.key = rowKey(KEYSPACE.timers, timer.number);
  message.storedAtMs = timer.deadlineMs;
  return message;
}
