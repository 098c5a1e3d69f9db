/**
 * The audit: who ordered what of whom, when, why, and with which result. A record is in the same epoch as its subject,
 * so neither is ever on disk without the other. Bounded in number and age; the oldest are dropped. What programs do in
 * the course of their work (`send`, `ask`, `spawn`) is not recorded. Only orders without a result are in memory.
 */
import { KEPT_ERASED_AT_ONCE, AUDIT_MS_MAX, AUDIT_NAME_CHARS_MAX, AUDIT_RECORDS_MAX } from '../../limits.ts';
import { KEYSPACE, type RowKey } from '../model/ports.ts';
import { AUDIT, KERNEL_LIFE, KERNEL_NAME, recordIndexPrefix, recordIndexUnder, recordKey } from '../model/records.ts';
import { keyText, rowKey } from '../model/row-keys.ts';
import { SECRET_SHOWN } from '../model/secret.ts';
import {
  type AuditFacts,
  argumentsText,
  type AuditRecord,
  type AuditRow,
  auditRow,
  checkOrderedBy,
  cut,
  type OldAuditRow,
  type Order,
  orderIn,
  orderInOld,
} from './audit-record.ts';
import { type KeptSpan, KeptRecords } from './kept-records.ts';
import { type Surroundings } from './surroundings.ts';

type Needs = Pick<Surroundings, 'addresses' | 'draft' | 'isSecret' | 'records' | 'time' | 'wake'>;

/** A record in memory, as long as its order has no result. */
export interface AuditEntry {
  /** 0 until it is known. */
  number: number;
  order: Order;
}

/** Selects records: about one address, with lower numbers, at most so many. */
export interface AuditOptions {
  readonly address?: string | undefined;
  /** A number: only earlier records are listed. */
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

/** Replaces arguments that may hold secrets, if secrets are encrypted, since a record outlives its actor. */
const UNSAID = JSON.stringify(SECRET_SHOWN);

/** Records that a list reads at a time. */
const READ_AT_ONCE = 500;

/** The prefix of all index entries. */
const INDEX = recordIndexUnder(KERNEL_NAME, AUDIT, 'address');

/** Characters at the end of an index entry: its time, order and life, behind an exclamation mark. */
const PLACE_CHARS = 43;

export class Audit {
  readonly #world: Needs;
  readonly #records: KeptRecords;
  /** The numbers, as soon as they have been needed. */
  #span: KeptSpan | undefined;
  /** Orders of this run without a result, by number. */
  readonly #open = new Map<number, AuditEntry>();
  /** Records that have come from an older form and are not durable in the present one; oldest first. */
  #moved: readonly AuditRecord[] = [];

  constructor(world: Needs) {
    this.#world = world;
    this.#records = new KeptRecords(world, AUDIT, KERNEL_NAME);
  }

