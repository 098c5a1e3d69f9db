/**
 * Makes callbacks and observables anew from the user's functions, so that a promise which one of those gives is not
 * forgotten: its rejection fails the effect, or is logged once the effect is over. Promises, reducers and custom logic
 * stay as they are: their promises are awaited, admitted, or seen by the engine.
 */
import { type AnyActorLogic, type EventObject, fromCallback, fromEventObservable, fromObservable } from 'xstate';
import { disownParts, due, isThenable, watch } from '../../user-code.ts';
import { EffectRef } from '../model/ref.ts';

type Configured = AnyActorLogic & { readonly config?: unknown };

interface Given {
  readonly self: object;
}

interface CallbackGiven extends Given {
  readonly receive: (listen: (event: EventObject) => void) => void;
}

interface Observable {
  subscribe(...observer: unknown[]): unknown;
}

/** The logic with the user's functions watched. */
export function watchedLogic(logic: AnyActorLogic, name: string): AnyActorLogic {
  const { config } = logic as Configured;
  const make = typeof config === 'function' ? MAKERS.get(String(logic.transition)) : undefined;
  return make === undefined ? logic : make(config as UserFunction, name);
}

type UserFunction = (given: Given) => unknown;
type Make = (config: UserFunction, name: string) => AnyActorLogic;

const observing = (config: UserFunction, name: string) => (given: Given) =>
  watchedObservable(due(config(given), `the observable ${name}`), given.self, name) as never;

/** XState does not record the kind of a logic; objects of one creator share the text of their `transition`. */
const MAKERS: ReadonlyMap<string, Make> = new Map<string, Make>([
  [
    String(fromCallback(() => {}).transition),
    (config) => fromCallback((given) => watchedCallback(config, given as never) as never),
  ],
  [String(fromObservable(nothing).transition), (config, name) => fromObservable(observing(config, name) as never)],
  [
    String(fromEventObservable(nothing).transition),
    (config, name) => fromEventObservable(observing(config, name) as never),
  ],
]);

function nothing(): { subscribe: () => { unsubscribe: () => void } } {
  return { subscribe: () => ({ unsubscribe() {} }) };
}

/** Calls a callback. Returns its cleanup, if it gives one. */
function watchedCallback(callback: UserFunction, given: CallbackGiven): (() => void) | undefined {
  const failed = (thrown: unknown) => fail(given.self, thrown);
  const receive = (listen: (event: EventObject) => unknown) =>
    given.receive((event) => watch(() => listen(event), failed));
  const cleanup = callback({ ...given, receive } as Given);
  if (typeof cleanup === 'function' && !isThenable(cleanup)) return () => watch(cleanup as () => unknown, failed);
  watch(() => cleanup, failed);
  return undefined;
}

function watchedObservable(observable: unknown, self: object, name: string): unknown {
  if (typeof observable !== 'object' || observable === null) return observable;
  return {
    subscribe: (...observer: unknown[]) => {
      disownParts(observable);
      const subscription = due((observable as Observable).subscribe(...observer), `the subscription of ${name}`);
      if (typeof subscription !== 'object' || subscription === null) return subscription;
      disownParts(subscription);
      const unsubscribe = () => (subscription as { unsubscribe: () => unknown }).unsubscribe();
      return { unsubscribe: () => watch(unsubscribe, (thrown) => fail(self, thrown)) };
    },
  };
}

function fail(self: object, thrown: unknown): void {
  if (self instanceof EffectRef) self.failed(thrown);
}
