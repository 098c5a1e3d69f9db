/**
 * The log, for reports to people. Reported values may be anything that user code has thrown or logged, and the log
 * function may be user code too.
 */
import { messageOf } from './errors.ts';
import { watch } from './user-code.ts';

export type Log = (...args: unknown[]) => void;

/** The property by which an object defines how Node prints it. */
const PRINTED = Symbol.for('nodejs.util.inspect.custom');

/**
 * One line of the runtime's own: a sentence for people, with fields for programs. As text it is the sentence, as JSON
 * it is the fields.
 */
export class LogLine {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(text: string, facts: Readonly<Record<string, unknown>>) {
    this.text = text;
    this.facts = facts;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): object {
    return { message: this.text, ...this.facts };
  }

  [PRINTED](): string {
    return this.text;
  }
}

/**
 * Words the line about a rejected promise that user code has forgotten. Nothing tells whose it was, so no actor fails
 * by it.
 */
export function unawaitedLine(reason: unknown): LogLine {
  const error = messageOf(reason);
  const stack = reason instanceof Error && typeof reason.stack === 'string' ? reason.stack : null;
  const place = /^\s*(at .*)$/m.exec(stack ?? '')?.[1];
  const text = `a promise that nobody awaits has failed: ${error}${place === undefined ? '' : `, ${place}`}`;
  const wayOut = 'return it from its action, or handle its rejection';
  return new LogLine(`${text}; ${wayOut}`, { incident: 'unawaited', error, stack });
}

/**
 * Wraps a log so that it never throws, and no promise of it is forgotten: values that cannot be printed are replaced by
 * their text.
 */
export function harmless(log: Log): Log {
  return (...args) => {
    watch(
      () => log(...args),
      () =>
        watch(
          () => log(...args.map(messageOf)),
          // A report that fails must not harm the code that it is about.
          () => {},
        ),
    );
  };
}

/**
 * Calls a callback of a host, which owes no value. What it throws, and what a promise that it returns rejects with, is
 * one line of the log. `what` names the callback. Never throws.
 */
export function callBack(log: Log, what: string, call: () => unknown): void {
  watch(call, (thrown) => log(`${what} failed: ${messageOf(thrown)}`));
}
