/** Feeds a view of the whole system: read anew after epochs of any worker, at most a few times a second. */
import { createHash } from 'node:crypto';
import { type Cancel, type Clock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { LISTING_HZ } from '../limits.ts';
import { type WorkerGateways } from './worker-port.ts';
import { WorkerEpochs } from './worker-epochs.ts';
import { type ViewFeed, type ViewSink } from './remote-view.ts';

interface ListingParts {
  readonly gateways: WorkerGateways;
  readonly clock: Clock;
  readonly look: () => Promise<unknown>;
}

export class Listing implements ViewFeed {
  readonly #parts: ListingParts;
  readonly #mirror: ViewSink;
  readonly #epochs: WorkerEpochs;
  #seq = 0;
  #isChanged = true;
  #isLooking = false;
  #pause: Cancel | undefined;
  #isOver = false;

  constructor(parts: ListingParts, mirror: ViewSink) {
    this.#parts = parts;
    this.#mirror = mirror;
    this.#epochs = new WorkerEpochs(parts.gateways, {
      changed: () => {
        this.#isChanged = true;
        void this.#look();
      },
      failed: (error) => this.#fail(error),
    });
    void this.#look();
  }

  /** Does nothing: the view is not shared, so nobody subscribes later. */
  refresh(): Promise<void> {
    return Promise.resolve();
  }

  stop(): void {
    this.#isOver = true;
    this.#pause?.();
    this.#epochs.stop();
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

  /** If the system closes, the gateway closes too and its clients reconnect, so that is no failure of the view. */
  #fail(error: unknown): void {
    if (!this.#isOver && !isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) this.#mirror.fail(error);
  }

  #paused(): void {
    this.#pause = undefined;
    void this.#look();
  }
}
