/**
 * Shortens errors for a Boss to keep: enough to act on, small enough to be quoted in records, events and further errors
 * without ever being refused. The whole error stays with the message in quarantine.
 */
import { retold } from '../errors.ts';

const MESSAGE_CHARS_MAX = 2_000;
/** Some twenty frames. */
const STACK_CHARS_MAX = 4_000;
/** Causes kept below the error itself. */
const CAUSES_MAX = 3;
/** Properties that a brief error may have; a cause is looked at. */
const PLAIN: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'code']);

/**
 * Never throws. Errors stay errors, with name, message, stack, code and their first causes; other things are quoted.
 */
export function brief(thrown: unknown, causesLeft: number = CAUSES_MAX): unknown {
  switch (typeof thrown) {
    case 'object':
      if (thrown === null) return null;
      return thrown instanceof Error ? briefError(thrown, causesLeft) : new Error(quote(thrown));
    case 'string':
      return cut(thrown, MESSAGE_CHARS_MAX);
    case 'symbol':
    case 'function':
      return new Error(cut(String(thrown), MESSAGE_CHARS_MAX));
    default:
      return thrown;
  }
}

function briefError(error: Error & { readonly code?: unknown }, causesLeft: number): Error {
  if (isBrief(error)) return error;
  const { name, message, stack, code, cause } = error;
  return retold({
    name: cut(name, MESSAGE_CHARS_MAX),
    message: cut(message, MESSAGE_CHARS_MAX),
    stack: stack === undefined ? undefined : cut(stack, STACK_CHARS_MAX),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && causesLeft > 0 && { cause: brief(cause, causesLeft - 1) }),
  });
}

/**
 * Most errors are, once admission has made them plain; a copy for every record that quotes one would be for nothing.
 */
function isBrief(error: Error & { readonly code?: unknown }): boolean {
  if (!Object.isFrozen(error) || !Object.getOwnPropertyNames(error).every((key) => PLAIN.has(key))) return false;
  const { name, message, stack = '', code = '' } = error;
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  return name.length <= MESSAGE_CHARS_MAX && message.length <= MESSAGE_CHARS_MAX && stack.length <= STACK_CHARS_MAX;
}

function quote(thrown: object): string {
  try {
    const text = JSON.stringify(thrown, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return cut(text ?? 'an object', MESSAGE_CHARS_MAX);
  } catch {
    // Circular, or with a toJSON that throws: its kind is all that can be said.
    return `an object of class ${thrown.constructor?.name ?? 'none'}`;
  }
}

/** At most so many characters, never half a surrogate pair. */
function cut(text: string, charsMax: number): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax)}...`).toWellFormed();
}
