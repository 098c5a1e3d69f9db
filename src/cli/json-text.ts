/** Parses what a person types: JSON under the rules of the gateway's frames (finite numbers), fields as `key=value`. */
import { BosunError, isBosunError, messageOf } from '../errors.ts';
import { flawOf } from '../gateway/protocol/values.ts';
import { FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../gateway/limits.ts';

/** Parses JSON. Throws a SyntaxError for invalid JSON, BOSUN_CALL_INVALID for values that a gateway would refuse. */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const flaw = flawOf(value, { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX });
  if (flaw !== undefined) throw new BosunError('BOSUN_CALL_INVALID', `the JSON holds ${flaw}`);
  return value;
}

/**
 * Parses a JSON object.
 *
 * @param what The name of the text in the error, such as `parameters`.
 * @throws BOSUN_CALL_INVALID for any other text.
 */
export function jsonObject(text: string, what: string): Record<string, unknown> {
  const refusal = (why: string, cause?: unknown) =>
    new BosunError('BOSUN_CALL_INVALID', `${what} must be a JSON object, such as '{"by": 1}'${why}`, { cause });
  let parsed: unknown;
  try {
    parsed = parsedJson(text);
  } catch (error) {
    throw refusal(`: ${messageOf(error)}`, error);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw refusal(`, not ${text.slice(0, 100)}`);
}

/**
 * The fields of an object, each typed as `key=value`: values are JSON if they parse as JSON, otherwise text.
 *
 * @param what The name of the object in the error, such as `an answer`.
 * @throws BOSUN_CALL_INVALID for a text without a key.
 */
export function fieldsIn(texts: readonly string[], what: string, example: string): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new BosunError('BOSUN_CALL_INVALID', `give ${what} as key=value, such as ${example}, not "${text}"`);
      return [text.slice(0, at), valueIn(text.slice(at + 1))];
    }),
  );
}

function valueIn(text: string): unknown {
  try {
    return parsedJson(text);
  } catch (error) {
    if (isBosunError(error)) throw error;
    // A word is not JSON and is meant as text.
    return text;
  }
}
