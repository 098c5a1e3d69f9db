/**
 * Shortens errors for a Boss to keep: enough to act on, small enough for records, events and further errors without
 * ever being refused. The whole error is stored with the failed actor and with the quarantined message.
 */
import { cut, messageOf, retold } from '../errors.ts';
import { ERROR_STACK_CHARS_MAX, ERROR_TEXT_CHARS_MAX, RECORD_FRAMES_MAX } from '../limits.ts';
import { shortStack } from '../stack.ts';

/** Most causes kept below the error itself. */
const CAUSES_MAX = 3;
/** Properties that a brief error may have; a cause is checked. */
const PLAIN: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'code', 'toJSON']);

/**
 * Shortens a thrown value. Errors stay errors, with name, message, code, the place of the failure and their first
 * causes; other values are quoted. Never throws.
 */
export function brief(thrown: unknown, causesLeft: number = CAUSES_MAX): unknown {
  switch (typeof thrown) {
    case 'object':
      if (thrown === null) return null;
      if (thrown instanceof Error) return briefError(thrown, causesLeft);
      return new Error(cut(messageOf(thrown), ERROR_TEXT_CHARS_MAX));
    case 'string':
      return cut(thrown, ERROR_TEXT_CHARS_MAX);
    case 'symbol':
    case 'function':
      return new Error(cut(messageOf(thrown), ERROR_TEXT_CHARS_MAX));
    default:
      return thrown;
  }
}

function briefError(error: Error & { readonly code?: unknown }, causesLeft: number): Error {
  if (isBrief(error)) return error;
  const { name, message, stack, code, cause } = error;
  return retold({
    name: cut(name, ERROR_TEXT_CHARS_MAX),
    message: cut(message, ERROR_TEXT_CHARS_MAX),
    stack: stack === undefined ? undefined : cut(shortStack(stack, RECORD_FRAMES_MAX), ERROR_STACK_CHARS_MAX),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && causesLeft > 0 && { cause: brief(cause, causesLeft - 1) }),
  });
}

/**
 * Whether an error is brief already, as most admitted ones are: a copy for every record that quotes it would be a
 * waste.
 */
function isBrief(error: Error & { readonly code?: unknown }): boolean {
  if (!Object.isFrozen(error) || !Object.getOwnPropertyNames(error).every((key) => PLAIN.has(key))) return false;
  const { name, message, stack = '', code = '' } = error;
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  return (
    name.length <= ERROR_TEXT_CHARS_MAX &&
    message.length <= ERROR_TEXT_CHARS_MAX &&
    stack.length <= ERROR_STACK_CHARS_MAX &&
    shortStack(stack, RECORD_FRAMES_MAX) === stack
  );
}
