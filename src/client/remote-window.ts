/** A window behind a gateway: a page of it, kept current while somebody watches (topic `window/{procedure}`). */
import { type ClientError } from './client-error.ts';
import { type RemoteSubscription } from './remote-actor.ts';

/** An observer of a window. */
export interface WindowWatcher<Page> {
  readonly next?: ((page: Page) => void) | undefined;
  /** Called when no further page can follow. */
  readonly error?: ((error: ClientError) => void) | undefined;
}

type Watch<Page> = (watcher: {
  readonly next: (page: Page) => void;
  readonly confirmed: () => void;
  readonly error: (error: ClientError) => void;
}) => RemoteSubscription;

/** A window behind a gateway, to be read and watched. */
export class RemoteWindow<Page> {
  readonly #watch: Watch<Page>;
  #page: Page | undefined;
  /** Whether the page has arrived, or was confirmed, since the first watcher came. */
  #isFresh = false;
  #watchers = new Set<WindowWatcher<Page>>();
  #topic: RemoteSubscription | undefined;

  /** Use `client.window`. */
  constructor(watch: Watch<Page>) {
    this.#watch = watch;
  }

  /** The last known page; undefined before the first. While nobody watches it is not updated. */
  getSnapshot(): Page | undefined {
    return this.#page;
  }

  /** Subscribes to the present page and to each changed one. `error` ends it. */
  subscribe(observer: WindowWatcher<Page>): RemoteSubscription;
  subscribe(next: (page: Page) => void, error?: (error: ClientError) => void): RemoteSubscription;
  subscribe(
    first: WindowWatcher<Page> | ((page: Page) => void),
    error?: (error: ClientError) => void,
  ): RemoteSubscription {
    // A copy, since the same observer may be passed twice.
    const watcher: WindowWatcher<Page> =
      typeof first === 'function'
        ? { next: first, error }
        : { next: (page) => first.next?.(page), error: (why) => first.error?.(why) };
    this.#watchers.add(watcher);
    if (this.#topic === undefined) this.#open();
    else if (this.#isFresh) watcher.next?.(this.#page!);
    const unsubscribe = () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#close();
    };
    return { unsubscribe, [Symbol.dispose]: unsubscribe };
  }

  #open(): void {
    this.#topic = this.#watch({
      next: (page) => this.#show(page),
      confirmed: () => {
        this.#isFresh = true;
      },
      error: (error) => this.#end(error),
    });
  }

  #close(): void {
    this.#isFresh = false;
    this.#topic?.unsubscribe();
    this.#topic = undefined;
  }

  #show(page: Page): void {
    this.#page = page;
    this.#isFresh = true;
    for (const { next } of [...this.#watchers]) next?.(page);
  }

  #end(error: ClientError): void {
    const watchers = [...this.#watchers];
    this.#watchers = new Set();
    this.#close();
    for (const { error: tell } of watchers) tell?.(error);
  }
}

/** The topic of a window. Values that are neither text nor number nor truth value are written as JSON. */
export function windowTopic(procedure: string, params: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(
    given.map(([key, value]): [string, string] => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return given.length === 0 ? `window/${procedure}` : `window/${procedure}?${query.toString()}`;
}
