/**
 * A Boss's child table that is only partly in memory: single records are read on demand. Iterating needs the whole
 * table, and throws until that has been read (loop/residency/dry-run.ts).
 */
import { BosunError } from '../../../errors.ts';
import { type ChildRow } from '../../model/supervision.ts';

export class ChildTable extends Map<string, ChildRow> {
  readonly #shelved: (childId: string) => unknown;
  /** Records that are not durable yet, or were not when the current reading began; null for removed ones. */
  readonly #recent = new Map<string, ChildRow | null>();
  /** Recent records that have become durable since the reading began. */
  readonly #settled = new Map<string, unknown>();
  isWhole = false;
  /** Whether the whole table was requested while it was only partly in memory. */
  isWanted = false;
  isBeingRead = false;
  /** Whether its Boss takes no turn before this table or one below it has been read. */
  isAwaited = false;

  /**
   * Makes a table.
   *
   * @param shelved Reads one durable record.
   */
  constructor(shelved: (childId: string) => unknown) {
    super();
    this.#shelved = shelved;
  }

  override get(childId: string): ChildRow | undefined {
    if (this.isWhole) return super.get(childId);
    const recent = this.#recent.get(childId);
    if (recent !== undefined) return recent ?? undefined;
    // A Boss has written the record on disk.
    return this.#shelved(childId) as ChildRow | undefined;
  }

  override has(childId: string): boolean {
    return this.get(childId) !== undefined;
  }

  override set(childId: string, row: ChildRow): this {
    this.#recent.set(childId, row);
    if (this.isWhole) super.set(childId, row);
    return this;
  }

  override delete(childId: string): boolean {
    this.#recent.set(childId, null);
    return this.isWhole && super.delete(childId);
  }

  override get size(): number {
    this.#needAll();
    return super.size;
  }

  override entries(): MapIterator<[string, ChildRow]> {
    this.#needAll();
    return super.entries();
  }

  override keys(): MapIterator<string> {
    this.#needAll();
    return super.keys();
  }

  override values(): MapIterator<ChildRow> {
    this.#needAll();
    return super.values();
  }

  override [Symbol.iterator](): MapIterator<[string, ChildRow]> {
    return this.entries();
  }

  /** Records that a record, or its removal (null), is durable. */
  settled(childId: string, row: unknown): void {
    if (this.#recent.get(childId) !== row) return;
    // The reading in progress may have passed the old record already.
    if (this.isBeingRead) this.#settled.set(childId, row);
    else this.#recent.delete(childId);
  }

  /** Fills in all durable records. They are as of now, or as of the moment when the reading began. */
  fill(rows: Iterable<readonly [childId: string, row: unknown]>): void {
    for (const [childId, row] of rows) if (!this.#recent.has(childId)) super.set(childId, row as ChildRow);
    for (const [childId, row] of this.#recent) {
      if (row === null) super.delete(childId);
      else super.set(childId, row);
    }
    this.isWhole = true;
    this.isBeingRead = false;
    for (const [childId, row] of this.#settled) this.settled(childId, row);
    this.#settled.clear();
  }

  /** Releases the memory. */
  shed(): void {
    this.isWhole = false;
    super.clear();
  }

  #needAll(): void {
    if (this.isWhole) return;
    this.isWanted = true;
    throw new BosunError(
      'BOSUN_CHILDREN_UNREAD',
      'some children of the Boss are not in memory; look one up by its address',
    );
  }
}
