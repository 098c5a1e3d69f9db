/** A message in a mailbox, and its durable form: a row. */
import { type EventObject } from 'xstate';
import { type InboundRequest } from './inbound.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Conceal, type RowKey, KEYSPACE } from '../../model/ports.ts';
import { type Timer } from '../../model/timers.ts';

/**
 * `event`: from anybody. `signal`: done, error or snapshot of a machine's own child. `completion`: an effect about
 * itself. `exit`: end of a Boss's child. `command`: to a Boss, in the system lane. `down`: end of a monitored life.
 * `link`: of a linked one.
 */
export type MessageKind = 'event' | 'signal' | 'completion' | 'exit' | 'command' | 'down' | 'link';

/** In place of the life of a sender. */
export const FROM_HOST = 0;
export const FROM_CLIENT = -1;

export class Message {
  /** In the order of acceptance over the whole system; 0 for a due timer, whose durable form is the timer. */
  readonly id: number;
  readonly to: number;
  readonly kind: MessageKind;
  readonly event: EventObject;
  /** Life of the sender, FROM_HOST or FROM_CLIENT. */
  readonly from: number;
  /**
   * Completions: the start of the effect they belong to. A restore hands those that had arrived to the start it makes.
   */
  attempt: number;
  /** How often its turn has thrown. */
  deliveries = 0;
  /** For a due timer: consumed together with it. */
  readonly timer: Timer | null;
  /** Told once the end of the message, with or without a turn, is durable. Not stored. */
  readonly order: InboundRequest | null;
  /** Of its event, by what its receiver declares: -1 high, 0 normal, 1 low. Not stored. */
  level = 0;
  /**
   * 0 for one that was never deferred. Otherwise by when that was, a number that it keeps: positive while it is set
   * aside, negative since it was offered again.
   */
  deferral = 0;
  /** The sequence that its receiver has to be at when its turn comes; null where any will do. */
  ifSequence: number | null = null;
  /** Key of its row, or its timer's, in an epoch already frozen; null before. */
  key: RowKey | null = null;
  /** Kernel time of the first epoch that held it unread, or when its timer came up; null before. */
  storedAtMs: number | null = null;
  /** Whether the epoch in the making has it among those that may have to be stored. */
  isListed = false;
  /** Read or discarded. */
  isGone = false;
  /** The one behind it in its mailbox. */
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
  /** null, or absent, of what was never in a mailbox. */
  storedAtMs?: number | null,
  /** Absent for one that was never deferred, unless something follows; then 0. */
  deferral?: number,
  /** Absent where any sequence will do. */
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

/** The row as it is stored of an actor with secrets. */
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
 * What a timer that is due to its own owner puts into the mailbox. `event`: its own, or what its schedule makes of
 * that.
 */
export function messageOfTimer(timer: Timer, event: EventObject): Message {
  const message = new Message(0, timer.to, 'event', event, timer.to, 0, timer, null);
  message.deliveries = timer.deliveries;
  message.key = rowKey(KEYSPACE.timers, timer.number);
  message.storedAtMs = timer.deadlineMs;
  return message;
}
