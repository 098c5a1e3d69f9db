/** Subscriptions of a client, and the two forms in which observers are given. */

import { type ClientError } from './client-error.ts';

/** A subscription that can be ended. */
export interface RemoteSubscription {
  unsubscribe(): void;
  [Symbol.dispose](): void;
}

/** Callbacks of a subscription to a topic. */
export interface TopicWatcher<View> {
  readonly next: (view: View) => void;
  /** Called after a reconnect if the known view is still current. */
  readonly confirmed?: () => void;
  readonly error?: (error: ClientError) => void;
}

interface Observer<Value, Why> {
  readonly next?: ((value: Value) => void) | undefined;
  readonly error?: ((error: Why) => void) | undefined;
}

/** The subscription that a function ends. */
export function endedBy(unsubscribe: () => void): RemoteSubscription {
  return { unsubscribe, [Symbol.dispose]: unsubscribe };
}

/** An observer of which each method is called with its own object. */
export function observerOf<Value, Why>(
  first: Observer<Value, Why> | ((value: Value) => void),
  error: ((error: Why) => void) | undefined,
): Observer<Value, Why> {
  return typeof first === 'function'
    ? { next: first, error }
    : { next: (value) => first.next?.(value), error: (why) => first.error?.(why) };
}
