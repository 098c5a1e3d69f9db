/** A message in a mailbox, and its durable form: a row of table `m`. */
import { type EventObject } from 'xstate';
import { type Timer } from './timers.ts';

/**
 * `event`: from anybody. `signal`: done, error or snapshot of a machine's own child. `completion`: an effect about itself.
 * `exit`: end of a Boss's child. `command`: to a Boss, in the system lane.
 */
export type MessageKind = 'event' | 'signal' | 'completion' | 'exit' | 'command';

export interface Message {
  /** In the order of acceptance over the whole system; 0 for a due timer, whose durable form is the timer. */
  readonly id: number;
  readonly to: number;
  readonly kind: MessageKind;
  readonly event: EventObject;
  /** Life of the sender; 0 for a host or client. */
  readonly from: number;
  /** Completions: the start of the effect they belong to. A restore hands those that had arrived to the start it makes. */
  attempt: number;
  /** How often its turn has thrown. */
  deliveries: number;
  /** For a due timer: consumed together with it. */
  readonly timer: Timer | null;
  /** Whether its row is in an epoch already frozen. */
  stored: boolean;
  /** Told once the end of the message, with or without a turn, is durable. Not stored. */
  readonly settled: (() => void) | null;
}

export type MessageRow = readonly [
  to: number,
  kind: MessageKind,
  event: EventObject,
  from: number,
  attempt: number,
  deliveries: number,
];

export function messageRow({ to, kind, event, from, attempt, deliveries }: Message): MessageRow {
  return [to, kind, event, from, attempt, deliveries];
}

export function messageFromRow(id: number, row: MessageRow): Message {
  const [to, kind, event, from, attempt, deliveries] = row;
  return { id, to, kind, event, from, attempt, deliveries, timer: null, stored: true, settled: null };
}
