/**
 * Calls of functions and schemas that a host gives its gateway. Whatever they throw, and whatever they give instead of
 * what is due, becomes BOSUN_HOST_FAILED: clients hear which of them failed, and only the log says why.
 */
import { type z } from 'zod';
import { causeOf } from '../../actors/model/thrown.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { disown, due, handled } from '../../user-code.ts';
import { readBy } from '../../user-schema.ts';
import { JsonAnswer } from './json-answer.ts';

/** The error of something that the host has given. `place` names it: `the selector "isOdd" of counter, at visits,`. */
export function hostFailed(place: string, thrown: unknown): BosunError {
  // It may be a promise itself, or hold some.
  disown(thrown);
  return new BosunError('BOSUN_HOST_FAILED', `${place} failed`, { cause: causeOf(thrown), details: { place } });
}

/**
 * Calls a function of the host that owes a value, or looks at what it has given.
 *
 * @throws BOSUN_HOST_FAILED if it throws, or gives a promise.
 */
export function owed<T>(place: string, call: () => T): T {
  try {
    return due(call(), place);
  } catch (thrown) {
    throw hostFailed(place, thrown);
  }
}

/**
 * Calls a function of the host that may refuse: a BosunError that it throws is for the caller of the gateway.
 *
 * @throws BOSUN_HOST_FAILED if it throws anything else, or gives a promise.
 */
export function owedOrRefused<T>(place: string, call: () => T): T {
  let given: T;
  try {
    given = call();
  } catch (thrown) {
    throw isBosunError(thrown) ? thrown : hostFailed(place, thrown);
  }
  return owed(place, () => given);
}

/** Like `owedOrRefused`, for a function that may be asynchronous. */
export async function awaited(place: string, call: () => unknown): Promise<unknown> {
  try {
    return await handled(call());
  } catch (thrown) {
    throw isBosunError(thrown) ? thrown : hostFailed(place, thrown);
  }
}

/**
 * A value of the host in the form in which JSON gives it to a client: later it is only read.
 *
 * @throws BOSUN_HOST_FAILED for a value that JSON cannot express.
 */
export function inJson(place: string, value: unknown): unknown {
  return answerInJson(place, value)?.value;
}

/**
 * The same, as the answer of a call; undefined for a value that JSON leaves out.
 *
 * @throws BOSUN_HOST_FAILED for a value that JSON cannot express.
 */
export function answerInJson(place: string, value: unknown): JsonAnswer | undefined {
  disown(value);
  const text = owed(place, () => JSON.stringify(value) as string | undefined);
  return text === undefined ? undefined : new JsonAnswer(text);
}

/**
 * Checks a value by a schema of the host, as `safeParse` does.
 *
 * @throws BOSUN_HOST_FAILED for a schema whose checks throw, or give a promise.
 */
export function checkedByHost<S extends z.ZodType>(
  place: string,
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const reading = readBy(schema, value, 'value');
  if (reading.isSound) return { success: true, data: reading.value };
  if (reading.error === undefined) throw hostFailed(place, reading.thrown);
  return { success: false, error: reading.error as z.ZodError<z.output<S>> };
}
