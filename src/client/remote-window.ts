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
  readonly error: (error: ClientError) => void;
}) => RemoteSubscription;

/** A window behind a gateway, to be read and watched. */
export class RemoteWindow<Page> {
  readonly #watch: Watch<Page>;
  #page: Page | undefined;

  /** Use `client.window`. */
  constructor(watch: Watch<Page>) {
    this.#watch = watch;
  }

  /** The last known page; undefined before the first. While nobody watches it is not updated. */
  getSnapshot(): Page | undefined {
    return this.#page;
  }

  /** Subscribes to the present page and to each changed one. `error` ends it. */
  subscribe(observer: WindowWatcher<Page> | ((page: Page) => void)): RemoteSubscription {
    const watcher = typeof observer === 'function' ? { next: observer } : observer;
    return this.#watch({
      next: (page) => {
        this.#page = page;
        watcher.next?.(page);
      },
      error: (error) => watcher.error?.(error),
    });
  }
}

/** The topic of a window for its parameters. Values that are no texts are written as JSON. */
export function windowTopic(procedure: string, params: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(
    given.map(([key, value]): [string, string] => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return given.length === 0 ? `window/${procedure}` : `window/${procedure}?${query.toString()}`;
}
