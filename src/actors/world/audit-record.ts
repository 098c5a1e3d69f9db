/** One record of the audit: who ordered what of whom, and what came of it. Data only. */
import { type ErrorCode } from '../../errors.ts';

/** Who gives an order, and why. */
export interface OrderedBy {
  /** A person or a program: 1 to 256 characters. */
  readonly by: string;
  /** At most 2,000 characters. */
  readonly reason?: string;
}

/** Of orders that say nothing of who gives them. */
export const BY_HOST: OrderedBy = Object.freeze({ by: 'host' });

export type AuditedOrder =
  | 'suspend'
  | 'resume'
  | 'step'
  | 'replaceState'
  | 'kill'
  | 'erase'
  | 'startChild'
  | 'terminateChild'
  | 'restartChild'
  | 'deleteChild'
  | 'redeliver'
  | 'edit'
  | 'discard';

export interface AuditRecord {
  /** Rises with every order. */
  readonly number: number;
  /** Kernel time. */
  readonly atMs: number;
  readonly by: string;
  readonly reason: string | null;
  readonly order: AuditedOrder;
  /** Of the actor that the order is about; the empty text where nobody is known, and after its erasure. */
  readonly address: string;
  /** The life that had the address then; 0 for none. */
  readonly life: number;
  /**
   * What the order was given, as JSON, of which at most 2,000 characters are kept; null for nothing, and after an
   * erasure.
   */
  readonly arguments: string | null;
  /**
   * `done`, or the code by which it was refused. `open`: what came of it is not recorded: it was left in a stopped
   * store, or the process ended before.
   */
  readonly outcome: 'done' | 'open' | ErrorCode;
}

/** Its row. */
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
