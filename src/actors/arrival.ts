/** An event of a host on its way in, and whoever waits for word of it. Data and one promise; no decisions. */
import { type EventObject } from 'xstate';
import { type BosunError } from '../errors.ts';
import type { Ask } from './asks.ts';
import { type AuditFacts } from './audit.ts';
import type { Cell } from './cell.ts';

/** Sends that a client may repeat carry one. */
export interface Session {
  readonly id: string;
  /** Raised by the client with every new send. */
  readonly sequence: number;
}

/** A host that waits until something is durable. */
export class Waiting {
  readonly promise: Promise<void>;
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

export class Arrival extends Waiting {
  readonly to: Cell;
  /** Admitted. */
  readonly event: EventObject;
  readonly session: Session | undefined;
  /** Whether its host waits for the turn that the event causes to be durable, instead of for the event. */
  readonly isOrder: boolean;
  /** Whose request the event is. */
  readonly ask: Ask | undefined;
  /** Of an order to a Boss: told by the Boss's hands, which may be later than the turn that takes it. */
  isInHand = false;
  /** What comes of an order: a value, or why it is refused. */
  answer: unknown = undefined;
  failure: BosunError | undefined = undefined;
  /** What is recorded of an order, and, once it is taken in, how its end is. */
  audited: AuditFacts | undefined = undefined;
  conclude: (() => void) | undefined = undefined;

  override tell(): void {
    if (this.failure === undefined) this.resolve();
    else this.reject(this.failure);
  }

  constructor(to: Cell, event: EventObject, session: Session | undefined, isOrder: boolean, ask: Ask | undefined) {
    super();
    this.ask = ask;
    this.to = to;
    this.event = event;
    this.session = session;
    this.isOrder = isOrder;
  }
}
