/** Host events on their way in, and the hosts that wait for them. Data and promises; no decisions. */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../../errors.ts';
import { type Asked, takes } from '../../xstate/acceptance.ts';
import type { Ask } from '../talk/ask-record.ts';
import { type AuditFacts } from '../audit-record.ts';
import type { Cell } from '../cell.ts';

/** The session of a send that a client may repeat. */
export interface Session {
  readonly id: string;
  /** The number of the send, which the client increases with every new send. */
  readonly sequence: number;
}

/** A listener for durability, or for the reason why there will be none. */
export interface Waiter {
  /** Bytes of the events that it waits for, as admission counts. */
  bytes: number;
  /** Called when the events that it waits for are durable. */
  tell(): void;
  reject(error: BosunError): void;
}

/** A host that waits for a single event. */
export class Awaited implements Waiter {
  readonly promise: Promise<void>;
  bytes = 0;
  tell!: () => void;
  reject!: (error: BosunError) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.tell = resolve;
      this.reject = reject;
    });
  }
}

/** The refusal of one of many events sent together. */
export interface SendRefusal {
  /** The index of the event. */
  readonly index: number;
  readonly error: BosunError;
}

/** Receives the outcomes of a line's events, by number. */
export interface SendListener {
  /** `events` of the line are durable: all up to `last` that are neither durable nor refused yet. */
  durable(last: number, events: number): void;
  /** The event will not become durable. */
  refused(number: number, error: BosunError): void;
  /**
   * The events from `first` to `last` that are neither durable nor refused yet will not become durable; `events` is
   * their number.
   */
  lost(first: number, last: number, error: BosunError, events: number): void;
}

/**
 * A line: events that one host sends in order, under rising numbers. Their outcomes are reported without a promise for
 * each, and once per epoch for all that became durable with it.
 */
export class SendLine {
  readonly #listener: SendListener;
  /** The events of this line in the epoch in the making. */
  #share: LineShare | undefined;

  constructor(listener: SendListener) {
    this.#listener = listener;
  }

  refused(number: number, error: BosunError): void {
    this.#listener.refused(number, error);
  }

  /**
   * Records that an event enters an epoch, in order.
   *
   * @param epoch The number of the draft.
   * @returns One waiter for all events of the line in that epoch.
   */
  enters(number: number, bytes: number, epoch: number): Waiter {
    if (this.#share?.epoch !== epoch) this.#share = new LineShare(this.#listener, epoch, number);
    this.#share.add(number, bytes);
    return this.#share;
  }
}

/** The events of a line in one epoch: all from the first to the last, except refused ones. */
class LineShare implements Waiter {
  readonly #listener: SendListener;
  readonly epoch: number;
  readonly #first: number;
  #last: number;
  #events = 0;
  bytes = 0;

  constructor(listener: SendListener, epoch: number, first: number) {
    this.#listener = listener;
    this.epoch = epoch;
    this.#first = this.#last = first;
  }

  add(number: number, bytes: number): void {
    this.#last = number;
    this.#events += 1;
    this.bytes += bytes;
  }

  tell(): void {
    this.#listener.durable(this.#last, this.#events);
  }

  reject(error: BosunError): void {
    this.#listener.lost(this.#first, this.#last, error, this.#events);
  }
}

/** A host that waits for many events with one promise. */
export class Batch implements SendListener {
  /** The line of the events, numbered by their indexes. */
  readonly line = new SendLine(this);
  /** Resolves when all accepted events are durable, with the refusals in order. Never rejects. */
  readonly promise: Promise<readonly SendRefusal[]>;
  readonly #refused = new Map<number, SendRefusal>();
  #left: number;
  #resolve!: (refused: readonly SendRefusal[]) => void;

