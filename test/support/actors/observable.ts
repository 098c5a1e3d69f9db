/** An observable by hand, as fromObservable and fromEventObservable want it. */
import { type Observer, type Subscribable } from 'xstate';

/** @param produce Is given the observer at each subscription; what it returns is called at the end of that. */
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
