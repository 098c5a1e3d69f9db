/**
 * Messages between the host's thread and a worker: numbered calls, answers, and intermediate values of long calls. All
 * messages of one turn of the event loop travel as one frame. References travel as `{ life, address }`, errors with
 * their codes.
 */
import { refusalsIn } from '../actors/api/refused-sends.ts';
import { Ref } from '../actors/model/ref.ts';
import { admitError } from '../actors/model/thrown.ts';
import { admit } from '../actors/model/value-check.ts';
import { type Clock } from '../clock.ts';
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts';
import { BosunError, isBosunError, messageOf } from '../errors.ts';
import { createCodec } from '../persistence/format/codec.ts';

/** The verb of calls to the worker gateway; the first argument is the gateway's own verb. */
export const WORKER_GATEWAY = 'workerGateway';

/** A call. A verb of `null` ends a long call. */
export type CallMessage = readonly [number: number, verb: string | null, args: readonly unknown[]];

/**
 * An answer. `answer` and `error` end a call; `word` is an intermediate value. A number alone is an answer without a
 * result, in its shortest form. `durable` answers every unanswered `send` up to its number; `lost` refuses those from
 * `first` to its number.
 */
export type AnswerMessage =
  | number
  | readonly [number: number, kind: 'answer' | 'word', what: unknown]
  | readonly [number: number, kind: 'error', error: ToldError]
  | readonly [number: number, kind: 'durable']
  | readonly [number: number, kind: 'lost', from: { readonly first: number; readonly error: ToldError }];

export interface ToldError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly error: Error;
  /** The refusals of BOSUN_SENDS_REFUSED, whose errors keep their codes and details so. */
  readonly refused?: readonly { readonly index: number; readonly error: ToldError }[];
}

/** The codec of both sides. It belongs to no store, and a reference means nothing outside its worker. */
const codec = createCodec({
  Class: Ref,
  encode: (reference) => ({ life: (reference as Ref).life, address: (reference as Ref).address }),
  decode: (fields) => Object.freeze(fields),
});

/** Encodes a value. Throws BOSUN_VALUE_REFUSED. */
export function packed(value: unknown): Uint8Array {
  return codec.pack(value);
}

export function unpacked<T>(bytes: Uint8Array): T {
  return codec.unpack(bytes) as T;
}

export function toldError(thrown: unknown): ToldError {
  // An error that cannot be encoded must not block the other messages of its frame.
  const admitted = admitError(thrown);
  const error = admitted instanceof Error ? admitted : new Error(messageOf(admitted));
  const { code } = error as { code?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_INTERNAL';
  const refused = refusalsIn(thrown)?.map((one) => ({ index: one.index, error: toldError(one.error) }));
  const details = isBosunError(thrown) && refused === undefined ? admittedDetails(thrown) : {};
  return { code: known, message: error.message, details, error, ...(refused && { refused }) };
}

/** The details of an error, which are data if they are ours; none if they are not. */
function admittedDetails({ details }: BosunError): BosunError['details'] {
  try {
    return admit(details, 'details of an error');
  } catch {
    return {};
  }
}

export function errorOf({ code, message, details, error, refused }: ToldError): BosunError {
  const refusals = refused?.map((one) => ({ index: one.index, error: errorOf(one.error) }));
  return new BosunError(code, message, {
    details: { ...details, ...(refusals && { refused: refusals }) },
    cause: error,
  });
}

/** The error of a worker that does not start, with the worker's number, which shows whose store is damaged. */
export function refusedStart(worker: number, { code, message, details, cause }: BosunError): BosunError {
  return new BosunError(code, `worker ${worker}: ${message}`, { details: { ...details, worker }, cause });
}

interface OutgoingParts<T> {
  readonly clock: Pick<Clock, 'defer'>;
  post(bytes: Uint8Array): void;
  /** Handles a message that cannot be encoded. Returns the message in its place; undefined for none. */
  refused(what: T, error: unknown): T | undefined;
}

/** Gathers messages until the next turn of the event loop. */
export class Outgoing<T> {
  readonly #parts: OutgoingParts<T>;
  #waiting: T[] = [];

  constructor(parts: OutgoingParts<T>) {
    this.#parts = parts;
  }

  say(what: T): void {
    if (this.#waiting.push(what) === 1) this.#parts.clock.defer(() => this.#flush());
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const said = this.#waiting;
    this.#waiting = [];
    this.#parts.post(this.#frame(said));
  }

  /** Encodes messages. One that holds something hostile must not block the others, or end the thread. */
  #frame(said: readonly T[]): Uint8Array {
    try {
      return packed(said);
    } catch {
      return packed(said.flatMap((what) => this.#encodable(what) ?? []));
    }
  }

  #encodable(what: T): T | undefined {
    try {
      packed(what);
      return what;
    } catch (error) {
      return this.#parts.refused(what, error);
    }
  }

  /** Drops waiting messages, since the other side is gone. */
  forget(): void {
    this.#waiting = [];
  }
}
