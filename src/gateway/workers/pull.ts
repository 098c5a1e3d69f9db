/**
 * A subscription whose frames are fetched. Between two fetches the reader counts as slow, so waiting frames are
 * conflated or bounded as for any client that does not read.
 */
import { type Caller } from '../callers/callers.ts';
import { Subscriptions, type SubscriptionsHost } from '../topics/subscriptions.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';

export class Pull {
  readonly #house: SubscriptionsHost;
  readonly #subscriptions: Subscriptions;
  #waiting: ServerFrame[] = [];
  /** The fetch under way; undefined if there is none. */
  #reader: ((frames: readonly ServerFrame[]) => void) | undefined;
  /** Callers of `refresh` that wait for the present changes to be sent. */
  #refreshes: (() => void)[] = [];
  #isOver = false;

  constructor(house: SubscriptionsHost) {
    this.#house = house;
    this.#subscriptions = new Subscriptions({
      hub: house,
      send: (frame) => this.#take(frame),
      isSlow: () => this.#reader === undefined,
      isOpen: () => !this.#isOver,
    });
  }

  /** Opens the subscription. Throws, or rejects, as Subscriptions.open does. */
  async begin(caller: Caller, sub: Sub): Promise<void> {
    await this.#subscriptions.open(caller, sub);
  }

  /** The frames since the last fetch, once there are any. One fetch at a time. */
  next(): Promise<readonly ServerFrame[]> {
    return new Promise((resolve) => {
      this.#reader = resolve;
      if (this.#waiting.length > 0) this.#hand();
      else this.#subscriptions.pump();
      if (this.#reader !== undefined) for (const refresh of this.#refreshes.splice(0)) refresh();
    });
  }

  /** Resolves when all present changes have been handed to the fetch, as far as rates allow. */
  async refresh(): Promise<void> {
    if (this.#reader === undefined) await new Promise<void>((resolve) => this.#refreshes.push(resolve));
    this.#subscriptions.pump();
    this.#hand();
    await new Promise<void>((resolve) => this.#house.clock.defer(resolve));
  }

  end(): void {
    this.#isOver = true;
    this.#subscriptions.end();
    for (const refresh of this.#refreshes.splice(0)) refresh();
  }

  #take(frame: ServerFrame): void {
    // Frames of one run of the pump travel together.
    if (this.#waiting.push(frame) === 1) this.#house.clock.defer(() => this.#hand());
  }

  #hand(): void {
    if (this.#reader === undefined || this.#waiting.length === 0) return;
    const [reader, frames] = [this.#reader, this.#waiting];
    this.#reader = undefined;
    this.#waiting = [];
    reader(frames);
  }
}
