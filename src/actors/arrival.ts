/** An event of a host on its way in, together with who waits for word of it. Data and one promise; no decisions. */
import { type EventObject } from 'xstate';
import { type BosunError } from '../errors.ts';
import type { Cell } from './cell.ts';

/** Sends that a client may repeat carry one. */
export interface Session {
  readonly id: string;
  /** Raised by the client with every new send. */
  readonly sequence: number;
}

export class Arrival {
  readonly to: Cell;
  /** Admitted. */
  readonly event: EventObject;
  readonly session: Session | undefined;
  /** Whether it waits for the turn that the event causes to be durable, instead of for the event. */
  readonly isOrder: boolean;
  readonly promise: Promise<void>;
  resolve!: () => void;
  reject!: (error: BosunError) => void;

  constructor(to: Cell, event: EventObject, session: Session | undefined, isOrder: boolean) {
    this.to = to;
    this.event = event;
    this.session = session;
    this.isOrder = isOrder;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
