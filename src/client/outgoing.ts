/**
 * Copies and checks the parameters of calls before they are queued: the gateway closes the connection over an invalid
 * frame, and a repeated send would cause that again and again.
 */
import { flawOf } from '../gateway/protocol/values.ts';
import { PARAMS_BYTES_MAX, PARAMS_DEPTH_MAX, PARAMS_VALUES_MAX } from './bounds.ts';
import { ClientError } from './client-error.ts';
import { messageOf } from '../errors.ts';

/** A copy as JSON, which later changes of the original do not affect. Throws BOSUN_VALUE_REFUSED. */
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
    return JSON.stringify(params, finite);
  } catch (error) {
    throw refused(`what JSON cannot say (${messageOf(error)})`);
  }
}

/** Refuses NaN and Infinity, which JSON would turn into null. */
function finite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} at ${key}`);
  return value;
}

function refused(flaw: string): ClientError {
  return new ClientError('BOSUN_VALUE_REFUSED', `the call holds ${flaw}`);
}
