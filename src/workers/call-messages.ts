/**
 * How the thread of the host and a worker talk: calls with numbers, answers, and further words of calls that go on.
 * What is said within one turn of the event loop travels as one frame. References travel as `{ life, address }`, errors
 * with their codes.
 */
import { Ref } from '../actors/model/ref.ts';
import { type Clock } from '../clock.ts';
import { BosunError, ERROR_CODES, type ErrorCode, messageOf } from '../errors.ts';
import { createCodec } from '../persistence/codec.ts';

/** Calls of whoever stands beside the systems of workers: the first argument is the worker gateway's own verb. */
export const WORKER_GATEWAY = 'workerGateway';

/** `null` ends a call that goes on. */
export type CallMessage = readonly [number: number, verb: string | null, args: readonly unknown[]];

/**
 * `answer` and `error` end a call; `word` comes before. A number alone is an answer of nothing: most are, and that is
 * the shortest.
 */
export type AnswerMessage = number | readonly [number: number, kind: 'answer' | 'error' | 'word', what: unknown];

export interface ToldError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly error: Error;
}

/** Of both sides. It belongs to no store, and a reference means nothing outside of its worker. */
const codec = createCodec({
  Class: Ref,
  encode: (reference) => ({ life: (reference as Ref).life, address: (reference as Ref).address }),
  decode: (fields) => Object.freeze(fields),
});

/** Throws BOSUN_VALUE_REFUSED. */
export function packed(value: unknown): Uint8Array {
  return codec.pack(value);
}

export function unpacked<T>(bytes: Uint8Array): T {
  return codec.unpack(bytes) as T;
}

export function toldError(thrown: unknown): ToldError {
  const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  const { code, details } = thrown as { code?: unknown; details?: Record<string, unknown> };
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_INTERNAL';
  return { code: known, message: error.message, details: details ?? {}, error };
}

export function errorOf({ code, message, details, error }: ToldError): BosunError {
  return new BosunError(code, message, { details, cause: error });
}

/** Why a worker does not start: whose store it is, is half of the place of a damage. */
export function refusedStart(worker: number, { code, message, details, cause }: BosunError): BosunError {
  return new BosunError(code, `worker ${worker}: ${message}`, { details: { ...details, worker }, cause });
}

/** Gathers what is said until the event loop comes round. */
export class Outgoing<T> {
  readonly #clock: Pick<Clock, 'defer'>;
  readonly #post: (bytes: Uint8Array) => void;
  #waiting: T[] = [];

  constructor(clock: Pick<Clock, 'defer'>, post: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#post = post;
  }

  say(what: T): void {
    if (this.#waiting.push(what) === 1) this.#clock.defer(() => this.#flush());
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const said = this.#waiting;
    this.#waiting = [];
    this.#post(packed(said));
  }

  /** The other side is gone. */
  forget(): void {
    this.#waiting = [];
  }
}
