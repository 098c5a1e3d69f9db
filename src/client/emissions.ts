/**
 * Events that actors emit, as something to iterate over: in order, none twice, and a word where some may be missing.
 */
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { EVENTS_WAITING_MAX } from './bounds.ts';
import { ClientError } from './client-error.ts';
import { type AnyEmitted } from './contract.ts';
import { toldTo } from './platform.ts';
import { type TopicListener, type TopicFrame, type SubscribedTopics } from './subscribed-topics.ts';

export interface EmissionOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /** Some events were missed: a break was too long, the server was started anew, or this client was too slow. */
  readonly onGap?: () => void;
}

export class Emissions<Event = AnyEmitted> implements AsyncIterableIterator<Event, undefined> {
  readonly #topics: SubscribedTopics;
  readonly #listener: TopicListener;
  readonly #onGap: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: Event[] = [];
  #takers: {
    readonly resolve: (result: IteratorResult<Event, undefined>) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  #at: Cursor | undefined;
  #error: ClientError | undefined;
  #isOver = false;

  constructor(topics: SubscribedTopics, topic: string, { signal, onGap }: EmissionOptions) {
    this.#topics = topics;
    this.#onGap = toldTo(onGap);
    this.#signal = signal;
    this.#listener = {
      topic,
      mode: 'events',
      at: () => this.#at,
      hear: (frame) => this.#hear(frame),
      ended: (error) => this.#end(error),
    };
    if (signal?.aborted === true) this.#isOver = true;
    else topics.open(this.#listener);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#waiting.shift()! });
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) return Promise.reject(error);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  readonly #stop = (): void => {
    this.#waiting.length = 0;
    this.#end(undefined);
  };

  #hear(frame: TopicFrame): boolean {
    if (frame.t === 'lag') this.#onGap();
    if (frame.t === 'snap') {
      if (!frame.recovered && this.#at !== undefined) this.#onGap();
      this.#at = frame.at;
    }
    if (frame.t !== 'evt' || (frame.at.epoch === this.#at?.epoch && frame.at.seq <= this.#at.seq)) return true;
    this.#at = frame.at;
    const taker = this.#takers.shift();
    if (taker !== undefined) taker.resolve({ done: false, value: frame.e as Event });
    else if (this.#waiting.length < EVENTS_WAITING_MAX) this.#waiting.push(frame.e as Event);
    else this.#end(new ClientError('BOSUN_QUEUE_FULL', `${EVENTS_WAITING_MAX} events wait to be taken`));
    return true;
  }

  #end(error: ClientError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#topics.close(this.#listener);
    this.#signal?.removeEventListener('abort', this.#stop);
    const [first, ...others] = this.#takers;
    this.#takers = [];
    if (first === undefined) this.#error = error;
    else if (error !== undefined) first.reject(error);
    else first.resolve({ done: true, value: undefined });
    for (const taker of others) taker.resolve({ done: true, value: undefined });
  }
}
