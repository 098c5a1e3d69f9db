/** An event of a host on its way in, and whoever waits for word of it. Data and one promise; no decisions. */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../../errors.ts';
import { takes } from '../../xstate/acceptance.ts';
import type { Ask } from '../talk/ask-record.ts';
import { type AuditFacts } from '../audit-record.ts';
import type { Cell } from '../cell.ts';
import { type Snapshot } from '../../model/step-engine.ts';

/** Sends that a client may repeat carry one. */
export interface Session {
  readonly id: string;
  /** Raised by the client with every new send. */
  readonly sequence: number;
}

/** A host that waits until something is durable. */
export class Waiter {
  readonly promise: Promise<void>;
  /** Of the event that it waits with, as admission counts. */
  bytes = 0;
  resolve!: () => void;
  reject!: (error: BosunError) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** What was waited for is durable. */
  tell(): void {
    this.resolve();
  }
}

/** How an event arrives. */
export type InboundOptions = Pick<InboundRequest, 'session' | 'isOrder' | 'ask' | 'from'> & {
  readonly ifSequence?: number | undefined;
};

export class InboundRequest extends Waiter {
  readonly to: Cell;
  /** Admitted. */
  readonly event: EventObject;
  /** FROM_HOST, or FROM_CLIENT for what came by a gateway. */
  readonly from: number;
  readonly session: Session | undefined;
  /** Whether its host waits for the turn that the event causes to be durable, instead of for the event. */
  readonly isOrder: boolean;
  /** The sequence that its receiver has to be at when its turn comes. */
  readonly ifSequence: number | undefined;
  /** Whose request the event is. */
  readonly ask: Ask | undefined;
  /** Of an order to a Boss: told by the Boss's hands, which may be later than the turn that takes it. */
  isInHand = false;
  /**
   * Whether the state took the event, once its turn has begun; null for a repeat, whose first one nobody asked about.
   */
  taken: boolean | null | undefined = undefined;
  /** What comes of an order: a value, or why it is refused. */
  answer: unknown = undefined;
  failure: BosunError | undefined = undefined;
  /** What is recorded of an order, and, once it is taken in, how its end is. */
  audited: AuditFacts | undefined = undefined;
  conclude: (() => void) | undefined = undefined;

  /** A turn of an actor that is no Boss begins with the event. It may be one more, after one that crashed. */
  begin(snapshot: Snapshot | undefined): void {
    this.failure = undefined;
    this.taken = takes(snapshot, this.event);
    if (!this.taken && this.ask !== undefined) this.failure = notTaken(this);
  }

  /** The actor has moved on, and the event means nothing to it: unless it crashed over it before. */
  moved(sequence: number): void {
    const { address } = this.to.identity;
    this.failure ??= new BosunError(
      'BOSUN_ACTOR_CHANGED',
      `${address} is at ${sequence}, and not at ${this.ifSequence}`,
      { details: { address, sequence } },
    );
  }

  /** That turn has crashed. Nobody is told before the event is put aside. */
  crashed(error: unknown): void {
    const { address } = this.to.identity;
    this.failure = new BosunError('BOSUN_ASK_FAILED', `${address} failed over the event: ${messageOf(error)}`, {
      cause: error,
      details: { address },
    });
  }

  override tell(): void {
    if (this.failure === undefined) this.resolve();
    else this.reject(this.failure);
  }

  constructor(to: Cell, event: EventObject, { session, isOrder, ask, from, ifSequence }: InboundOptions) {
    super();
    this.ask = ask;
    this.to = to;
    this.event = event;
    this.session = session;
    this.isOrder = isOrder;
    this.from = from;
    this.ifSequence = ifSequence;
  }
}

/** The event has reached its actor and means nothing to it in its present state. */
export function notTaken({ to, event }: InboundRequest): BosunError {
  const { address } = to;
  return new BosunError(
    'BOSUN_EVENT_NOT_TAKEN',
    `${address} is in a state that takes no ${JSON.stringify(event.type)}`,
    { details: { address } },
  );
}
