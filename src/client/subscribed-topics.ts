/**
 * The subscriptions of a client over all its connections: each is reopened where it left off, receives frames, and is
 * ended with the reason when nothing can follow. They are sent in turns with the calls, and no more of them than the
 * gateway allows one connection.
 */
import type { ServerFrame, Sub, Welcome } from '../gateway/protocol/frames.ts';
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { BACKOFF_MAX_MS, RETRY_MS, SUBSCRIPTIONS_UNANSWERED_MAX } from './bounds.ts';
import { ClientError, errorFrom } from './client-error.ts';
import { type ClientClock, type Failed } from './platform.ts';
import { retryDelayMs } from './time-limit.ts';
import { type Turns } from './turns.ts';

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
  readonly turns: Turns;
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
  /** Listeners to be subscribed: those that came since the connection is up, and those from before. */
  readonly #fresh = new Set<TopicListener>();
  readonly #resumed = new Set<TopicListener>();
  #isResumedNext = false;
  /** Ids of subscriptions that were sent and not answered. */
  readonly #unanswered = new Set<string>();
  /** Ids of subscriptions to be ended. They count at the gateway until then. */
  readonly #unsubs = new Set<string>();
  /** How often in a row each listener was refused for now. */
  readonly #refusals = new WeakMap<TopicListener, number>();
  #max = Infinity;
  #count = 0;

  constructor(parts: SubscribedTopicsParts) {
    this.#parts = parts;
    parts.turns.add<TopicListener>({
      waiting: () => this.#ready(),
      transmit: (listeners) => {
        for (const listener of listeners)
          if (this.#ids.has(listener) && this.#ids.get(listener) === undefined) this.#subscribe(listener);
      },
    });
    parts.turns.add<string>({
      waiting: () => this.#unsubs,
      transmit: (ids) => {
        for (const id of ids) if (this.#unsubs.delete(id)) parts.transmit({ t: 'unsub', id });
      },
    });
  }

  /** Receives what an observer throws or rejects with. */
  get failed(): Failed {
    return this.#parts.failed;
  }

  open(listener: TopicListener): void {
    const failure = this.#parts.failure() ?? (this.#ids.size >= this.#max ? this.#full() : undefined);
    if (failure !== undefined) return listener.ended(failure);
    this.#ids.set(listener, undefined);
    this.#fresh.add(listener);
    this.#parts.turns.pump();
  }

  close(listener: TopicListener): void {
    const id = this.#ids.get(listener);
    this.#ids.delete(listener);
    this.#fresh.delete(listener);
    this.#resumed.delete(listener);
    if (id === undefined || !this.#byId.delete(id)) return;
    this.#unanswered.delete(id);
    this.#unsubs.add(id);
    this.#parts.turns.pump();
  }

  /** Has all be subscribed. Those beyond what the gateway allows end, the newest first to go. */
  up({ limits }: Welcome): void {
    this.#max = limits.subscriptions;
    const listeners = [...this.#ids.keys()];
    this.#fresh.clear();
    for (const listener of listeners.slice(0, this.#max)) this.#resumed.add(listener);
    for (const listener of listeners.slice(this.#max)) if (this.#ids.has(listener)) this.#end(listener, this.#full());
  }

  down(error: ClientError | undefined): void {
    this.#byId.clear();
    this.#unanswered.clear();
    this.#unsubs.clear();
    this.#resumed.clear();
    for (const listener of [...this.#ids.keys()]) {
      if (error === undefined) this.#ids.set(listener, undefined);
      else this.#end(listener, error);
    }
  }

  hear(frame: TopicFrame | (ServerFrame & { readonly t: 'end' })): void {
    if (this.#unanswered.delete(frame.id)) this.#answered(frame);
    else this.#take(frame);
  }

  #answered(frame: TopicFrame | (ServerFrame & { readonly t: 'end' })): void {
    this.#take(frame);
    this.#parts.turns.pump();
  }

  #take(frame: TopicFrame | (ServerFrame & { readonly t: 'end' })): void {
    const listener = this.#byId.get(frame.id);
    if (listener === undefined) return;
    if (frame.t !== 'end') {
      this.#refusals.delete(listener);
      if (!listener.hear(frame)) this.#again(listener);
      return;
    }
    this.#byId.delete(frame.id);
    const error = errorFrom(frame.e);
    if (!error.retryable) return this.#end(listener, error);
    this.#ids.set(listener, undefined);
    this.#retry(listener, error);
  }

  /** Subscribes a listener later that was refused for now: each time in a row after twice as long. */
  #retry(listener: TopicListener, error: ClientError): void {
    const { clock, turns } = this.#parts;
    const isPaced = error.code === 'BOSUN_RATE_LIMITED';
    const tries = isPaced ? 0 : (this.#refusals.get(listener) ?? 0);
    const retryAfterMs = retryDelayMs(error, RETRY_MS);
    // The rate is that of all frames, which take turns; any other refusal is one of this topic.
    if (isPaced) turns.refused(retryAfterMs);
    else this.#refusals.set(listener, tries + 1);
    clock.setTimeout(
      () => {
        if (!this.#ids.has(listener) || this.#ids.get(listener) !== undefined) return;
        this.#fresh.add(listener);
        turns.pump();
      },
      Math.max(retryAfterMs, Math.min(BACKOFF_MAX_MS, retryAfterMs * 2 ** tries)),
    );
  }

  #again(listener: TopicListener): void {
    this.close(listener);
    this.open(listener);
  }

  #end(listener: TopicListener, error: ClientError): void {
    this.#ids.delete(listener);
    this.#fresh.delete(listener);
    listener.ended(error);
  }

  #full(): ClientError {
    return new ClientError(
      'BOSUN_GATEWAY_FULL',
      `${this.#max} subscriptions are open, the most that the gateway allows a connection`,
      { retryable: true },
    );
  }

  /** The listeners that the gateway would subscribe now: the two kinds by turns, each in order. */
  *#ready(): Generator<TopicListener> {
    let room = Math.min(
      SUBSCRIPTIONS_UNANSWERED_MAX - this.#unanswered.size,
      this.#max - this.#byId.size - this.#unsubs.size,
    );
    const kinds = [this.#fresh.values(), this.#resumed.values()];
    if (this.#isResumedNext) kinds.reverse();
    for (let kind = kinds.shift(); kind !== undefined && room > 0; kind = kinds.shift()) {
      const { done, value } = kind.next();
      if (done === true) continue;
      kinds.push(kind);
      room -= 1;
      yield value;
    }
  }

  /** Subscribes a listener under a new id each time, since frames of the last subscription may still arrive. */
  #subscribe(listener: TopicListener): void {
    const id = `s${++this.#count}`;
    this.#isResumedNext = this.#fresh.delete(listener);
    this.#resumed.delete(listener);
    this.#ids.set(listener, id);
    this.#byId.set(id, listener);
    this.#unanswered.add(id);
    const { topic, mode } = listener;
    this.#parts.transmit({ t: 'sub', id, topic, mode, from: listener.at(), ifUnborn: listener.ifUnborn?.() });
  }
}
