/**
 * The promise logic by which a machine asks another actor: `setup({ actors: { ask } })`, then `invoke: { src: 'ask' }`.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { EffectRef } from './ref.ts';

export interface AskInput {
  /** Who is asked: a reference, or an address. */
  readonly to: object | string;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  /** How long to wait for the reply. Default 5,000 ms, at most 24 hours. */
  readonly timeoutMs?: number;
  /** Kernel time until which to wait, in place of `timeoutMs`. */
  readonly deadlineMs?: number;
}

/**
 * Its output is the reply. The request is sent once, whatever the number of starts: its id is the effect id, and a
 * restore waits for the same reply, until the same deadline if that is yet to come. Fails with BOSUN_TIMEOUT
 * (`details.unknownOutcome`), BOSUN_ACTOR_UNKNOWN, BOSUN_ASK_FAILED, BOSUN_MAILBOX_FULL, BOSUN_VALUE_REFUSED. Needs to
 * be run by Bosun.
 */
export const ask: PromiseActorLogic<unknown, AskInput> = fromPromise<unknown, AskInput>(({ input, self }) => {
  const effect: unknown = self;
  if (!(effect instanceof EffectRef)) throw new TypeError('ask needs to be run by Bosun');
  return effect.ask(input);
});
