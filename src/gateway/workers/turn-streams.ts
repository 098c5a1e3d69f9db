/**
 * A subscription to turns that are taken on workers. Of one worker it can be resumed, as long as that lives; of
 * several, turns come in the order of each, and whoever comes back begins anew. No more is fetched while the client has
 * not read what there is.
 */
import { randomUUID } from 'node:crypto';
import { type Caller } from '../client/callers.ts';
import { type ServerFrame, type WireError } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type TopicSubscription, type SubscriptionParts } from '../topics/topic-subscription.ts';
import { wireError } from '../calls/wire-errors.ts';
import { type WorkerGateways } from './worker-port.ts';
import { Numbers } from './numbers.ts';
import { Series } from './series.ts';

interface TurnStreamsParts {
  readonly gateways: WorkerGateways;
  readonly workers: readonly number[];
  readonly caller: Caller;
  readonly topic: string;
}

/** What came of one worker. */
interface TurnSource {
  readonly worker: number;
  readonly series: Series;
  /** Not told yet. */
  frames: ServerFrame[];
}

export class TurnStreams implements TopicSubscription {
  readonly #parts: TurnStreamsParts;
  readonly #numbers: Numbers;
  readonly #sources: readonly TurnSource[];
  /** Of the numbers given here, where there are several workers. */
  readonly #epoch: string = randomUUID();
  #seq = 0;
  #id = '';
  #wake: () => void = () => {};
  #failure: WireError | undefined;

  constructor(parts: TurnStreamsParts) {
    this.#parts = parts;
    this.#numbers = new Numbers(parts.gateways.count);
    this.#sources = parts.workers.map((worker) => this.#source(worker));
  }

  /** Resolves when it can begin. Rejects with what keeps the topic from being seen. */
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
    const firsts = this.#sources.map(({ frames }) => frames.shift()!);
    const [first] = firsts;
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
      for (const frame of source.frames.splice(0)) told.push(...this.#told(source.worker, frame));
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

  #source(worker: number): TurnSource {
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
    const source: TurnSource = { worker, series, frames: [] };
    return source;
  }

  #goOn({ series, frames }: TurnSource): void {
    if (frames.length === 0 && !series.isUnderWay && this.#failure === undefined) series.fetch();
  }

  /** The worker has died where it begins anew in the middle: what it had not told then is lost. */
  #told(worker: number, frame: ServerFrame): ServerFrame[] {
    if (frame.t === 'snap') return frame.recovered ? [] : [{ t: 'lag', id: this.#id, skipped: 1 }];
    if (frame.t === 'lag') return [{ ...frame, id: this.#id }];
    if (frame.t !== 'evt') return [];
    const { number } = frame.e as unknown as { readonly number: number };
    const at = this.#isOne ? frame.at : { epoch: this.#epoch, seq: ++this.#seq };
    return [{ ...frame, id: this.#id, at, e: { ...frame.e, number: this.#numbers.shown({ worker, number }) } }];
  }
}
