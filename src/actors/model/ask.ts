/**
 * The promise logic by which a machine asks another actor: `setup({ actors: { ask } })`, then `invoke: { src: 'ask' }`.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { EffectRef } from './ref.ts';

/** The input of `ask`. */
export interface AskInput {
  /** The receiver: a reference, or an address. */
  readonly to: object | string;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  /** Milliseconds to wait for the reply. Default 5,000, at most 24 hours. */
  readonly timeoutMs?: number;
  /** Kernel time until which to wait, in place of `timeoutMs`. */
  readonly deadlineMs?: number;
}

/**
 * Asks another actor; its output is the reply. The request is sent once, however often the effect is started: its id is
 * the effect id, and a restored effect waits for the same reply, until the same deadline if that has not passed. Fails
 * with BOSUN_TIMEOUT (`details.unknownOutcome`), BOSUN_ACTOR_UNKNOWN, BOSUN_ASK_FAILED, BOSUN_MAILBOX_FULL,
 * BOSUN_VALUE_REFUSED, and at once with the reason why the receiver is suspended. Works only in a machine run by Bosun.
 */
export const ask: PromiseActorLogic<unknown, AskInput> = fromPromise<unknown, AskInput>(({ input, self }) => {
  const effect: unknown = self;
  if (!(effect instanceof EffectRef)) throw new TypeError('ask works only in a machine run by Bosun');
  return effect.ask(input);
});
