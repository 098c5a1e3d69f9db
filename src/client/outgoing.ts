/**
 * What a call carries, copied and looked over before it is taken: the gateway closes the line over what is no frame,
 * and a send that is repeated would do so again and again.
 */
import { flawOf } from '../gateway/protocol/values.ts';
import { PARAMS_BYTES_MAX, PARAMS_DEPTH_MAX, PARAMS_VALUES_MAX } from './bounds.ts';
import { ClientError } from './client-error.ts';

/** As JSON has it; later changes of what was given change nothing. Throws BOSUN_VALUE_REFUSED. */
export function copied(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = textOf(params);
  const copy = JSON.parse(text) as Record<string, unknown>;
  const flaw =
    flawOf(copy, { depthMax: PARAMS_DEPTH_MAX, valuesMax: PARAMS_VALUES_MAX }) ??
    (new TextEncoder().encode(text).length > PARAMS_BYTES_MAX ? `more than ${PARAMS_BYTES_MAX} bytes` : undefined);
  if (flaw !== undefined) throw refused(flaw);
  return copy;
}

function textOf(params: unknown): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    throw refused(`what JSON cannot say (${(error as Error).message})`);
  }
}

function refused(flaw: string): ClientError {
  return new ClientError('BOSUN_VALUE_REFUSED', `the call holds ${flaw}`);
}