  constructor(size: number) {
    this.#left = size;
    this.promise = new Promise((resolve) => (this.#resolve = resolve));
    if (size === 0) this.#resolve([]);
  }

  durable(_last: number, events: number): void {
    this.#heard(events);
  }

  refused(index: number, error: BosunError): void {
    this.#refused.set(index, { index, error });
    this.#heard(1);
  }

  lost(first: number, last: number, error: BosunError): void {
    for (let index = first; index <= last; index++) if (!this.#refused.has(index)) this.refused(index, error);
  }

  #heard(events: number): void {
    this.#left -= events;
    if (this.#left === 0) this.#resolve([...this.#refused.values()].sort((a, b) => a.index - b.index));
  }
}

/** An event on its way into an epoch, with a host that waits until it is durable. */
export class Arrival {
  readonly to: Cell;
  readonly host: Awaited | SendLine;
  /** FROM_HOST, or FROM_CLIENT for an event from a gateway. */
  readonly from: number;
  readonly session: Session | undefined;
  /** The number of the event on its line, if the host is a line. */
  readonly number: number;
  /** The event; admitted once it is received. */
  event!: EventObject;
  bytes = 0;

  constructor(to: Cell, host: Awaited | SendLine, from: number, session: Session | undefined, number = 0) {
    this.to = to;
    this.host = host;
    this.from = from;
    this.session = session;
    this.number = number;
  }

  /**
   * Enters an epoch.
   *
   * @returns The waiter for the durability of that epoch.
   */
  enters(epoch: number): Waiter {
    const { host, bytes } = this;
    if (host instanceof SendLine) return host.enters(this.number, bytes, epoch);
    host.bytes = bytes;
    return host;
  }

  reject(error: BosunError): void {
    if (this.host instanceof SendLine) this.host.refused(this.number, error);
    else this.host.reject(error);
  }
}

/** The options of a request. */
export type InboundOptions = Pick<InboundRequest, 'session' | 'isOrder' | 'ask' | 'from'> & {
  readonly ifSequence?: number | undefined;
};

/** An event whose host waits for more than durability: for its turn, an answer, the end of an order. */
export class InboundRequest extends Arrival implements Waiter {
  declare readonly host: Awaited;
  /** Whether its host waits for the turn that the event causes to be durable, instead of for the event. */
  readonly isOrder: boolean;
  /** The sequence at which its receiver must be when the event's turn comes. */
  readonly ifSequence: number | undefined;
  /** The ask that the event belongs to. */
  readonly ask: Ask | undefined;
  /**
   * Whether it is an order that a Boss has taken. The Boss's commands answer it, possibly after the turn that takes it.
   */
  isInHand = false;
  /**
   * Whether the state handled the event, once its turn has begun; null for a repeat, whose first send asked for no
   * answer.
   */
  taken: boolean | null | undefined = undefined;
  /** The result of an order: a value, or the reason why it is refused. */
  answer: unknown = undefined;
  failure: BosunError | undefined = undefined;
  /** The audit facts of an order, and, once it is accepted, the function that records its end. */
  audited: AuditFacts | undefined = undefined;
  conclude: (() => void) | undefined = undefined;

  /**
   * Records that an actor, which is not a Boss, begins a turn with the event: the first turn, or one after a crashed
   * turn.
   */
  begin(receiver: Asked): void {
    this.failure = undefined;
    this.taken = takes(receiver, this.event);
    if (!this.taken && this.ask !== undefined) this.failure = notTaken(this);
  }

  /** Ignores the event, because the actor is at another sequence, unless it crashed over the event before. */
  moved(sequence: number): void {
    const { address } = this.to.identity;
    this.failure ??= new BosunError(
      'BOSUN_ACTOR_CHANGED',
      `${address} is at sequence ${sequence}, not at ${this.ifSequence}`,
      { details: { address, sequence } },
    );
  }

  /** Records that the turn has crashed. The host is not notified before the event is quarantined. */
  crashed(error: unknown): void {
    const { address } = this.to.identity;
    this.failure = new BosunError('BOSUN_ASK_FAILED', `${address} failed on the event: ${messageOf(error)}`, {
      cause: error,
      details: { address },
    });
  }

  override enters(): Waiter {
    return this;
  }

  tell(): void {
    if (this.failure === undefined) this.host.tell();
    else this.host.reject(this.failure);
  }

  constructor(to: Cell, { session, isOrder, ask, from, ifSequence }: InboundOptions) {
    super(to, new Awaited(), from, session);
    this.ask = ask;
    this.isOrder = isOrder;
    this.ifSequence = ifSequence;
  }

  get promise(): Promise<void> {
    return this.host.promise;
  }
}

/** The error for an event that its actor does not handle in its current state. */
export function notTaken({ to, event }: InboundRequest): BosunError {
  const { address } = to;
  return new BosunError(
    'BOSUN_EVENT_NOT_TAKEN',
    `the current state of ${address} does not take ${JSON.stringify(event.type)}`,
    { details: { address } },
  );
}

/** The error for an order that was in transit when its Boss ended. */
export function unread({ to: { address } }: InboundRequest): BosunError {
  return new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} ended before it took the order`, {
    details: { address },
  });
}
