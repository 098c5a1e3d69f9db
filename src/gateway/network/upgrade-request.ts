/** Parts of a request for a WebSocket: the subprotocols that it offers, and its caller's token or pass. Rules only. */
import { type IncomingMessage } from 'node:http';
import { BEARER_PREFIX, PASS_NAME, SUBPROTOCOL } from '../protocol/protocol.ts';

export interface Chosen {
  readonly bearer: string | undefined;
  /** The subprotocol that the handshake answers; undefined if none was offered. */
  readonly answer: string | undefined;
  readonly isSpoken: boolean;
}

/** Chooses our subprotocol if it was offered. A subprotocol that carries a token is never answered. */
export function chosen(offered: readonly string[]): Chosen {
  const carrier = offered.find((name) => name.startsWith(BEARER_PREFIX));
  const names = offered.filter((name) => !name.startsWith(BEARER_PREFIX));
  const isOffered = names.includes(SUBPROTOCOL);
  return {
    bearer:
      carrier === undefined ? undefined : Buffer.from(carrier.slice(BEARER_PREFIX.length), 'base64url').toString(),
    answer: isOffered ? SUBPROTOCOL : names[0],
    isSpoken: isOffered || names.length === 0,
  };
}

/** Reads the query of a socket's URL, which may hold a pass and nothing else, above all no token. */
export function queryOf(query = ''): { pass: string | undefined; others: number } {
  const params = new URLSearchParams(query);
  const [pass, ...more] = params.getAll(PASS_NAME);
  return { pass, others: more.length + [...params.keys()].filter((name) => name !== PASS_NAME).length };
}

export function offeredIn(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
