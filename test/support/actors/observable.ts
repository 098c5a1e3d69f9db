/** An observable controlled by a test, for fromObservable and fromEventObservable. */
import { type Observer, type Subscribable } from 'xstate';

/** @param produce Called with the observer at each subscription; its result is called when the subscription ends. */
export function observable<T>(
  produce: (observer: Required<Pick<Observer<T>, 'next' | 'error' | 'complete'>>) => (() => void) | void,
): Subscribable<T> {
  return {
    subscribe(observer: Observer<T>) {
      const end = produce({
        next: (value) => observer.next?.(value),
        error: (error) => observer.error?.(error),
        complete: () => observer.complete?.(),
      });
      return { unsubscribe: () => end?.() };
    },
  } as Subscribable<T>;
}
