/** The subscriptions of one connection, and when each gets its turn. */
import { type Cancel } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { SUBSCRIPTIONS_MAX } from '../limits.ts';
import { type Caller } from './callers.ts';
import type { Hub } from './hub.ts';
import { type ServerFrame, type Sub } from './protocol-frames.ts';
import { EventsSubscription, StateSubscription, type Subscription, type SubscriptionParts } from './subscriptions.ts';
import { TurnSubscription } from './turn-subscription.ts';
import { invalid } from './wire-errors.ts';

export interface FeedsParts {
  readonly hub: Hub;
  /** `isMore`: another one follows at once. */
  readonly send: (frame: ServerFrame, isMore?: boolean) => void;
  readonly isSlow: () => boolean;
  readonly isOpen: () => boolean;
}

export class Feeds {
  readonly #parts: FeedsParts;
  readonly #open = new Map<string, Subscription>();
  #isAwake = false;
  #alarm: Cancel | undefined;
  #isOver = false;
  readonly #woken = () => {
    this.#isAwake = false;
    this.pump();
  };

  constructor(parts: FeedsParts) {
    this.#parts = parts;
  }

  /** Throws BOSUN_CALL_INVALID, BOSUN_GATEWAY_FULL, BOSUN_FORBIDDEN, BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID. */
  open(caller: Caller, sub: Sub): void {
    const { hub, send } = this.#parts;
    const { id, from, maxHz = Infinity } = sub;
    if (this.#open.has(id)) throw invalid('a subscription of this id is open');
    if (this.#open.size >= SUBSCRIPTIONS_MAX) throw new BosunError('BOSUN_GATEWAY_FULL', `${SUBSCRIPTIONS_MAX} subscriptions are open`);
    const topic = hub.topics.find(caller, sub);
    const parts = { id, maxHz, wake: () => this.#wake() };
    const subscription = subscriptionTo(topic, { hub, parts });
    const first = subscription.begin(from);
    this.#open.set(id, subscription);
    hub.tallies.add('subscriptions');
    send(first);
    this.#wake();
  }

  close(id: string): void {
    this.#open.get(id)?.stop();
    this.#open.delete(id);
  }

  end(): void {
    this.#isOver = true;
    this.#alarm?.();
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  /** Sends what there is to send, as far as the client takes it. */
  pump(): void {
    if (this.#isOver || !this.#parts.isOpen()) return;
    this.#alarm?.();
    this.#alarm = undefined;
    const { clock } = this.#parts.hub;
    const nowMs = clock.monotonicMs();
    for (const [id, subscription] of this.#open) {
      if (this.#parts.isSlow()) {
        if (subscription instanceof StateSubscription) subscription.delay();
        continue;
      }
      const frames = subscription.next(nowMs);
      frames.forEach((frame, index) => this.#parts.send(frame, index < frames.length - 1));
      if (frames.at(-1)?.t === 'end') this.close(id);
    }
    // Whoever is slow comes back when it is well.
    if (!this.#parts.isSlow()) this.#goOn(nowMs);
  }

  #goOn(nowMs: number): void {
    let atMs = Infinity;
    for (const { dueMs = Infinity } of this.#open.values()) atMs = Math.min(atMs, dueMs);
    if (atMs === Infinity || this.#isOver) return;
    const waitMs = atMs - nowMs;
    if (waitMs <= 0) this.#wake();
    else this.#alarm = this.#parts.hub.clock.setTimeout(() => this.pump(), waitMs, { isBackground: true });
  }

  #wake(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#parts.hub.pumps.later(this.#woken);
  }
}

function subscriptionTo(topic: ReturnType<Hub['topics']['find']>, { hub, parts }: { hub: Hub; parts: SubscriptionParts }): Subscription {
  switch (topic.mode) {
    case 'state':
      return new StateSubscription(topic, parts);
    case 'events':
      return new EventsSubscription(topic, hub.events, parts);
    case 'turns':
      return new TurnSubscription(topic, parts);
  }
}
