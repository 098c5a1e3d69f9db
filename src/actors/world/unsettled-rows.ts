/**
 * Child records whose last change is not durable yet, each with its durable version, which readers see until the epoch
 * with the change is durable. All other records are read where the Bosses have them, so that none is kept twice.
 */
import { type RowKey } from '../model/ports.ts';
import { type ChildRow } from '../model/supervision.ts';

interface Unsettled {
  /** The durable record; null if there is none. */
  durable: unknown;
  /** The record in memory; null if there is none. */
  latest: unknown;
}

export class UnsettledRows {
  readonly #rows = new Map<RowKey, Unsettled>();

  /** Records a change before it is made. `before` and `row` are null if there is no record. */
  changes(key: RowKey, before: ChildRow | null, row: ChildRow | null): void {
    const known = this.#rows.get(key);
    if (known === undefined) this.#rows.set(key, { durable: before, latest: row });
    else known.latest = row;
  }

  /** Records that a record, or its removal (null), is durable. */
  settled(key: RowKey, row: unknown): void {
    const known = this.#rows.get(key);
    if (known === undefined) return;
    if (known.latest === row) this.#rows.delete(key);
    else known.durable = row;
  }

  /** The durable record, null if there is none; undefined if it is the one in memory. */
  durable(key: RowKey): ChildRow | null | undefined {
    return this.#rows.get(key)?.durable as ChildRow | null | undefined;
  }
}
