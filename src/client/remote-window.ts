/** A window behind a gateway: a page of it, kept current while somebody watches (topic `window/{procedure}`). */
import { type ClientError } from './client-error.ts';
import { observerOf, type RemoteSubscription, type TopicWatcher } from './observers.ts';

/** An observer of a window. */
export interface WindowWatcher<Page> {
  readonly next?: ((page: Page) => void) | undefined;
  /** Called when no further page can follow. */
  readonly error?: ((error: ClientError) => void) | undefined;
}

/** A window behind a gateway, to be read and watched. */
export class RemoteWindow<Page> {
  readonly #watch: (watcher: TopicWatcher<Page>) => RemoteSubscription;
  #page: Page | undefined;

  /** Use `client.window`. */
  constructor(watch: (watcher: TopicWatcher<Page>) => RemoteSubscription) {
    this.#watch = watch;
  }

  /** The last known page; undefined before the first. While nobody watches it is not updated. */
  getSnapshot(): Page | undefined {
    return this.#page;
  }

  /**
   * Subscribes to the present page and to each changed one; after a break it continues. `error` ends it. Each
   * subscription is one of its own at the gateway.
   */
  subscribe(observer: WindowWatcher<Page>): RemoteSubscription;
  subscribe(next: (page: Page) => void, error?: (error: ClientError) => void): RemoteSubscription;
  subscribe(
    first: WindowWatcher<Page> | ((page: Page) => void),
    error?: (error: ClientError) => void,
  ): RemoteSubscription {
    const told = observerOf(first, error);
    const next = (page: Page) => {
      this.#page = page;
      return told.next?.(page);
    };
    return this.#watch({ next, error: (why) => told.error?.(why) });
  }
}

/** The topic of a window. Values that are not text are written as JSON. */
export function windowTopic(procedure: string, params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params))
    if (value !== undefined) query.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  return `window/${procedure}?${query.toString()}`;
}
