/**
 * Ports: functions of the host that the crew calls. A port returns a promise; here it becomes the logic of a named
 * actor, and its answer is checked. An answer that is late or malformed counts as unknown: machines continue with that
 * value and show it to people, and no turn throws.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { handled } from '../../user-code.ts';

/** A question to the outside world. `signal` is aborted when the answer is no longer awaited. */
export type Port<Input, Output> = (input: Input, facts: { readonly signal: AbortSignal }) => Promise<Output>;

/** The required answer of a port. */
export interface PortContract<Answer> {
  /** The name of the answer in texts for people: `the regime`. */
  readonly what: string;
  readonly answer: z.ZodType<Answer>;
  /** Milliseconds to wait for the answer. */
  readonly timeoutMs: number;
}

/** The answer to a question, or why it is unknown. */
export type Known<Answer> =
  | { readonly isKnown: true; readonly value: Answer }
  /** `why` is a sentence for people. */
  | { readonly isKnown: false; readonly why: string };

const WHY_CHARS_MAX = 500;

/** The promise logic of a port. A port that throws synchronously fails like one that rejects. */
export function portLogic<Input extends object, Output>(port: Port<Input, Output>): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(
    ({ input, signal }) => new Promise((resolve) => resolve(handled(port(input, { signal })))),
  );
}

/** The answer of a port, read from the event with which its actor has ended, `onDone` and `onError` alike. */
export function heard<Answer>({ what, answer }: PortContract<Answer>, event: object): Known<Answer> {
  if ('error' in event) return notKnown(what, messageOf(event.error));
  const { success, data, error } = answer.safeParse('output' in event ? event.output : undefined);
  return success ? { isKnown: true, value: data } : notKnown(what, `malformed: ${z.prettifyError(error)}`);
}

/** The result of a port that has not answered in time. */
export function late({ what, timeoutMs }: PortContract<unknown>): Known<never> {
  return notKnown(what, `no answer within ${timeoutMs} ms`);
}

function notKnown(what: string, why: string): { readonly isKnown: false; readonly why: string } {
  return { isKnown: false, why: `not known: ${what} (${why.replaceAll(/\s+/g, ' ')})`.slice(0, WHY_CHARS_MAX) };
}
