/**
 * Emitted events while somebody listens, and for a while afterwards. Emitted events are outputs and not stored, so this
 * log is their only copy: a client that reconnects in time, to the same run of the gateway, gets the events that it
 * missed.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { textBytes } from '../../text-bytes.ts';
import { EVENT_BYTES_KEPT_MAX, EVENTS_KEPT_MAX, EVENTS_LINGER_MS } from '../limits.ts';
import { type Cursor } from '../protocol/protocol.ts';

export interface LoggedEvent {
  readonly seq: number;
  readonly address: string;
  /** The event as clients see it. */
  readonly event: Readonly<Record<string, unknown>>;
}

export interface EventLogParts {
  readonly clock: Clock;
  /** Identifies the run of the gateway. */
  readonly instance: string;
  readonly shown: (address: string, event: EventObject) => Readonly<Record<string, unknown>>;
  /** Called when there were no listeners for a while. */
  readonly stopped?: () => void;
}

interface KeptEvent extends LoggedEvent {
  readonly bytes: number;
}

export class EventLog {
  readonly #parts: EventLogParts;
  /** Kept events by sequence, oldest first, without gaps. */
  readonly #kept = new Map<number, KeptEvent>();
  readonly #listeners = new Set<() => void>();
  #seq = 0;
  #bytes = 0;
  /** The number of times that recording has stopped, since later events were missed then. */
  #generation = 0;
  #isRecording = false;
  #stopLater: Cancel | undefined;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  /** The position of the last event. */
  get end(): Cursor {
    return { epoch: `${this.#parts.instance}.${this.#generation}`, seq: this.#seq };
  }

  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** Sequence of the oldest kept event; one more than the end if there is none. */
  get oldest(): number {
    return this.#kept.keys().next().value ?? this.#seq + 1;
  }

  /** Whether all events after a position are kept. */
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
    const kept: KeptEvent = { seq: ++this.#seq, address, event: view, bytes: textBytes(JSON.stringify(view)) };
    this.#kept.set(kept.seq, kept);
    this.#bytes += kept.bytes;
    while (this.#kept.size > EVENTS_KEPT_MAX || (this.#bytes > EVENT_BYTES_KEPT_MAX && this.#kept.size > 1))
      this.#drop();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Skips at least `count` events that were lost; earlier events are of no use to clients that have not seen them. */
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
