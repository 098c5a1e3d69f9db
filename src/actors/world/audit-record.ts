/** One record of the audit: who ordered what of whom, and the result; its checks, texts and stored form. Pure. */
import { type ErrorCode } from '../../error-codes.ts';
import { BosunError } from '../../errors.ts';
import { AUDIT_ARGUMENTS_CHARS_MAX, AUDIT_NAME_CHARS_MAX, AUDIT_REASON_CHARS_MAX } from '../../limits.ts';
import { Ref } from '../model/ref.ts';

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
  /** The number of the order, counted from 1 without gaps. */
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

/** A record without its number. */
export type Order = Omit<AuditRecord, 'number'>;

/** The stored form of a record, as that of every record (model/records.ts), with the address as its one key. */
export type AuditRow = readonly [
  atMs: number,
  sequence: number,
  value: readonly [
    by: string,
    reason: string | null,
    order: AuditedOrder,
    life: number,
    args: string | null,
    outcome: AuditRecord['outcome'],
  ],
  number: number,
  keys: { readonly address: string },
];

/** The stored form of earlier versions. */
export type OldAuditRow = readonly [
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

export function auditRow(number: number, order: Order): AuditRow {
  const { atMs, by, reason, order: what, address, life, arguments: args, outcome } = order;
  return [atMs, 0, [by, reason, what, life, args, outcome], number, { address }];
}

export function orderIn([atMs, , [by, reason, order, life, args, outcome], , { address }]: AuditRow): Order {
  return { atMs, by, reason, order, address, life, arguments: args, outcome };
}

export function orderInOld([atMs, by, reason, order, address, life, args, outcome]: OldAuditRow): Order {
  return { atMs, by, reason, order, address, life, arguments: args, outcome };
}

/** Checks the author of an order. Throws BOSUN_VALUE_REFUSED. */
export function checkOrderedBy(as: OrderedBy): OrderedBy {
  const { by, reason } = (as ?? {}) as { by?: unknown; reason?: unknown };
  if (!isText(by, AUDIT_NAME_CHARS_MAX) || by === '') {
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `an order must say who gives it: "by" is text of 1 to ${AUDIT_NAME_CHARS_MAX} characters`,
    );
  }
  if (reason !== undefined && !isText(reason, AUDIT_REASON_CHARS_MAX)) {
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `the reason of an order must be text of at most ${AUDIT_REASON_CHARS_MAX} characters`,
    );
  }
  return { by, ...(reason !== undefined && { reason }) };
}

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value.length <= charsMax && value.isWellFormed();
}

/** The arguments as text. Never throws: they may be the reason why the order is refused. */
export function argumentsText(args: unknown): string {
  try {
    return cut(JSON.stringify(args, plain) ?? 'undefined', AUDIT_ARGUMENTS_CHARS_MAX);
  } catch {
    return '"not to be written as JSON"';
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Ref) return value.address;
  if (value instanceof Map || value instanceof Set) return [...value];
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

/** Shortens a text to a bound, and makes it well-formed. */
export function cut(text: string, charsMax: number): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax - 3)}...`).toWellFormed();
}
