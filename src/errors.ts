/** The only error class, and errors as text: of whatever code of users has thrown, without running more of it. */
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** The class of every error that Bosun throws on purpose. `details` is plain data, safe to log. */
export class BosunError extends Error {
  /** Marks errors of this class without reading any property: the tested value may be a proxy that throws. */
  readonly #isOurs = true;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BosunError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  /** The parts of the error for a log; its stack and cause are left out. */
  toJSON(): object {
    return { ...asJson.call(this), details: this.details };
  }

  static isOne(value: unknown): value is BosunError {
    return typeof value === 'object' && value !== null && #isOurs in value;
  }
}

/** Whether a value is a BosunError, of a given code if any. Never throws. */
export function isBosunError(error: unknown, code?: ErrorCode): error is BosunError {
  return BosunError.isOne(error) && (code === undefined || error.code === code);
}

/**
 * Creates a plain Error with the name, text and stack of another one. The cost of a new Error is mostly its stack, and
 * this one has its stack already.
 */
export function retold(said: {
  name: string;
  message: string;
  stack: string | undefined;
  code?: unknown;
  cause?: unknown;
}): Error {
  const { stackTraceLimit } = Error;
  // As an option, because a process may have made it unwritable.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = new Error(said.message, 'cause' in said ? { cause: said.cause } : undefined);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  if (said.name !== error.name) hide(error, 'name', said.name);
  hide(error, 'stack', said.stack);
  hide(error, 'toJSON', asJson);
  if ('code' in said) Object.assign(error, { code: said.code });
  return error;
}

/** Defines a non-enumerable property, as the engine does for errors. */
function hide(error: Error, key: 'name' | 'stack' | 'toJSON', value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false });
}

/** The JSON form of an error: without `toJSON` every error becomes `{}`. */
function asJson(this: Error & { readonly code?: unknown }): object {
  const { name, message, code } = this;
  return { name, message, ...(code !== undefined && { code }) };
}

/** The text for a value that throws whenever it is converted to text. */
const NO_TEXT = 'something was thrown that has no text';

/**
 * The text of any thrown value: the message of an error, plain data as JSON. Never throws, although the value may have
 * no text, a text that throws, or be a proxy.
 */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return textOf(thrown.message);
    return isTextless(thrown) ? (JSON.stringify(thrown, quotable) ?? NO_TEXT) : textOf(thrown);
  } catch {
    return NO_TEXT;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}

/** Whether the text of a value would be `[object Object]`, or there is none. */
function isTextless(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { toString: tell } = value as { toString?: unknown };
  return typeof tell !== 'function' || tell === Object.prototype.toString;
}

function quotable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Shortens a text to a number of characters, never to half a surrogate pair. */
export function cut(text: string, charsMax: number): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax)}...`).toWellFormed();
}
