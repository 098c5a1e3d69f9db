/** Parses JSON typed by a person, under the same rules as the gateway's frames: numbers must be finite. */
import { BosunError, messageOf } from '../errors.ts';
import { flawOf } from '../gateway/protocol/values.ts';
import { FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from '../gateway/limits.ts';
import { type Output } from './surroundings.ts';

/** Parses JSON. Throws a SyntaxError for invalid JSON, BOSUN_CALL_INVALID for values that a gateway would refuse. */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const flaw = flawOf(value, { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX });
  if (flaw !== undefined) throw new BosunError('BOSUN_CALL_INVALID', `the JSON holds ${flaw}`);
  return value;
}

/**
 * Parses a JSON object. Returns undefined for any other text, after printing an error.
 *
 * @param what The name of the text in the error, such as `parameters`.
 */
export function jsonObject(text: string, what: string, err: Output): Record<string, unknown> | undefined {
  const refuse = (why: string) => void err.write(`${what} must be a JSON object, such as '{"by": 1}'${why}\n`);
  try {
    const parsed = parsedJson(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
    refuse(`, not ${text.slice(0, 100)}`);
  } catch (error) {
    refuse(`: ${messageOf(error)}`);
  }
  return undefined;
}
