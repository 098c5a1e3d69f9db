/**
 * Work outside that a host does for the crew: a function that returns a promise, as the logic of a named actor. What
 * one of them does not say in time, or says wrongly, counts as not known.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';

/** One question to the world outside. `signal` is aborted when its answer is no longer waited for. */
export type Port<Input, Output> = (input: Input, facts: { readonly signal: AbortSignal }) => Promise<Output>;

/** A port that throws at once fails like one that rejects. */
export function portLogic<Input extends object, Output>(port: Port<Input, Output>): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(({ input, signal }) => new Promise((resolve) => resolve(port(input, { signal }))));
}
