/**
 * Emitted events of all workers in one log, in order of arrival, while somebody listens and for a while afterwards.
 * Events that a dying worker had not passed on are lost, and listeners are told that some may be.
 */
import { type EventObject } from 'xstate';
import { type Clock } from '../../clock.ts';
import { EventLog } from '../topics/event-log.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { allWorkers, type WorkerGateways } from './worker-port.ts';
import { EVERYTHING, Series } from './series.ts';

interface EventStreamsParts {
  readonly gateways: WorkerGateways;
  readonly clock: Clock;
  /** Identifies the run of the gateway. */
  readonly instance: string;
}

export class EventStreams {
  readonly #parts: EventStreamsParts;
  readonly #log: EventLog;
  /** The open streams; undefined while nobody listens. */
  #open: { readonly series: readonly Series[]; readonly ready: Promise<unknown> } | undefined;

  constructor(parts: EventStreamsParts) {
    this.#parts = parts;
    // Worker gateways send events already converted for clients.
    this.#log = new EventLog({
      clock: parts.clock,
      instance: parts.instance,
      shown: (_, event) => event,
      stopped: () => this.stop(),
    });
  }

  /** The log, once it receives events of all workers. Rejects with BOSUN_SYSTEM_CLOSED. */
  async log(): Promise<EventLog> {
    const { ready } = (this.#open ??= this.#begin());
    try {
      await ready;
    } catch (error) {
      this.stop();
      throw error;
    }
    this.#parts.clock.defer(() => {
      // The caller has gone without listening.
      if (!this.#log.isRecording) this.stop();
    });
    return this.#log;
  }

  stop(): void {
    const series = this.#open?.series ?? [];
    this.#open = undefined;
    for (const one of series) one.end();
  }

  #begin() {
    const series = allWorkers(this.#parts.gateways).map((worker) => this.#hear(worker));
    return { series, ready: Promise.all(series.map(({ ready }) => ready)) };
  }

  #hear(worker: number): Series {
    let isFirst = true;
    const series = new Series({
      gateways: this.#parts.gateways,
      worker,
      caller: EVERYTHING,
      sub: { topic: 'events/**', mode: 'events' },
      hear: (frames) => {
        series.fetch();
        for (const frame of frames) this.#take(frame, isFirst);
        isFirst = false;
      },
    });
    series.fetch();
    return series;
  }

  #take(frame: ServerFrame, isFirst: boolean): void {
    if (frame.t === 'evt') this.#log.record(frame.address, frame.e as unknown as EventObject);
    else if (frame.t === 'lag') this.#log.miss(frame.skipped);
    else if (frame.t === 'snap' && !frame.recovered && !isFirst) this.#log.miss(1);
  }
}
