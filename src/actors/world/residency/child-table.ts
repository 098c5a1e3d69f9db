/**
 * A Boss's child table of which not everything is in memory: single records are read when they are asked for. Going
 * through all of them needs the whole table, and throws until that has been read (loop/residency/dry-run.ts).
 */
import { BosunError } from '../../../errors.ts';
import { type ChildRow } from '../../model/supervision.ts';

export class ChildTable extends Map<string, ChildRow> {
  readonly #shelved: (childId: string) => unknown;
  /** Records that are not durable yet, or were not when the reading under way began; null for removed ones. */
  readonly #recent = new Map<string, ChildRow | null>();
  /** Recent records that have become durable since the reading began. */
  readonly #settled = new Map<string, unknown>();
  isWhole = false;
  /** Its whole content was asked for and was not there. */
  isWanted = false;
  isBeingRead = false;
  /** Its Boss takes no turn before this or a table below it has been read. */
  isAwaited = false;

  /** @param shelved Reads one durable record. */
  constructor(shelved: (childId: string) => unknown) {
    super();
    this.#shelved = shelved;
  }

  override get(childId: string): ChildRow | undefined {
    if (this.isWhole) return super.get(childId);
    const recent = this.#recent.get(childId);
    if (recent !== undefined) return recent ?? undefined;
    // On disk is what a Boss has put there.
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

  /** An epoch with this record, or its removal (null), is durable. */
  settled(childId: string, row: unknown): void {
    if (this.#recent.get(childId) !== row) return;
    // One that is being read may have passed by the old record already.
    if (this.isBeingRead) this.#settled.set(childId, row);
    else this.#recent.delete(childId);
  }

  /** All durable records, as they are now or were when the reading began. */
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

  /** Gives the memory back. */
  shed(): void {
    this.isWhole = false;
    super.clear();
  }

  #needAll(): void {
    if (this.isWhole) return;
    this.isWanted = true;
    throw new BosunError('BOSUN_CHILDREN_UNREAD', 'the Boss has more children than are in memory');
  }
}
