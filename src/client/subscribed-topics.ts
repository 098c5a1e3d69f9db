/**
 * The subscriptions of a client over all its connections: each is reopened where it left off, receives frames, and is
 * ended with the reason when nothing can follow.
 */
import type { ServerFrame, Sub } from '../gateway/protocol/frames.ts';
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { RETRY_MS } from './bounds.ts';
import { type ClientError, errorFrom } from './client-error.ts';
import { type ClientClock, type Failed } from './platform.ts';

export type TopicFrame = ServerFrame & { readonly t: 'snap' | 'delta' | 'evt' | 'lag' };

export interface TopicListener {
  readonly topic: string;
  readonly mode: 'state' | 'events';
  /** Returns the cursor after which to continue; undefined to begin at the present. */
  readonly at: () => Cursor | undefined;
  /** Returns what becomes of the subscription while its actor is not born; absent for topics that are not one actor. */
  readonly ifUnborn?: () => Sub['ifUnborn'];
  /**
   * Handles a frame.
   *
   * @returns Whether it fits the frames before; if not, the subscription begins anew.
   */
  readonly hear: (frame: TopicFrame) => boolean;
  /** Called when no further frame can follow. */
  readonly ended: (error: ClientError) => void;
}

export interface SubscribedTopicsParts {
  readonly clock: ClientClock;
  readonly isLive: () => boolean;
  /** Returns the reason why no subscription receives frames any more. */
  readonly failure: () => ClientError | undefined;
  /** Called when an observer has failed. */
  readonly failed: Failed;
  readonly transmit: (frame: Sub | { readonly t: 'unsub'; readonly id: string }) => void;
}

export class SubscribedTopics {
  readonly #parts: SubscribedTopicsParts;
  /** The id under which each listener is subscribed; undefined while it is not. */
  readonly #ids = new Map<TopicListener, string | undefined>();
  readonly #byId = new Map<string, TopicListener>();
  #count = 0;

  constructor(parts: SubscribedTopicsParts) {
    this.#parts = parts;
  }

  /** Receives what an observer throws or rejects with. */
  get failed(): Failed {
    return this.#parts.failed;
  }

  open(listener: TopicListener): void {
    const failure = this.#parts.failure();
    if (failure !== undefined) return listener.ended(failure);
    this.#ids.set(listener, undefined);
    if (this.#parts.isLive()) this.#subscribe(listener);
  }

  close(listener: TopicListener): void {
    const id = this.#ids.get(listener);
    this.#ids.delete(listener);
    if (id === undefined || !this.#byId.delete(id)) return;
    if (this.#parts.isLive()) this.#parts.transmit({ t: 'unsub', id });
  }

  up(): void {
    for (const listener of [...this.#ids.keys()]) this.#subscribe(listener);
  }

  down(error: ClientError | undefined): void {
    this.#byId.clear();
    for (const listener of [...this.#ids.keys()]) {
      if (error === undefined) this.#ids.set(listener, undefined);
      else this.#end(listener, error);
    }
  }

  hear(frame: TopicFrame | (ServerFrame & { readonly t: 'end' })): void {
    const listener = this.#byId.get(frame.id);
    if (listener === undefined) return;
    if (frame.t !== 'end') {
      if (!listener.hear(frame)) this.#again(listener);
      return;
    }
    this.#byId.delete(frame.id);
    const error = errorFrom(frame.e);
    if (!error.retryable) return this.#end(listener, error);
    this.#ids.set(listener, undefined);
    this.#parts.clock.setTimeout(
      () => {
        if (this.#ids.has(listener) && this.#ids.get(listener) === undefined && this.#parts.isLive())
          this.#subscribe(listener);
      },
      Number(error.details['retryAfterMs'] ?? RETRY_MS),
    );
  }

  #again(listener: TopicListener): void {
    this.close(listener);
    this.open(listener);
  }

  #end(listener: TopicListener, error: ClientError): void {
    this.#ids.delete(listener);
    listener.ended(error);
  }

  /** Subscribes a listener under a new id each time, since frames of the last subscription may still arrive. */
  #subscribe(listener: TopicListener): void {
    const id = `s${++this.#count}`;
    this.#ids.set(listener, id);
    this.#byId.set(id, listener);
    const { topic, mode } = listener;
    this.#parts.transmit({ t: 'sub', id, topic, mode, from: listener.at(), ifUnborn: listener.ifUnborn?.() });
  }
}