  /** Moves rows of the form in which earlier versions kept them into the present form, in the first epoch. */
  load(rows: ReadonlyMap<string, unknown>): void {
    if (rows.size === 0) return;
    this.#follow((span) => {
      this.#moved = [...rows].map(([key, row]) => {
        const order = orderInOld(row as OldAuditRow);
        const number = this.#records.take(KERNEL_LIFE, span, Infinity);
        this.#put({ number, order });
        this.#world.draft.remove(rowKey(KEYSPACE.audit, key));
        return Object.freeze({ number, ...order });
      });
      this.#world.draft.output(() => (this.#moved = []));
    });
  }

  /**
   * Enters a record into the epoch in the making, where the store can keep records.
   *
   * @returns The entry, by which it is closed.
   */
  enter({ order, address, args, as }: AuditFacts, outcome: AuditRecord['outcome']): AuditEntry {
    const { by, reason = null } = checkOrderedBy(as);
    const { time, addresses } = this.#world;
    const life = addresses.get(address)?.life ?? 0;
    const said = args === undefined ? null : this.#world.isSecret(life) ? UNSAID : argumentsText(args);
    const place = cut(address, AUDIT_NAME_CHARS_MAX);
    const entry: AuditEntry = {
      number: 0,
      order: { atMs: time.nowMs(), by, reason, order, address: place, life, arguments: said, outcome },
    };
    this.#follow((span) => {
      entry.number = this.#records.take(KERNEL_LIFE, span, this.#kept(span));
      this.#put(entry);
      for (const number of this.#open.keys()) {
        if (number >= span.first) break;
        this.#open.delete(number);
      }
      if (outcome === 'open') this.#open.set(entry.number, entry);
    });
    this.#world.wake();
    return entry;
  }

  /**
   * Records the result of an order, and the address if the record has none. Does nothing if the record has been
   * dropped.
   */
  close(entry: AuditEntry, outcome: AuditRecord['outcome'], address?: string): void {
    this.#follow(() => {
      if (!this.#open.delete(entry.number)) return;
      const { number, order } = entry;
      const place =
        address === undefined ? {} : { address, life: this.#world.addresses.get(address)?.life ?? order.life };
      this.#replace(number, { ...order, ...place, outcome }, auditRow(number, order));
    });
    this.#world.wake();
  }

  /**
   * Lists the records as of the last durable epoch, newest first: all, or those about one address. Rejects with
   * BOSUN_STORE_FAILED.
   */
  async list({ address, before = Infinity, limit = AUDIT_RECORDS_MAX }: AuditOptions = {}): Promise<AuditRecord[]> {
    const sinceMs = this.#world.time.nowMs() - AUDIT_MS_MAX;
    const isListed = (record: AuditRecord) =>
      record.number < before && record.atMs > sinceMs && (address === undefined || record.address === address);
    // Then the store has no others yet.
    if (this.#moved.length > 0) return this.#moved.toReversed().filter(isListed).slice(0, limit);
    const { first, next } = this.#records.spanOf(KERNEL_LIFE);
    const all = address === undefined ? between(first, next) : await this.#numbersOf(address);
    const numbers = all.filter((number) => number >= first && number < Math.min(next, before));
    const found: AuditRecord[] = [];
    for (let from = 0; from < numbers.length && found.length < limit; ) {
      const some = numbers.slice(from, from + Math.min(READ_AT_ONCE, limit - found.length));
      from += some.length;
      const rows = await this.#records.readable.rowsOf(some.map((number) => recordKey(KERNEL_LIFE, AUDIT, number)));
      for (const [i, number] of some.entries()) {
        // Dropped meanwhile, or damaged.
        if (rows[i] === undefined) continue;
        const record = Object.freeze({ number, ...orderIn(rows[i] as AuditRow) });
        if (isListed(record)) found.push(record);
      }
    }
    return found;
  }

  /**
   * Erases names and arguments from records about erased actors. The records keep their lives and kinds of orders. Goes
   * through the index, while others are added and removed.
   *
   * @param flush Makes all changes so far durable.
   */
  async erase(addresses: ReadonlySet<string>, flush: () => Promise<void>): Promise<void> {
    const erased = new Set([...addresses].map((address) => keyText(cut(address, AUDIT_NAME_CHARS_MAX))));
    const range = { lt: `${INDEX.slice(0, -1)}"`, limit: KEPT_ERASED_AT_ONCE };
    for (let gte: string = INDEX; this.#world.records.shelf !== undefined; ) {
      const entries = await this.#records.rowsIn({ ...range, gte });
      for (const [entry, row] of entries ?? []) {
        const text = entry.slice(INDEX.length, -PLACE_CHARS);
        if (erased.has(text)) this.#erase(entry, text, row as readonly [number, number]);
      }
      if (entries !== null && entries.length < range.limit) return;
      // No key sorts between a key and the same key followed by the first of all characters.
      if (entries !== null) gte = `${entries.at(-1)![0]}!`;
      await flush();
    }
  }

  /** Erases from the record that an index entry leads to. */
  #erase(entry: RowKey, text: string, [, number]: readonly [life: number, number: number]): void {
    const { draft, records } = this.#world;
    draft.remove(entry);
    const row = records.rowAt(placeOf(number)) as AuditRow | undefined;
    // A damaged row may still have the text. A sound one may be another, whose number was given out again.
    if (row === undefined) draft.remove(recordKey(KERNEL_LIFE, AUDIT, number));
    else if (keyText(row[4].address) === text) {
      const order = orderIn(row);
      const reason = order.order === 'erase' ? order.reason : null;
      this.#replace(number, { ...order, address: '', reason, arguments: null }, row);
    }
  }

  /** The numbers of the durable records about an address, newest first. */
  async #numbersOf(address: string): Promise<number[]> {
    const prefix = recordIndexPrefix(KERNEL_NAME, AUDIT, 'address', address.toWellFormed());
    const entries = await this.#records.readable.rowsUnder(prefix);
    return entries.map(([, row]) => (row as readonly [number, number])[1]).sort((a, b) => b - a);
  }

  #put({ number, order }: AuditEntry): void {
    this.#world.records.put(KERNEL_NAME, placeOf(number), auditRow(number, order));
  }

  #replace(number: number, order: Order, before: AuditRow): void {
    const open = this.#open.get(number);
    if (open !== undefined) open.order = order;
    this.#world.records.replace(KERNEL_NAME, placeOf(number), before, auditRow(number, order));
  }

  /** The number of records to be kept with a new one: fewer where the oldest two are too old. */
  #kept({ first, next }: KeptSpan): number {
    if (!this.#world.records.mayDrop) return AUDIT_RECORDS_MAX;
    const beforeMs = this.#world.time.nowMs() - AUDIT_MS_MAX;
    const oldest = [first, first + 1].filter((number) => number < next);
    // The next record shows how old a damaged one is.
    const aged = oldest.findLastIndex((number) => {
      const row = this.#world.records.rowAt(placeOf(number));
      return row !== undefined && row[0] <= beforeMs;
    });
    return Math.min(AUDIT_RECORDS_MAX, next - first - aged);
  }

  /** Runs postponed tasks: an epoch is durable, so the store can be read again. */
  catchUp(): void {
    this.#records.catchUp();
  }

  /** Calls `act` with the numbers: at once, or before this epoch is written if the store is closed now. */
  #follow(act: (span: KeptSpan) => void): void {
    if (this.#span !== undefined) act(this.#span);
    else this.#records.follow(KERNEL_LIFE, (span) => act((this.#span ??= span)));
  }
}

function placeOf(number: number) {
  return { life: KERNEL_LIFE, name: AUDIT, number };
}

/** Whole numbers, the highest first. */
function between(first: number, next: number): number[] {
  return Array.from({ length: next - first }, (_, i) => next - 1 - i);
}
