/**
 * Answers that pages of other origins may read (CORS, in the Fetch standard): those to an origin in `origins`, whatever
 * the answer is, and to no other. The one place that writes these headers. Nothing is answered to cookies, so none
 * allows credentials.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { PREFLIGHT_SECONDS } from '../limits.ts';
import { INSTANCE_HEADER } from '../protocol/protocol.ts';

/** Verbs of the methods, and DELETE, by which clients of MCP end a session. */
const VERBS = 'GET, POST, DELETE';

/** Headers of requests that the gateway reads; those of MCP are known by their prefix. */
const READ = [
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'if-none-match',
  'bosun-as',
  'bosun-session',
  'bosun-sequence',
  'bosun-deadline-ms',
];

/** A header of MCP: its parameters may each have one (`Mcp-Param-...`), so that a list would be too short. */
const OF_MCP = /^mcp-[a-z0-9-]{1,64}$/;

/** Headers of answers that clients read, beside those that every page may. */
const SHOWN = ['Retry-After', 'WWW-Authenticate', 'ETag', 'Allow', 'Bosun-Replayed', INSTANCE_HEADER].join(', ');

/**
 * Lets pages of an origin read the answer. A preflight, by which a browser asks before a request, is answered here: it
 * carries no token, so it cannot be authenticated.
 *
 * @returns Whether the request was a preflight.
 */
export function shareWith(origin: string, { method, headers }: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('Access-Control-Allow-Origin', origin);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    response.setHeader('Access-Control-Expose-Headers', SHOWN);
    return false;
  }
  response.writeHead(204, {
    'Cache-Control': 'no-store',
    Vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network',
    'Access-Control-Allow-Methods': VERBS,
    'Access-Control-Allow-Headers': [...READ, ...ofMcpIn(headers['access-control-request-headers'])].join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    // Whoever lists an origin lets it reach this machine, also from a public address (Private Network Access).
    ...(headers['access-control-request-private-network'] === 'true' && {
      'Access-Control-Allow-Private-Network': 'true',
    }),
  });
  response.end();
  return true;
}

function ofMcpIn(asked: string | undefined): string[] {
  return (asked ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => OF_MCP.test(name));
}
