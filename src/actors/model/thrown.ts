/**
 * Turns any thrown value into an error that can be stored. Errors of user code are admitted where they are caught; from
 * there on they are plain data with a text, and safe to inspect.
 */
import { cut, isBosunError, messageOf, retold } from '../../errors.ts';
import { disown } from '../../user-code.ts';
import { ERROR_STACK_CHARS_MAX, ERROR_TEXT_CHARS_MAX, STACK_FRAMES_MAX } from '../../limits.ts';
import { shortStack } from '../../stack.ts';
import { admit } from './value-check.ts';

/**
 * A thrown value in a form that can be stored: an error with its text where it has none, without the kernel's stack
 * frames. Never throws.
 */
export function admitError(thrown: unknown): unknown {
  disown(thrown);
  try {
    return admit(thrown instanceof Error ? withShortStack(thrown) : thrown, 'error');
  } catch {
    return Object.freeze(inWords(thrown));
  }
}

/** Like `admitError`, without reading the stack: `why` stands in place of the frames. Never throws. */
export function admitWithoutFrames(thrown: unknown, why: string): unknown {
  try {
    const error = thrown as Error & { readonly code?: unknown };
    const { name, message } = error;
    const stack = `${name}: ${message}\n    (frames left out: ${why})`;
    const parts = { ...('code' in error && { code: error.code }), ...('cause' in error && { cause: error.cause }) };
    return admit(retold({ name, message, stack, ...parts }), 'error');
  } catch {
    return admitError(thrown);
  }
}

/**
 * The error with a shortened stack, or the error itself where its stack is short already, as after a first admission.
 */
function withShortStack(error: Error & { readonly code?: unknown }): Error {
  const { stack } = error;
  if (typeof stack !== 'string' || typeof error.message !== 'string') return error;
  const short = shortStack(stack, STACK_FRAMES_MAX);
  if (short === stack) return error;
  const { name, message, code, cause } = error;
  return retold({
    name,
    message,
    stack: short,
    ...('code' in error && { code }),
    ...('cause' in error && { cause }),
  });
}

/** A thrown value as the cause of another error. */
export function causeOf(thrown: unknown): unknown {
  return isBosunError(thrown) ? thrown : admitError(thrown);
}

/** An error of the name, text and stack of one whose cause or code is not data. */
function inWords(thrown: unknown): Error {
  const message = cut(messageOf(thrown), ERROR_TEXT_CHARS_MAX);
  try {
    if (thrown instanceof Error) {
      const { name, stack } = thrown as { readonly name: unknown; readonly stack?: unknown };
      return retold({
        name: typeof name === 'string' ? cut(name, ERROR_TEXT_CHARS_MAX) : 'Error',
        message,
        stack: typeof stack === 'string' ? cut(shortStack(stack, STACK_FRAMES_MAX), ERROR_STACK_CHARS_MAX) : undefined,
      });
    }
  } catch {
    // Inspecting the error throws, so that its text is all that can be reported.
  }
  return retold({ name: 'Error', message, stack: undefined });
}
