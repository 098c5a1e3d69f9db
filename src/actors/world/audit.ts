/**
 * The audit: who ordered what of whom, when, why, and with which result. A record is in the same epoch as its subject,
 * so neither is ever on disk without the other. Bounded in number and age; the oldest are dropped. What programs do in
 * the course of their work (`send`, `ask`, `spawn`) is not recorded.
 */
import { BosunError } from '../../errors.ts';
import {
  AUDIT_ARGUMENTS_CHARS_MAX,
  AUDIT_MS_MAX,
  AUDIT_NAME_CHARS_MAX,
  AUDIT_REASON_CHARS_MAX,
  AUDIT_RECORDS_MAX,
} from '../../limits.ts';
import { SECRET_SHOWN } from '../model/secret.ts';
import { Ref } from '../model/ref.ts';
import { KEYSPACE } from '../model/ports.ts';
import { rowKey } from '../model/row-keys.ts';
import { type AuditFacts, type AuditRecord, type AuditRow, type OrderedBy } from './audit-record.ts';
import { type Surroundings } from './surroundings.ts';

type Needs = Pick<Surroundings, 'addresses' | 'draft' | 'isSecret' | 'next' | 'time' | 'wake'>;

/** Old records dropped at a time: more than one order can add, few enough to be cheap. */
const DROPPED_AT_ONCE = 8;

/** Replaces arguments that may hold secrets, if secrets are encrypted, since a record outlives its actor. */
const UNSAID = JSON.stringify(SECRET_SHOWN);

export class Audit {
  readonly #world: Needs;
  /** Records, oldest first. */
  readonly #records = new Map<number, AuditRecord>();
  /** Records as of the last durable epoch. */
  readonly #shown = new Map<number, AuditRecord>();

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Loads a row that recovery found. */
  load(number: number, [atMs, by, reason, order, address, life, args, outcome]: AuditRow): void {
    const record = Object.freeze({ number, atMs, by, reason, order, address, life, arguments: args, outcome });
    this.#records.set(number, record);
    this.#shown.set(number, record);
  }

  /**
   * Enters a record into the epoch in the making.
   *
   * @returns Its number, by which it is closed.
   */
  enter({ order, address, args, as }: AuditFacts, outcome: AuditRecord['outcome']): number {
    const { by, reason = null } = checkOrderedBy(as);
    const { time, addresses } = this.#world;
    const life = addresses.get(address)?.life ?? 0;
    const said = args === undefined ? null : this.#world.isSecret(life) ? UNSAID : textOf(args);
    const number = this.#world.next('message');
    const place = cut(address, AUDIT_NAME_CHARS_MAX);
    this.#put({ number, atMs: time.nowMs(), by, reason, order, address: place, life, arguments: said, outcome });
    this.#dropOld();
    return number;
  }

  /**
   * Records the result of an order, and the address if the record has none. Does nothing if the record has been
   * dropped.
   */
  close(number: number, outcome: AuditRecord['outcome'], address?: string): void {
    const record = this.#records.get(number);
    if (record === undefined) return;
    const place =
      address === undefined ? {} : { address, life: this.#world.addresses.get(address)?.life ?? record.life };
    this.#put({ ...record, ...place, outcome });
  }

  /** Lists the records as of the last durable epoch, newest first: all, or those about one address. */
  list({
    address,
    limit = AUDIT_RECORDS_MAX,
  }: {
    readonly address?: string;
    readonly limit?: number;
  } = {}): AuditRecord[] {
    const newest = [...this.#shown.values()].sort((a, b) => b.number - a.number);
    return (address === undefined ? newest : newest.filter((record) => record.address === address)).slice(0, limit);
  }

  /** Erases names and arguments from records about erased actors. The records keep their lives and kinds of orders. */
  erase(addresses: ReadonlySet<string>): void {
    for (const record of [...this.#records.values()]) {
      if (!addresses.has(record.address)) continue;
      const { order, reason } = record;
      this.#put({ ...record, address: '', reason: order === 'erase' ? reason : null, arguments: null });
    }
  }

  #put(record: AuditRecord): void {
    const { number, atMs, by, reason, order, address, life, arguments: args, outcome } = record;
    const row: AuditRow = [atMs, by, reason, order, address, life, args, outcome];
    this.#records.set(number, Object.freeze(record));
    this.#world.draft.put(rowKey(KEYSPACE.audit, number), Object.freeze(row));
    this.#world.draft.output(() => this.#shown.set(number, record));
    this.#world.wake();
  }

  #dropOld(): void {
    const before = this.#world.time.nowMs() - AUDIT_MS_MAX;
    let left = DROPPED_AT_ONCE;
    for (const { number, atMs } of this.#records.values()) {
      if ((this.#records.size <= AUDIT_RECORDS_MAX && atMs > before) || left-- === 0) return;
      this.#records.delete(number);
      this.#world.draft.remove(rowKey(KEYSPACE.audit, number));
      this.#world.draft.output(() => this.#shown.delete(number));
    }
  }
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
function textOf(args: unknown): string {
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

function cut(text: string, charsMax: number): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax - 3)}...`).toWellFormed();
}
