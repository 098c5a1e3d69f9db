/**
 * Turns with the contents of events and contexts, kept until their client has received them; the system itself
 * remembers only names.
 */
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import { TURNS_WHOLE_MAX } from '../limits.ts';

export class WholeTurns {
  /** Kept turns by number, oldest first. */
  readonly #records = new Map<number, TraceRecord>();

  /** Keeps a turn; drops the oldest if there are too many. */
  keep(record: TraceRecord): void {
    this.#records.set(record.number, record);
    if (this.#records.size <= TURNS_WHOLE_MAX) return;
    const [oldest] = this.#records.keys();
    this.#records.delete(oldest!);
  }

  has(number: number): boolean {
    return this.#records.has(number);
  }

  /** The turn of a record, with contents if kept. */
  of(record: TraceRecord): TraceRecord {
    return this.#records.get(record.number) ?? record;
  }

  /**
   * Forgets turns.
   *
   * @param number Number of the last turn that was sent.
   */
  forgetThrough(number: number): void {
    for (const kept of this.#records.keys()) {
      if (kept > number) break;
      this.#records.delete(kept);
    }
  }

  clear(): void {
    this.#records.clear();
  }
}
