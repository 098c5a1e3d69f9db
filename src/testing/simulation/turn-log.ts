/**
 * Hears every turn of a run, from the first one on: counts them, folds them into the hash by which two runs are
 * compared, watches timers, and keeps the records for the story where one is told.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type PublishedTurn, type TraceRecord } from '../../actors/model/trace-record.ts';
import { RunHash } from './run-hash.ts';
import { TimerWatch } from './timer-watch.ts';

const CHANNEL = 'bosun:turn';

export class TurnLog {
  turns = 0;
  readonly hash = new RunHash();
  /** States and transitions that were visited. */
  readonly covered = new Set<string>();
  readonly #store: string;
  readonly #tell: ((record: TraceRecord) => void) | undefined;
  readonly #onMessage: (message: unknown) => void;
  readonly timers = new TimerWatch();

  constructor(store: string, tell: ((record: TraceRecord) => void) | undefined) {
    this.#store = store;
    this.#tell = tell;
    this.#onMessage = (message) => {
      const { store: of, record } = message as PublishedTurn;
      if (of === this.#store) this.#hear(record);
    };
    subscribe(CHANNEL, this.#onMessage);
  }

  end(): void {
    unsubscribe(CHANNEL, this.#onMessage);
  }

  #hear(record: TraceRecord): void {
    const { address, agent, kind, event, value, sequence } = record;
    this.turns += 1;
    const state = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    this.hash.add(`${address}|${kind}|${event?.type ?? ''}|${sequence}|${state}`);
    if (value !== null) this.covered.add(`${agent} ${state}`);
    this.timers.hear(record);
    this.#tell?.(record);
  }
}
