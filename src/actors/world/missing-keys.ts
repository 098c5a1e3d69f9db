/**
 * Rules for values whose key is missing: an actor that holds one is suspended as it is on disk, and gets no wrong value
 * instead. Rules only; recovery.ts applies them.
 */
import { BosunError } from '../../errors.ts';
import { Concealed } from '../model/ports.ts';
import { type ActorState, type Identity } from '../model/state.ts';

/** Finds a part of an actor's own record that cannot be decrypted. */
export function concealedIn(
  { input }: Identity,
  { context, output, error, isSecret }: ActorState,
): Concealed | undefined {
  // Without lists: a start looks into every actor.
  if (isSecret instanceof Concealed) return isSecret;
  if (input instanceof Concealed) return input;
  if (output instanceof Concealed) return output;
  if (error instanceof Concealed) return error;
  if (context instanceof Concealed) return context;
  if (typeof context !== 'object' || context === null) return undefined;
  for (const key in context) {
    const field = (context as Record<string, unknown>)[key];
    if (field instanceof Concealed) return field;
  }
  return undefined;
}

export function keyMissing(
  { address, agent }: { readonly address: string; readonly agent?: string },
  { key }: Concealed,
): BosunError {
  const what =
    `${address} is encrypted under the secret key ${key}, which was not given: set BOSUN_SECRET_KEY, or ` +
    'BOSUN_SECRET_KEY_PREVIOUS if it was replaced';
  return new BosunError('BOSUN_SECRET_KEY', what, { details: { address, ...(agent !== undefined && { agent }), key } });
}
