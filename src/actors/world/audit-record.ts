/** One record of the audit: who ordered what of whom, and the result. Data only. */
import { type ErrorCode } from '../../error-codes.ts';

/** The author of an order, and the reason. */
export interface OrderedBy {
  /** The name of a person or a program, 1 to 256 characters. */
  readonly by: string;
  /** The reason, at most 2,000 characters. */
  readonly reason?: string;
}

/** The author of orders that name no author. */
export const BY_HOST: OrderedBy = Object.freeze({ by: 'host' });

/** The orders that leave a record in the audit. */
export type AuditedOrder =
  | 'suspend'
  | 'resume'
  | 'step'
  | 'replaceState'
  | 'putRow'
  | 'deleteRow'
  | 'kill'
  | 'erase'
  | 'startChild'
  | 'terminateChild'
  | 'restartChild'
  | 'deleteChild'
  | 'redeliver'
  | 'edit'
  | 'discard';

/** A record of an order: the order, its author, and its result. */
export interface AuditRecord {
  /** The number of the order, rising with every order. */
  readonly number: number;
  /** Kernel time of the order. */
  readonly atMs: number;
  readonly by: string;
  readonly reason: string | null;
  readonly order: AuditedOrder;
  /** Address of the actor that the order is about; the empty text where it is unknown, and after its erasure. */
  readonly address: string;
  /** The life that had the address then; 0 for none. */
  readonly life: number;
  /**
   * The arguments of the order as JSON, of which at most 2,000 characters are kept; null for none, and after an
   * erasure.
   */
  readonly arguments: string | null;
  /**
   * The result: `done`, or the code with which the order was refused. `open`: no result is recorded, because the order
   * was left in a stopped store, or the process ended first.
   */
  readonly outcome: 'done' | 'open' | ErrorCode;
}

/** The row of a record. */
export type AuditRow = readonly [
  atMs: number,
  by: string,
  reason: string | null,
  order: AuditedOrder,
  address: string,
  life: number,
  args: string | null,
  outcome: AuditRecord['outcome'],
];

export interface AuditFacts {
  readonly order: AuditedOrder;
  readonly address: string;
  readonly args?: unknown;
  readonly as: OrderedBy;
}
