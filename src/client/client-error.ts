/** The one error class of the client: what the gateway said, or what the client itself has to say. */
import type { WireError } from '../gateway/protocol/frames.ts';

/** A code of docs/errors.md. */
export type ClientErrorCode = `BOSUN_${string}`;

export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** Whether doing the same thing again later may succeed. */
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

export function isClientError(error: unknown, code?: ClientErrorCode): error is ClientError {
  return error instanceof ClientError && (code === undefined || error.code === code);
}

export const clientClosed = (): ClientError => new ClientError('BOSUN_CLIENT_CLOSED', 'the client was closed');
