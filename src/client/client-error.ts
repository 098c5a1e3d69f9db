/** The one error class of the client, for errors of the gateway and of the client itself. */
import type { WireError } from '../gateway/protocol/frames.ts';

/** A code of docs/errors.md. */
export type ClientErrorCode = `BOSUN_${string}`;

/** An error that the client throws. */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ClientErrorCode,
    message: string,
    {
      retryable = false,
      details = {},
    }: { readonly retryable?: boolean; readonly details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.name = 'ClientError';
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }
}

export function errorFrom({ code, message, retryable, details = {} }: WireError): ClientError {
  return new ClientError(code as ClientErrorCode, message, { retryable, details });
}

/** Whether a value is a `ClientError`, and has the code if one is given. */
export function isClientError(error: unknown, code?: ClientErrorCode): error is ClientError {
  return error instanceof ClientError && (code === undefined || error.code === code);
}

/** Errors for clients that their own users have closed. */
const ownCloses = new WeakSet<ClientError>();

/** Makes the error for a client that its own user has closed. */
export function clientClosed(): ClientError {
  const error = new ClientError('BOSUN_CLIENT_CLOSED', 'the client was closed');
  ownCloses.add(error);
  return error;
}

/** Whether the client's own user closed it, so that nobody needs to hear of it. */
export function isOwnClose(error: ClientError): boolean {
  return ownCloses.has(error);
}
