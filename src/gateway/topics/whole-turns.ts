/**
 * Turns as they were taken, for somebody who is not told of them yet: with what events and contexts held, where the
 * system remembers only names.
 */
import { type TraceRecord } from '../../actors/model/trace-record.ts';
import { TURNS_WHOLE_MAX } from '../../limits.ts';

export class WholeTurns {
  /** By number, oldest first. */
  readonly #records = new Map<number, TraceRecord>();

  /** The oldest one gives way where there are too many. */
  keep(record: TraceRecord): void {
    this.#records.set(record.number, record);
    if (this.#records.size <= TURNS_WHOLE_MAX) return;
    const [oldest] = this.#records.keys();
    this.#records.delete(oldest!);
  }

  has(number: number): boolean {
    return this.#records.has(number);
  }

  /** The turn of a record, whole where it is kept. */
  of(record: TraceRecord): TraceRecord {
    return this.#records.get(record.number) ?? record;
  }

  /** @param number Of the last turn that has been told. */
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
