/** Feeds a view that has no version of its own: read anew after changes of its source, at most a few times a second. */
import { createHash } from 'node:crypto';
import { type Cancel, type Clock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { type Looks, UNCOUNTED } from '../callers/looks.ts';
import { LISTING_HZ } from '../limits.ts';
import { type ViewFeed, type ViewSink } from './fed-view.ts';

/** Receives the changes of what a listing is read from. */
export interface ChangeListener {
  changed(): void;
  failed(error: unknown): void;
}

interface ListingParts {
  readonly clock: Clock;
  readonly look: () => Promise<unknown>;
  /** Watches for changes until the function that it returns is called. */
  readonly watch: (listener: ChangeListener) => () => void;
  /** Milliseconds after which the view is read without a change. Default: never. */
  readonly everyMs?: number | undefined;
  /** The budget of the caller: a view that has overdrawn it is read later. Default: none. */
  readonly looks?: Pick<Looks, 'owesMs'> | undefined;
}

export class Listing implements ViewFeed {
  readonly #parts: ListingParts;
  readonly #mirror: ViewSink;
  readonly #unwatch: () => void;
  #seq = 0;
  #isChanged = true;
  #isLooking = false;
  #pause: Cancel | undefined;
  #stale: Cancel | undefined;
  #isOver = false;

  constructor(parts: ListingParts, mirror: ViewSink) {
    this.#parts = parts;
    this.#mirror = mirror;
    this.#unwatch = parts.watch({ changed: () => this.#changed(), failed: (error) => this.#fail(error) });
    void this.#look();
  }

  /** Does nothing: the view is not shared, so nobody subscribes later. */
  refresh(): Promise<void> {
    return Promise.resolve();
  }

  stop(): void {
    this.#isOver = true;
    this.#pause?.();
    this.#stale?.();
    this.#unwatch();
  }

  #changed(): void {
    this.#isChanged = true;
    void this.#look();
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#pause !== undefined || !this.#isChanged || this.#isOver) return;
    const { looks = UNCOUNTED } = this.#parts;
    const owesMs = this.#seq === 0 ? 0 : looks.owesMs();
    if (owesMs > 0) return this.#rest(owesMs);
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
    if (this.#isOver) return;
    const { clock, everyMs } = this.#parts;
    this.#rest(1_000 / LISTING_HZ);
    this.#stale?.();
    if (everyMs !== undefined) this.#stale = clock.setTimeout(() => this.#changed(), everyMs, { isBackground: true });
  }

  /** If the system closes, the gateway closes too and its clients reconnect, so that is no failure of the view. */
  #fail(error: unknown): void {
    if (!this.#isOver && !isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) this.#mirror.fail(error);
  }

  #rest(ms: number): void {
    this.#pause = this.#parts.clock.setTimeout(
      () => {
        this.#pause = undefined;
        void this.#look();
      },
      ms,
      { isBackground: true },
    );
  }
}
