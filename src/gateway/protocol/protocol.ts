/**
 * The protocol's fixed words: version, subprotocol, close codes, methods of HTTP. Without imports, so that a client in
 * a browser can have it. The frames are in frames.ts, whose types cost a client nothing.
 */

export const PROTOCOL_VERSION = 1;

/** Raised when something is added. Nothing is ever taken away within a version. */
export const PROTOCOL_MINOR = 2;

/** What a socket speaks: frames of JSON text. */
export const SUBPROTOCOL = 'bosun.v1.json';

/** `bosun.bearer.<base64url of the token, without padding>` beside it: browsers cannot set headers. */
export const BEARER_PREFIX = 'bosun.bearer.';

export const SOCKET_PATH = '/v1/ws';
export const EVENTS_PATH = '/v1/events';
export const PASS_PATH = '/v1/passes';

/** In the query of a socket's or a stream's address. */
export const PASS_NAME = 'pass';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4180;

/** What a client does after a close: `stop`, `reconnect`, or `authenticate`: get a new token once, then reconnect. */
export type AfterClose = 'stop' | 'reconnect' | 'authenticate';

interface CloseRow {
  readonly code: number;
  readonly means: string;
  readonly then: AfterClose;
}

export const CLOSES = {
  normal: { code: 1000, means: 'Either side is done.', then: 'stop' },
  bad_frame: {
    code: 4400,
    means: 'A frame is malformed, of no kind that the protocol has, or came before hello.',
    then: 'stop',
  },
  unauthenticated: { code: 4401, means: 'There is no token, or not a valid one.', then: 'authenticate' },
  unsupported_protocol: {
    code: 4406,
    means: 'The offered subprotocols do not include this one, or not this version of it.',
    then: 'stop',
  },
  hello_timeout: { code: 4408, means: 'No hello in time.', then: 'reconnect' },
  session_taken: { code: 4409, means: 'The same session was opened by another connection.', then: 'stop' },
  rate_limited: {
    code: 4429,
    means: 'Too many connections, or calls that go on after they were refused. The reason says for how long to wait.',
    then: 'reconnect',
  },
  internal: { code: 4500, means: 'The gateway failed.', then: 'reconnect' },
  draining: { code: 4501, means: 'The gateway closes: a deploy or a restart.', then: 'reconnect' },
  token_expired: { code: 4502, means: 'The token has expired.', then: 'authenticate' },
  overloaded: { code: 4503, means: 'Too many connections are open.', then: 'reconnect' },
  silent: { code: 4504, means: 'No frame for too long, not even a pong.', then: 'reconnect' },
  slow_consumer: { code: 4508, means: 'The client reads too slowly.', then: 'reconnect' },
} as const satisfies Record<string, CloseRow>;

export type CloseName = keyof typeof CLOSES;

/** What to do after a close with any code, 1006 and those of other sources among them. */
export function afterClose(code: number): AfterClose {
  const known = Object.values(CLOSES).find((row) => row.code === code);
  if (known !== undefined) return known.then;
  return code === 1008 || code === 1009 || (code >= 4400 && code < 4500) ? 'stop' : 'reconnect';
}

/**
 * Where a subscription stands. Opaque: hand back what you were given. Equal cursors of one topic mean equal contents.
 */
export interface Cursor {
  /** Of which history the number is. */
  readonly epoch: string;
  readonly seq: number;
}

/** `seq:epoch`, as in the ids of server-sent events. */
export function cursorText({ epoch, seq }: Cursor): string {
  return `${seq}:${epoch}`;
}

export function cursorFrom(text: string): Cursor | undefined {
  const [, seq, epoch] = /^(\d{1,16}):([\w.:+/=-]{1,128})$/.exec(text) ?? [];
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) };
}
