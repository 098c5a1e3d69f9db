/**
 * Watches the timers of a run by its turns: each comes up once, and never before its time, over deaths of the process
 * too. A turn is heard when it is durable, but one that was durable when its process died may never be heard of; where
 * the changes of an actor show such a gap, its timers are not known any more. Limit: timers of `after`.
 */
import { type TraceRecord } from '../../actors/model/trace-record.ts';

interface Timers {
  /** The number of the actor's changes so far. */
  changes: number;
  /** Whether every turn of the actor has been seen. */
  isSure: boolean;
  /** The due time of each armed timer, by its event. */
  readonly armed: Map<string, number>;
  /** Events of timers that have fired and were not armed again. */
  readonly fired: Set<string>;
}

const AFTER = 'xstate.after.';

export class TimerWatch {
  /** Describes the first timer that fired early or twice. */
  wrong: string | undefined;
  readonly #actors = new Map<string, Timers>();

  hear(record: TraceRecord): void {
    const { address, event, atMs, sent, kind } = record;
    if (kind === 'restarted' || kind === 'stopped') this.#actors.delete(address);
    if (kind === 'stopped') return;
    const { armed, fired } = this.#timersOf(record);
    if (event?.type.startsWith(AFTER) === true) {
      const { type } = event;
      const dueMs = armed.get(type);
      if (dueMs !== undefined && atMs < dueMs) this.wrong ??= `${address} ${type} came up ${dueMs - atMs} ms early`;
      if (dueMs === undefined && fired.has(type)) this.wrong ??= `${address} ${type} came up twice`;
      // A turn that failed is taken again.
      if (kind === 'transition') {
        armed.delete(type);
        fired.add(type);
      }
    }
    for (const { event: sends, delayMs } of sent) {
      if (delayMs === null || !sends.type.startsWith(AFTER)) continue;
      armed.set(sends.type, atMs + delayMs);
      fired.delete(sends.type);
    }
  }

  died(): void {
    for (const known of this.#actors.values()) known.isSure = false;
  }

  #timersOf({ address, sequence: changes, change }: TraceRecord): Timers {
    const known = this.#actors.get(address) ?? { changes, isSure: true, armed: new Map(), fired: new Set() };
    this.#actors.set(address, known);
    const own = Object.values(change ?? {}).some((value) => value !== undefined) ? 1 : 0;
    if (!known.isSure && changes - known.changes > own) {
      known.armed.clear();
      known.fired.clear();
    }
    known.isSure = true;
    known.changes = changes;
    return known;
  }
}
