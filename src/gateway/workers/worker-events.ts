/**
 * A subscription to turns or records on workers. If it concerns one worker only, a client that reconnects can resume
 * it. Over several workers, events are in order per worker only, and a client that reconnects starts anew. Nothing more
 * is fetched until the client has read the frames fetched before.
 */
import { randomUUID } from 'node:crypto';
import { type Caller } from '../callers/callers.ts';
import { type ServerFrame, type WireError } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type TopicSubscription, type SubscriptionParts } from '../topics/topic-subscription.ts';
import { wireError } from '../callers/wire-errors.ts';
import { type WorkerGateways } from './worker-port.ts';
import { Series } from './series.ts';

type Shown = (ServerFrame & { readonly t: 'evt' })['e'];

interface WorkerEventsParts {
  readonly gateways: WorkerGateways;
  readonly workers: readonly number[];
  readonly caller: Caller;
  readonly topic: string;
  /** Replaces a worker's own numbers by those shown to clients. */
  readonly shown: (worker: number, e: Shown) => Shown;
}

/** The events from one worker. */
interface WorkerSource {
  readonly worker: number;
  readonly series: Series;
  /** Frames received and not passed on. */
  frames: ServerFrame[];
  /** Cursor of the last frame passed on. */
  at: Cursor | undefined;
}

export class WorkerEvents implements TopicSubscription {
  readonly #parts: WorkerEventsParts;
  readonly #sources: readonly WorkerSource[];
  /** Epoch of the numbers assigned here if there are several workers. */
  readonly #epoch: string = randomUUID();
  #seq = 0;
  #id = '';
  #wake: () => void = () => {};
  #failure: WireError | undefined;

  constructor(parts: WorkerEventsParts) {
    this.#parts = parts;
    this.#sources = parts.workers.map((worker) => this.#source(worker));
  }

  /** Resolves when the subscription can begin. Rejects if the topic cannot be read. */
  async open(from: Cursor | undefined): Promise<this> {
    for (const { series } of this.#sources) series.fetch(this.#isOne ? from : undefined);
    try {
      await Promise.all(this.#sources.map(({ series }) => series.ready));
    } catch (error) {
      this.stop();
      throw error;
    }
    return this;
  }

  to({ id, wake }: SubscriptionParts): TopicSubscription {
    this.#id = id;
    this.#wake = wake;
    return this;
  }

  begin(): ServerFrame {
    const [first] = this.#sources.map((source) => {
      const frame = source.frames.shift()!;
      if (frame.t === 'snap') source.at = frame.at;
      return frame;
    });
    for (const source of this.#sources) this.#goOn(source);
    return this.#isOne && first?.t === 'snap'
      ? { ...first, id: this.#id }
      : { t: 'snap', id: this.#id, at: { epoch: this.#epoch, seq: 0 }, recovered: false };
  }

  get dueMs(): number | undefined {
    return this.#failure !== undefined || this.#sources.some(({ frames }) => frames.length > 0) ? -Infinity : undefined;
  }

  next(): ServerFrame[] {
    if (this.#failure !== undefined) return [{ t: 'end', id: this.#id, e: this.#failure }];
    const told: ServerFrame[] = [];
    for (const source of this.#sources) {
      for (const frame of source.frames.splice(0)) told.push(...this.#told(source, frame));
      if (told.at(-1)?.t === 'end') return told;
      this.#goOn(source);
    }
    return told;
  }

  stop(): void {
    for (const { series } of this.#sources) series.end();
  }

  get #isOne(): boolean {
    return this.#parts.workers.length === 1;
  }

  #source(worker: number): WorkerSource {
    const { gateways, caller, topic } = this.#parts;
    const series = new Series({
      gateways,
      worker,
      caller,
      sub: { topic, mode: 'events' },
      hear: (frames) => {
        source.frames.push(...frames);
        this.#wake();
      },
      fail: (error) => {
        this.#failure = wireError(error, () => '');
        this.#wake();
      },
    });
    const source: WorkerSource = { worker, series, frames: [], at: undefined };
    return source;
  }

  #goOn({ series, frames }: WorkerSource): void {
    if (frames.length === 0 && !series.isUnderWay && this.#failure === undefined) series.fetch();
  }

  /**
   * Converts a frame. A `snap` that did not recover means that the worker died: frames that it had not sent may be
   * lost.
   */
  #told(source: WorkerSource, frame: ServerFrame): ServerFrame[] {
    const before = source.at;
    if (frame.t === 'snap' || frame.t === 'evt') source.at = frame.at;
    if (frame.t === 'snap')
      return frame.recovered ? [] : [{ t: 'lag', id: this.#id, skipped: between(before, frame.at) }];
    if (frame.t === 'lag' || frame.t === 'end') return [{ ...frame, id: this.#id }];
    if (frame.t !== 'evt') return [];
    const at = this.#isOne ? frame.at : { epoch: this.#epoch, seq: ++this.#seq };
    return [{ ...frame, id: this.#id, at, e: this.#parts.shown(source.worker, frame.e) }];
  }
}

/** The number of events between two cursors; at least 1 if unknown. */
function between(before: Cursor | undefined, at: Cursor): number {
  return before?.epoch === at.epoch ? Math.max(1, at.seq - before.seq) : 1;
}
