/**
 * A view of the whole system as a mirror is fed with it: looked at anew after epochs of any worker, a few times a
 * second at most.
 */
import { createHash } from 'node:crypto';
import { type Cancel, type Clock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { LISTING_HZ } from '../../limits.ts';
import { type WorkerGateways } from './worker-port.ts';
import { type ViewFeed, type ViewSink } from './remote-view.ts';

interface ListingParts {
  readonly gateways: WorkerGateways;
  readonly workers: readonly number[];
  readonly clock: Clock;
  readonly look: () => Promise<unknown>;
}

export class Listing implements ViewFeed {
  readonly #parts: ListingParts;
  readonly #mirror: ViewSink;
  readonly #waits = new Map<number, () => void>();
  #seq = 0;
  #isChanged = true;
  #isLooking = false;
  #pause: Cancel | undefined;
  #isOver = false;

  constructor(parts: ListingParts, mirror: ViewSink) {
    this.#parts = parts;
    this.#mirror = mirror;
    for (const worker of parts.workers) this.#wait(worker);
    void this.#look();
  }

  /** Nobody shares it, so nobody comes later. */
  refresh(): Promise<void> {
    return Promise.resolve();
  }

  stop(): void {
    this.#isOver = true;
    this.#pause?.();
    for (const end of this.#waits.values()) end();
  }

  /** The next epoch is waited for before anything is looked at, so none is missed. */
  #wait(worker: number): void {
    const answer = () => {
      this.#isChanged = true;
      this.#wait(worker);
      void this.#look();
    };
    this.#waits.set(
      worker,
      this.#parts.gateways.begin(worker, 'nextEpoch', [], { answer, reject: (error) => this.#fail(error) }),
    );
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#pause !== undefined || !this.#isChanged || this.#isOver) return;
    this.#isLooking = true;
    this.#isChanged = false;
    try {
      const d = await this.#parts.look();
      const epoch = createHash('sha256').update(JSON.stringify(d)).digest('base64url');
      if (!this.#isOver) this.#mirror.show({ at: { epoch, seq: ++this.#seq }, d });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#isLooking = false;
    this.#pause = this.#parts.clock.setTimeout(() => this.#paused(), 1_000 / LISTING_HZ, { isBackground: true });
  }

  /** With the system the gateway closes, and its clients come back: to them that is no end. */
  #fail(error: unknown): void {
    if (!this.#isOver && !isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) this.#mirror.fail(error);
  }

  #paused(): void {
    this.#pause = undefined;
    void this.#look();
  }
}
