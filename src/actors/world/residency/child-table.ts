/**
 * A Boss's child table of which not everything is in memory: single records are read when they are asked for. Whoever
 * goes through all of them needs it whole, is told so by a throw, and comes again when it has been read (foresight.ts).
 */
import { BosunError } from '../../../errors.ts';

export class ChildTable extends Map<string, unknown> {
  readonly #shelved: (childId: string) => unknown;
  /** What is not durable yet, or was not when the reading under way began; null for what was removed. */
  readonly #recent = new Map<string, unknown>();
  /** Of the recent ones: durable since the reading began. */
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

  override get(childId: string): unknown {
    if (this.isWhole) return super.get(childId);
    const recent = this.#recent.get(childId);
    if (recent !== undefined) return recent ?? undefined;
    return this.#shelved(childId);
  }

  override has(childId: string): boolean {
    return this.get(childId) !== undefined;
  }

  override set(childId: string, row: unknown): this {
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

  override entries(): MapIterator<[string, unknown]> {
    this.#needAll();
    return super.entries();
  }

  override keys(): MapIterator<string> {
    this.#needAll();
    return super.keys();
  }

  override values(): MapIterator<unknown> {
    this.#needAll();
    return super.values();
  }

  override [Symbol.iterator](): MapIterator<[string, unknown]> {
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
    for (const [childId, row] of rows) if (!this.#recent.has(childId)) super.set(childId, row);
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
