/** The subscriptions of one connection, and the order in which they send. */
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { SUBSCRIPTIONS_MAX } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type Looks } from '../callers/looks.ts';
import { type Scheduler } from './scheduler.ts';
import { type SubscriptionMaker, type TopicFinder, type TopicSubscription } from './topic-subscription.ts';
import { type Counters } from '../health/counters.ts';
import { invalid } from '../callers/wire-errors.ts';

/** The parts that all connections share. */
export interface SubscriptionsHost {
  readonly topics: TopicFinder;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly counters: Counters;
  looksOf(caller: Caller): Looks;
}

export interface SubscriptionsParts {
  readonly hub: SubscriptionsHost;
  /** Sends a frame. `isMore`: another one follows at once. */
  readonly send: (frame: ServerFrame, isMore?: boolean) => void;
  readonly isSlow: () => boolean;
  readonly isOpen: () => boolean;
}

export class Subscriptions {
  readonly #parts: SubscriptionsParts;
  readonly #open = new Map<string, TopicSubscription>();
  /** Subscriptions whose topics are being looked up, by id. */
  readonly #awaited = new Map<string, object>();
  /** Ids of subscriptions that may have something to send: the cost of a change must not grow with all the others. */
  readonly #due = new Set<string>();
  #isAwake = false;
  #alarm: Cancel | undefined;
  #isOver = false;
  readonly #woken = () => {
    this.#isAwake = false;
    this.pump();
  };

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  /**
   * Opens a subscription; returns a promise if that takes time. Throws, or rejects with, BOSUN_CALL_INVALID,
   * BOSUN_GATEWAY_FULL, and the errors of {@link TopicFinder}.
   */
  open(caller: Caller, sub: Sub): void | Promise<void> {
    const { id } = sub;
    if (this.#open.has(id) || this.#awaited.has(id)) throw invalid('a subscription with this id is open');
    if (this.#open.size + this.#awaited.size >= SUBSCRIPTIONS_MAX)
      throw new BosunError('BOSUN_GATEWAY_FULL', `${SUBSCRIPTIONS_MAX} subscriptions are open, the most allowed`);
    const looks = this.#parts.hub.looksOf(caller);
    const found = this.#parts.hub.topics.find(caller, sub, looks);
    return found instanceof Promise ? this.#await(found, looks, sub) : this.#begin(found, looks, sub);
  }

  async #await(found: Promise<SubscriptionMaker>, looks: Looks, sub: Sub): Promise<void> {
    const token = {};
    this.#awaited.set(sub.id, token);
    try {
      const opening = await found;
      // The subscription may have been closed meanwhile, and another one opened under its id.
      if (this.#awaited.get(sub.id) === token) this.#begin(opening, looks, sub);
      else opening({ id: sub.id, maxHz: Infinity, looks, wake: () => {} }).stop();
    } catch (error) {
      if (this.#awaited.get(sub.id) === token) throw error;
    } finally {
      if (this.#awaited.get(sub.id) === token) this.#awaited.delete(sub.id);
    }
  }

  #begin(opening: SubscriptionMaker, looks: Looks, { id, from, maxHz = Infinity }: Sub): void {
    const { hub, send } = this.#parts;
    const subscription = opening({ id, maxHz, looks, wake: () => this.#wake(id) });
    const first = subscription.begin(from);
    this.#open.set(id, subscription);
    hub.counters.add('subscriptions');
    send(first);
    this.#wake(id);
  }

  close(id: string): void {
    this.#awaited.delete(id);
    this.#due.delete(id);
    this.#open.get(id)?.stop();
    this.#open.delete(id);
  }

  end(): void {
    this.#isOver = true;
    this.#alarm?.();
    this.#awaited.clear();
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  /** Sends pending frames until the client is slow. */
  pump(): void {
    if (this.#isOver || !this.#parts.isOpen()) return;
    this.#alarm?.();
    this.#alarm = undefined;
    const { clock } = this.#parts.hub;
    const nowMs = clock.monotonicMs();
    for (const id of [...this.#due]) {
      const subscription = this.#open.get(id);
      if (subscription === undefined) continue;
      if (this.#parts.isSlow()) {
        subscription.delay?.();
        continue;
      }
      const frames = subscription.next(nowMs);
      frames.forEach((frame, index) => this.#parts.send(frame, index < frames.length - 1));
      if (frames.at(-1)?.t === 'end') this.close(id);
      else if (subscription.dueMs === undefined) this.#due.delete(id);
    }
    // A slow client is resumed when it has caught up.
    if (!this.#parts.isSlow()) this.#goOn(nowMs);
  }

  #goOn(nowMs: number): void {
    let atMs = Infinity;
    for (const id of this.#due) atMs = Math.min(atMs, this.#open.get(id)?.dueMs ?? Infinity);
    if (atMs === Infinity || this.#isOver) return;
    const waitMs = atMs - nowMs;
    if (waitMs <= 0) this.#later();
    else this.#alarm = this.#parts.hub.clock.setTimeout(() => this.pump(), waitMs, { isBackground: true });
  }

  #wake(id: string): void {
    this.#due.add(id);
    this.#later();
  }

  #later(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#parts.hub.scheduler.later(this.#woken);
  }
}
