/** A trace for its reader: an async iterable with a bounded buffer for a slow reader. */
import { TRACE_RECORDS_MAX } from '../../../limits.ts';
import { ROOT } from '../../model/address.ts';
import { Queue } from '../../model/queue.ts';
import { type TraceLoss, type TraceRecord } from '../../model/trace-record.ts';

/** Records of the actors under an address, in the order in which their turns ended. It ends with the system. */
export class Trace implements AsyncIterableIterator<TraceRecord | TraceLoss> {
  readonly address: string;
  readonly #buffer: number;
  readonly #onEnd: (trace: Trace) => void;
  readonly #records = new Queue<TraceRecord>();
  readonly #readers: ((result: IteratorResult<TraceRecord | TraceLoss>) => void)[] = [];
  #lost = 0;
  #isOver = false;

  constructor(address: string, { buffer, onEnd }: { buffer: number; onEnd: (trace: Trace) => void }) {
    this.address = address;
    this.#buffer = Math.max(1, Math.min(buffer, TRACE_RECORDS_MAX));
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<TraceRecord | TraceLoss>> {
    if (this.#lost > 0) {
      const count = this.#lost;
      this.#lost = 0;
      return Promise.resolve({ done: false, value: { kind: 'lost', count } });
    }
    const record = this.#records.shift();
    if (record !== undefined) return Promise.resolve({ done: false, value: record });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** Ends the trace and discards unread records. */
  return(): Promise<IteratorResult<TraceRecord | TraceLoss>> {
    this.#records.clear();
    this.#lost = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the trace after the buffered records. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this);
    for (const resolve of this.#readers.splice(0)) resolve({ done: true, value: undefined });
  }

  covers(address: string): boolean {
    return isBelow(this.address, address);
  }

  tell(record: TraceRecord): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: record });
      return;
    }
    this.#records.push(record);
    if (this.#records.size <= this.#buffer) return;
    this.#records.shift();
    this.#lost += 1;
  }
}

/** Whether an address is another or below it. */
export function isBelow(place: string, address: string): boolean {
  return place === ROOT || address === place || address.startsWith(`${place}/`);
}
