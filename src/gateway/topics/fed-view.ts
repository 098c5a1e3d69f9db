/**
 * The latest version of a view that takes time to read, for all its subscribers: one from another thread, or one that
 * is looked at now and then (listing.ts). It is fed while somebody watches. The death of a worker shows as a pause:
 * once fed again, the view continues where it was.
 */
import { type Clock } from '../../clock.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { patched } from '../protocol/patch.ts';
import { noteStep } from './topic-subscription.ts';
import { type StateTopic, type View, type ViewWatcher } from './topic.ts';

/** The receiver of a feed. */
export interface ViewSink {
  show(view: View): void;
  /** Ends the view with an error. */
  fail(error: unknown): void;
}

export interface ViewFeed {
  stop(): void;
  /**
   * Resolves when all present changes have been shown, so that a client which sends and then subscribes sees the
   * result.
   */
  refresh(): Promise<void>;
}

export interface FedViewParts {
  readonly clock: Clock;
  readonly maxHz: number;
  readonly feed: (mirror: ViewSink) => ViewFeed;
  /** Called when nobody watches any more, or after a failure. */
  readonly over: () => void;
}

export class FedView {
  readonly #parts: FedViewParts;
  readonly #watchers = new Set<ViewWatcher>();
  readonly #ready: Promise<void>;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };
  #feeding: ViewFeed | undefined;
  #view: View | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** Number of callers that have asked for the view and do not watch it yet. */
  #expected = 0;
  #isOver = false;

  constructor(parts: FedViewParts) {
    this.#parts = parts;
    this.#ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Callers of `topic` await it too, and see its rejection.
    this.#ready.catch(() => {});
  }

  /** Resolves when the view has contents. Rejects with the error of the feed. */
  async topic(): Promise<StateTopic> {
    this.#expected += 1;
    const isNew = this.#feeding === undefined;
    if (isNew) this.#begin();
    // By then the caller watches it or has gone.
    const left = () =>
      this.#parts.clock.defer(() => {
        this.#expected -= 1;
        this.#leaveIfAlone();
      });
    const there = isNew ? this.#ready : this.#refreshed();
    there.then(left, left);
    await there;
    return {
      maxHz: this.#parts.maxHz,
      view: () => this.#latest(),
      watch: (changed, ended) => this.#watch({ changed, ended }),
    };
  }

  #begin(): void {
    this.#feeding = this.#parts.feed({ show: (view) => this.#show(view), fail: (error) => this.#fail(error) });
    // The feed may have failed at once.
    if (this.#isOver) this.#feeding.stop();
  }

  async #refreshed(): Promise<void> {
    await this.#ready;
    await this.#feeding?.refresh();
  }

  #latest(): View {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#view!;
  }

  #watch(watcher: ViewWatcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      this.#leaveIfAlone();
    };
  }

  #show(view: View): void {
    this.#view = view;
    this.#settle.resolve();
    for (const watcher of this.#watchers) watcher.changed();
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#settle.reject(error);
    this.#leave();
    for (const watcher of this.#watchers) watcher.ended();
  }

  #leaveIfAlone(): void {
    if (this.#expected === 0 && this.#watchers.size === 0) this.#leave();
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#feeding?.stop();
    this.#parts.over();
  }
}

/** The view after a frame of its subscription; undefined for a frame that changes nothing. */
export function viewAfter(before: View | undefined, frame: ServerFrame): View | undefined {
  if (frame.t === 'snap') return frame.recovered ? undefined : { at: frame.at, d: frame.d };
  if (frame.t !== 'delta' || before === undefined) return undefined;
  const view = { at: frame.at, d: patched(before.d, frame.ops) };
  noteStep(before, view, frame.ops);
  return view;
}
