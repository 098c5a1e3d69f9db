/**
 * Emitted events for those who listen, and for a while after they have left. Emitted events are outputs and not stored,
 * so this is all there is of them: whoever comes back in time, to the same run of the gateway, gets what was missed.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { EVENT_BYTES_KEPT_MAX, EVENTS_KEPT_MAX, EVENTS_LINGER_MS } from '../../limits.ts';
import { type Cursor } from '../protocol/protocol.ts';

export interface LoggedEvent {
  readonly seq: number;
  readonly address: string;
  /** As clients are shown it. */
  readonly event: Readonly<Record<string, unknown>>;
}

export interface EventLogParts {
  readonly clock: Clock;
  /** Names the run of the gateway. */
  readonly instance: string;
  readonly shown: (address: string, event: EventObject) => Readonly<Record<string, unknown>>;
  /** Nobody has listened for a while. */
  readonly stopped?: () => void;
}

interface KeptEvent extends LoggedEvent {
  readonly bytes: number;
}

export class EventLog {
  readonly #parts: EventLogParts;
  /** By sequence, oldest first, without holes. */
  readonly #kept = new Map<number, KeptEvent>();
  readonly #listeners = new Set<() => void>();
  #seq = 0;
  #bytes = 0;
  /** Raised when nobody listened for a while: what happened then nobody knows. */
  #generation = 0;
  #isRecording = false;
  #stopLater: Cancel | undefined;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  /** Where the log ends. */
  get end(): Cursor {
    return { epoch: `${this.#parts.instance}.${this.#generation}`, seq: this.#seq };
  }

  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** Of the oldest event that is kept; one more than the end where none is. */
  get oldest(): number {
    return this.#kept.keys().next().value ?? this.#seq + 1;
  }

  /** Whether everything behind this place is here. */
  covers({ epoch, seq }: Cursor): boolean {
    return epoch === this.end.epoch && seq >= this.oldest - 1 && seq <= this.#seq;
  }

  at(seq: number): LoggedEvent | undefined {
    return this.#kept.get(seq);
  }

  listen(listener: () => void): Cancel {
    this.#stopLater?.();
    this.#stopLater = undefined;
    this.#isRecording = true;
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#stopLater = this.#parts.clock.setTimeout(() => this.#stop(), EVENTS_LINGER_MS, { isBackground: true });
    };
  }

  record(address: string, event: EventObject): void {
    if (!this.#isRecording) return;
    const view = this.#parts.shown(address, event);
    const kept: KeptEvent = { seq: ++this.#seq, address, event: view, bytes: JSON.stringify(view).length };
    this.#kept.set(kept.seq, kept);
    this.#bytes += kept.bytes;
    while (this.#kept.size > EVENTS_KEPT_MAX || (this.#bytes > EVENT_BYTES_KEPT_MAX && this.#kept.size > 1))
      this.#drop();
    for (const listener of [...this.#listeners]) listener();
  }

  /** So many events, or more, never came: what was before them is of no use to whoever has not seen it. */
  miss(count: number): void {
    if (!this.#isRecording) return;
    this.#seq += count;
    this.#kept.clear();
    this.#bytes = 0;
    for (const listener of [...this.#listeners]) listener();
  }

  #drop(): void {
    const [oldest] = this.#kept.values();
    this.#kept.delete(oldest!.seq);
    this.#bytes -= oldest!.bytes;
  }

  #stop(): void {
    this.#isRecording = false;
    this.#generation += 1;
    this.#kept.clear();
    this.#bytes = 0;
    this.#parts.stopped?.();
  }
}
