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

/** The contents that were read: as JSON, and their value, which is read where they have changed. */
export interface Contents {
  readonly text: string;
  readonly value: unknown;
}

interface ListingParts {
  readonly clock: Clock;
  readonly look: () => Promise<Contents>;
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
  /** The contents that were shown last, as JSON. */
  #shown: string | undefined;
  /** Resolve what waits for a reading that has not begun. */
  #waiting: (() => void)[] = [];
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

  /** Resolves after a reading that begins from now on, at once if none is under way, and for all that wait. */
  refresh(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const read = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#pause?.();
    this.#pause = undefined;
    this.#changed();
    return read;
  }

  stop(): void {
    this.#isOver = true;
    this.#pause?.();
    this.#stale?.();
    this.#unwatch();
    this.#settle(this.#waiting);
  }

  #settle(waiting: readonly (() => void)[]): void {
    for (const resolve of waiting) resolve();
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
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#show(await this.#parts.look());
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#settle(waiting);
    }
    this.#isLooking = false;
    if (this.#isOver) return;
    const { clock, everyMs } = this.#parts;
    this.#stale?.();
    if (everyMs !== undefined) this.#stale = clock.setTimeout(() => this.#changed(), everyMs, { isBackground: true });
    if (this.#waiting.length > 0) void this.#look();
    else this.#rest(1_000 / LISTING_HZ);
  }

  /** Shows what was read, unless it is what is shown: then its watchers go on from one and the same view. */
  #show(contents: Contents): void {
    const { text } = contents;
    if (this.#isOver || text === this.#shown) return;
    this.#shown = text;
    const epoch = createHash('sha256').update(text).digest('base64url');
    this.#mirror.show({ at: { epoch, seq: ++this.#seq }, d: contents.value });
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
