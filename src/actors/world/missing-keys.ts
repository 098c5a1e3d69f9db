/**
 * What to do about values whose key is missing: whoever holds one is suspended as it is on disk, and gets no wrong
 * value in its place. Rules only; recovery.ts applies them.
 */
import { BosunError } from '../../errors.ts';
import { Concealed } from '../model/ports.ts';
import { type ActorState, type Identity } from '../model/state.ts';

/** Something of an actor's own record that cannot be read. */
export function concealedIn(
  { input }: Identity,
  { context, output, error, isSecret }: ActorState,
): Concealed | undefined {
  const fields =
    typeof context === 'object' && context !== null && !(context instanceof Concealed)
      ? Object.values(context)
      : [context];
  return [isSecret, input, output, error, ...fields].find((value) => value instanceof Concealed);
}

export function keyMissing(
  { address, agent }: { readonly address: string; readonly agent?: string },
  { key }: Concealed,
): BosunError {
  const what =
    `${address} is encrypted under the secret key ${key}, which was not given: set BOSUN_SECRET_KEY, or ` +
    'BOSUN_SECRET_KEY_PREVIOUS where it was replaced';
  return new BosunError('BOSUN_SECRET_KEY', what, { details: { address, ...(agent !== undefined && { agent }), key } });
}
