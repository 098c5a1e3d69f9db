/** Answers over HTTP: a status for each error code, and the headers of every answer. */
import { JsonAnswer } from '../calls/json-answer.ts';
import { type ServerResponse } from 'node:http';
import { type ErrorCode } from '../../error-codes.ts';
import { type WireError } from '../protocol/frames.ts';

/** HTTP status by error code; codes without an entry are 500. */
export const STATUS_OF: { readonly [Code in ErrorCode]?: number } = {
  BOSUN_CALL_INVALID: 400,
  BOSUN_ADDRESS_INVALID: 400,
  BOSUN_CHILD_SPEC_INVALID: 400,
  BOSUN_EVENT_INVALID: 400,
  BOSUN_VALUE_REFUSED: 400,
  BOSUN_UNAUTHENTICATED: 401,
  BOSUN_EVENT_REFUSED: 403,
  BOSUN_FORBIDDEN: 403,
  BOSUN_SPAWN_REFUSED: 403,
  BOSUN_ACTOR_UNKNOWN: 404,
  BOSUN_AGENT_UNKNOWN: 404,
  BOSUN_CHART_UNKNOWN: 404,
  BOSUN_RECORDS_UNKNOWN: 404,
  BOSUN_TABLE_UNKNOWN: 404,
  BOSUN_CHILD_UNKNOWN: 404,
  BOSUN_MESSAGE_UNKNOWN: 404,
  BOSUN_ACTOR_CHANGED: 412,
  BOSUN_ACTOR_FAILING: 409,
  BOSUN_ACTOR_SUSPENDED: 409,
  BOSUN_AGENT_UNREADABLE: 409,
  BOSUN_CHILD_DYNAMIC: 409,
  BOSUN_CHILD_PRESENT: 409,
  BOSUN_CHILD_RESTARTING: 409,
  BOSUN_CHILD_RUNNING: 409,
  BOSUN_EVENT_NOT_TAKEN: 409,
  BOSUN_KEY_CONFLICT: 409,
  BOSUN_ORDER_REFUSED: 409,
  BOSUN_SECRET_KEY: 409,
  BOSUN_SENDS_REFUSED: 409,
  BOSUN_SEQUENCE_GAP: 409,
  BOSUN_STATE_SUSPECT: 409,
  BOSUN_ASKS_FULL: 429,
  BOSUN_CHILDREN_FULL: 429,
  BOSUN_CHILDREN_UNREAD: 409,
  BOSUN_GATEWAY_FULL: 429,
  BOSUN_MAILBOX_FULL: 429,
  BOSUN_RATE_LIMITED: 429,
  BOSUN_SESSIONS_FULL: 429,
  BOSUN_ASK_FAILED: 502,
  BOSUN_OVER_WORKERS: 501,
  BOSUN_DRAINING: 503,
  BOSUN_INPUT_TOO_LARGE: 413,
  BOSUN_OVERLOADED: 503,
  BOSUN_STORE_UNAVAILABLE: 503,
  BOSUN_SYSTEM_CLOSED: 503,
  BOSUN_WORKER_DOWN: 503,
  BOSUN_TIMEOUT: 504,
};

export interface HttpAnswer {
  readonly status: number;
  /** JSON, or text if `type` is given. */
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function answerOf(error: WireError): HttpAnswer {
  const retryAfterMs = error.details?.['retryAfterMs'];
  const headers = {
    ...(typeof retryAfterMs === 'number' && { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(error.code === 'BOSUN_UNAUTHENTICATED' && { 'WWW-Authenticate': 'Bearer' }),
  };
  return { status: STATUS_OF[error.code as ErrorCode] ?? 500, body: { error }, headers };
}

/**
 * Headers of every answer: no page of another origin may embed it, and no browser may interpret it as anything but
 * data. Which pages may read it is decided in origin-rules.ts.
 */
export const EVERY_ANSWER = {
  'Cache-Control': 'no-store',
  Vary: 'Origin',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
} as const;

export function answer(response: ServerResponse, { status, body, type, headers = {} }: HttpAnswer): void {
  if (response.headersSent || response.destroyed) return;
  const text = type === undefined ? jsonOf(body) : String(body);
  response.writeHead(status, {
    ...EVERY_ANSWER,
    'Content-Type': type ?? 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function jsonOf(body: unknown): string {
  return body instanceof JsonAnswer ? body.text : JSON.stringify(body);
}
