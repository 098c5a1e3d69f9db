/**
 * The order in which a client's frames leave. All keep to one rate, and each kind gets its turn: calls do not wait
 * until thousands of subscriptions are open, nor these until all calls have been sent.
 */
import { type Rate } from '../gateway/protocol/token-bucket.ts';
import { Pace } from './pace.ts';
import { type ClientClock } from './platform.ts';

/** Frames of one kind that wait to be sent. */
export interface Lane<Item> {
  /** Yields what could be sent now, in order. It changes nothing: not all of it may get its turn. */
  waiting(): Iterable<Item>;
  /** Sends what has got its turn: the first of what `waiting` gave. */
  transmit(items: readonly Item[]): void;
}

/** A look at a lane: what waits in it, and what of that has got its turn. */
interface Round {
  /** Moves to the next item; false if there is none. */
  next(): boolean;
  take(): void;
  transmit(): void;
}

export class Turns {
  readonly #clock: ClientClock;
  readonly #isLive: () => boolean;
  readonly #pace: Pace;
  readonly #lanes: (() => Round)[] = [];
  /** The lane that has the next turn. */
  #first = 0;
  /** Whether the connection has been welcomed, and calls and subscriptions know it. */
  #isUp = false;
  #isPumping = false;
  #isAgain = false;
  #alarm: (() => void) | undefined;

  /**
   * Makes turns without lanes.
   *
   * @param isLive Returns whether frames can be sent now.
   */
  constructor(clock: ClientClock, isLive: () => boolean) {
    this.#clock = clock;
    this.#isLive = isLive;
    this.#pace = new Pace(clock);
  }

  add<Item>(lane: Lane<Item>): void {
    this.#lanes.push(() => roundOf(lane));
  }

  up(rate: Rate): void {
    this.#pace.begin(rate);
    this.#isUp = true;
    this.pump();
  }

  down(): void {
    this.#isUp = false;
    this.#alarm?.();
    this.#alarm = undefined;
  }

  /** Counts a frame that could not wait for a turn. */
  charge(): void {
    this.#pace.charge();
  }

  /** Handles a refusal of the gateway: nothing is sent until that time has passed. */
  refused(retryAfterMs: number): void {
    this.#pace.refused(retryAfterMs);
  }

  /** Sends what waits, as far as the rate allows. */
  pump(): void {
    this.#isAgain = true;
    // Sending may call the user's storage or socket, which may call the client.
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#isAgain && this.#isUp && this.#isLive()) {
      this.#isAgain = false;
      this.#round();
    }
    this.#isPumping = false;
  }

  #round(): void {
    const rounds = this.#lanes.map((round) => round());
    const order = [...rounds.keys()].map((n) => (this.#first + n) % rounds.length);
    for (let index = order.shift(); index !== undefined; index = order.shift()) {
      const round = rounds[index]!;
      if (!round.next()) continue;
      const waitMs = this.#pace.take();
      if (waitMs > 0) {
        this.#first = index;
        this.#later(waitMs);
        break;
      }
      round.take();
      order.push(index);
    }
    for (const round of rounds) round.transmit();
  }

  #later(ms: number): void {
    this.#alarm?.();
    this.#alarm = this.#clock.setTimeout(() => {
      this.#alarm = undefined;
      this.pump();
    }, ms);
  }
}

function roundOf<Item>(lane: Lane<Item>): Round {
  const waiting = lane.waiting()[Symbol.iterator]();
  const taken: Item[] = [];
  let next: IteratorResult<Item>;
  return {
    next: () => {
      next = waiting.next();
      return next.done !== true;
    },
    take: () => void taken.push(next.value as Item),
    transmit: () => {
      if (taken.length > 0) lane.transmit(taken);
    },
  };
}
