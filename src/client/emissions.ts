/**
 * The events of a topic as an async iterator: in order, without duplicates, with a callback for gaps. A topic that can
 * be resumed is left while the consumer is slow, and resumed later.
 */
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { EVENTS_WAITING_MAX } from './bounds.ts';
import { ClientError, isOwnClose } from './client-error.ts';
import { type AnyEmitted } from './contract.ts';
import { toldTo } from './platform.ts';
import { type TopicListener, type TopicFrame, type SubscribedTopics } from './subscribed-topics.ts';

/** Options of an iteration of events: how it ends, and how gaps are reported. */
export interface EmissionOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called when events were missed: a break was too long, the server was restarted, or this client was too slow. */
  readonly onGap?: () => void;
}

/** The start of a resumable topic, and the number of events that may wait before it is left. */
interface Resumable {
  readonly from: Cursor | undefined;
  readonly waitingMax: number;
}

/** Events as an async iterator. */
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
  readonly #resumable: Resumable | undefined;
  /** Whether the topic is left until all waiting events have been taken. */
  #isPaused = false;
  #at: Cursor | undefined;
  #error: ClientError | undefined;
  #isOver = false;

  constructor(topics: SubscribedTopics, topic: string, { signal, onGap }: EmissionOptions, resumable?: Resumable) {
    this.#topics = topics;
    this.#resumable = resumable;
    this.#at = resumable?.from;
    this.#onGap = toldTo(onGap, topics.failed);
    this.#signal = signal;
    this.#listener = {
      topic,
      mode: 'events',
      at: () => this.#at,
      hear: (frame) => this.#hear(frame),
      ended: (error) => this.#end(isOwnClose(error) ? undefined : error),
    };
    if (signal?.aborted === true) this.#isOver = true;
    else topics.open(this.#listener);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    if (this.#waiting.length > 0) {
      const value = this.#waiting.shift()!;
      if (this.#waiting.length === 0 && this.#isPaused) this.#resume();
      return Promise.resolve({ done: false, value });
    }
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
    const taker = this.#takers.shift();
    const waitingMax = this.#resumable?.waitingMax ?? EVENTS_WAITING_MAX;
    if (taker !== undefined) taker.resolve({ done: false, value: frame.e as Event });
    else if (this.#waiting.length < waitingMax) this.#waiting.push(frame.e as Event);
    else if (this.#resumable !== undefined) return this.#pause();
    else this.#end(new ClientError('BOSUN_QUEUE_FULL', `${waitingMax} events wait to be read`));
    this.#at = frame.at;
    return true;
  }

  /**
   * Leaves the topic.
   *
   * @returns True, so that the subscription is not started again at once.
   */
  #pause(): true {
    this.#isPaused = true;
    this.#topics.close(this.#listener);
    return true;
  }

  #resume(): void {
    this.#isPaused = false;
    this.#topics.open(this.#listener);
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
