/**
 * The protocol's constants: version, subprotocol, close codes, HTTP methods. Without imports, so that browser clients
 * can use this file. The frames are in frames.ts, of which clients import types only.
 */

export const PROTOCOL_VERSION = 1;

/** The minor version, raised when something is added. Nothing is ever removed within a version. */
export const PROTOCOL_MINOR = 7;

/** The WebSocket subprotocol: frames of JSON text. */
export const SUBPROTOCOL = 'bosun.v1.json';

/**
 * Prefix of a second subprotocol that carries the token, `bosun.bearer.<base64url of the token, without padding>`,
 * since browsers cannot set headers.
 */
export const BEARER_PREFIX = 'bosun.bearer.';

/** The path of the gateway's WebSocket. */
export const SOCKET_PATH = '/v1/ws';
/** The header in which `/healthz` says which gateway it is: new with every gateway. */
export const INSTANCE_HEADER = 'Bosun-Instance';

export const EVENTS_PATH = '/v1/events';
/** The path of MCP, and the path of its tools as plain data, for programs that serve MCP elsewhere. */
export const MCP_PATH = '/mcp';
export const TOOLS_PATH = '/mcp/tools';
export const PASS_PATH = '/v1/passes';

/** Name of the query parameter that holds a pass, in the URL of a socket or a stream. */
export const PASS_NAME = 'pass';

/** The default address on which a gateway listens. */
export const DEFAULT_HOST = '127.0.0.1';
/** The default port on which a gateway listens. */
export const DEFAULT_PORT = 4180;
/** The path of a gateway on a server of the host. */
export const DEFAULT_PATH = '/bosun';

/** A client's reaction to a close: `stop`, `reconnect`, or `authenticate` (get a new token once, then reconnect). */
export type AfterClose = 'stop' | 'reconnect' | 'authenticate';

interface CloseRow {
  readonly code: number;
  readonly means: string;
  readonly then: AfterClose;
}

/** The reasons for which the gateway closes a socket: code, meaning, and the client's reaction. */
export const CLOSES = {
  normal: { code: 1000, means: 'Either side has ended the connection.', then: 'stop' },
  bad_frame: {
    code: 4400,
    means: 'A frame is malformed, of an unknown kind, or came before hello.',
    then: 'stop',
  },
  unauthenticated: { code: 4401, means: 'The token is missing or not valid.', then: 'authenticate' },
  unsupported_protocol: {
    code: 4406,
    means: 'The offered subprotocols do not include this one, or not this version of it.',
    then: 'stop',
  },
  hello_timeout: { code: 4408, means: 'No hello in time.', then: 'reconnect' },
  session_taken: { code: 4409, means: 'The same session was opened by another connection.', then: 'stop' },
  rate_limited: {
    code: 4429,
    means: 'Too many connections, or calls repeated after they were refused. The reason says how long to wait.',
    then: 'reconnect',
  },
  internal: { code: 4500, means: 'The gateway failed.', then: 'reconnect' },
  draining: { code: 4501, means: 'The gateway is closing for a deploy or a restart.', then: 'reconnect' },
  token_expired: { code: 4502, means: 'The token has expired.', then: 'authenticate' },
  overloaded: { code: 4503, means: 'Too many connections are open.', then: 'reconnect' },
  silent: { code: 4504, means: 'No frame for too long, not even a pong.', then: 'reconnect' },
  slow_consumer: { code: 4508, means: 'The client reads too slowly.', then: 'reconnect' },
} as const satisfies Record<string, CloseRow>;

export type CloseName = keyof typeof CLOSES;

/** The client's reaction to any close code, including 1006 and codes of other origin. */
export function afterClose(code: number): AfterClose {
  const known = Object.values(CLOSES).find((row) => row.code === code);
  if (known !== undefined) return known.then;
  return code === 1008 || code === 1009 || (code >= 4400 && code < 4500) ? 'stop' : 'reconnect';
}

/**
 * The position of a subscription. Opaque to clients: they hand back what they received. Equal cursors of one topic mean
 * equal contents.
 */
export interface Cursor {
  /** The history in which the number counts. */
  readonly epoch: string;
  readonly seq: number;
}

/** Epoch in a cursor of records that stands for the present life of the actor at the address. */
export const ANY_EPOCH = 'any';

/** A cursor as text, `seq:epoch`, as in the ids of server-sent events. */
export function cursorText({ epoch, seq }: Cursor): string {
  return `${seq}:${epoch}`;
}

export function cursorFrom(text: string): Cursor | undefined {
  const [, seq, epoch] = /^(\d{1,16}):([\w.:+/=-]{1,128})$/.exec(text) ?? [];
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) };
}
