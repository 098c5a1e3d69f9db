/**
 * The twins of the protocol in HTTP: every method of the table, every subscription as server-sent events, health, the
 * documents, and the page. It reads a request only once it knows who sends it.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type z } from 'zod';
import { BosunError } from '../../errors.ts';
import { CALL_MS_MAX, FRAME_BYTES_MAX } from '../../limits.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { type Caller, checkScope } from '../client/callers.ts';
import { parseJson } from '../client/frame-text.ts';
import { asyncapi, openapi } from '../protocol/documents.ts';
import { EventStream } from './event-stream.ts';
import { answer, answerOf, type HttpAnswer } from './http-answers.ts';
import { type Entrance, type Hub } from '../client/hub.ts';
import { type MethodRow } from '../calls/method-row.ts';
import { type MethodName, METHODS, rowOf } from '../calls/methods.ts';
import { METRICS_TYPE } from '../client/metrics.ts';
import { type Repeatable } from '../calls/repeats.ts';
import { sessionId, sub } from '../protocol/frames.ts';
import { isPage } from './inspector-page.ts';
import { cursorFrom, EVENTS_PATH, PASS_NAME, PASS_PATH } from '../protocol/protocol.ts';
import { firstIssue, invalid } from '../calls/wire-errors.ts';

interface HttpRoute {
  readonly method: MethodName;
  readonly verb: string;
  readonly segments: readonly string[];
}

const ROUTES: readonly HttpRoute[] = (Object.keys(METHODS) as MethodName[]).map((method) => {
  const { verb, path } = METHODS[method].http;
  return { method, verb, segments: path.split('/') };
});

const METRICS_PATH = '/metrics';

/** Names under which tokens are wrongly put into addresses, which end up in logs and histories. */
const TOKEN_NAMES = ['token', 'access_token', 'authorization', 'api_key'];

export function handle(hub: Hub, request: IncomingMessage, response: ServerResponse): void {
  hub.counters.add('requests');
  hub.requests += 1;
  response.once('close', () => (hub.requests -= 1));
  serve(hub, request, response).then(
    (given) => given && answer(response, given),
    (error: unknown) => {
      answer(response, answerOf(hub.counted(error)));
    },
  );
}

/** @returns undefined where the answer has begun already. */
async function serve(hub: Hub, request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer | undefined> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (isPage(url.pathname)) {
    await hub.page.answer(url.pathname, request, response);
    return undefined;
  }
  const fixed = await publicAnswer(hub, url.pathname);
  if (fixed !== undefined)
    return request.method === 'GET' ? fixed : { status: 405, body: {}, headers: { Allow: 'GET' } };
  if (hub.isDraining) throw new BosunError('BOSUN_DRAINING', 'the gateway is about to close');
  if (TOKEN_NAMES.some((name) => url.searchParams.has(name)))
    throw invalid('a token belongs into the header Authorization, never into an address');
  const isStream = url.pathname === EVENTS_PATH && request.method === 'GET';
  const caller = await hub.identify(bearerIn(request.headers.authorization), passIn(url, request, isStream));
  const retryAfterMs = hub.takeCall(caller, hub.clock.monotonicMs());
  if (retryAfterMs > 0) throw new BosunError('BOSUN_RATE_LIMITED', 'too many calls', { details: { retryAfterMs } });
  if (url.pathname === PASS_PATH && request.method === 'POST')
    return { status: 200, body: hub.passes.issue(caller, request.headers.origin) };
  if (isStream) {
    await stream(hub, caller, { url, request, response });
    // From here on it is a connection, which is not waited for.
    hub.requests -= 1;
    response.once('close', () => (hub.requests += 1));
    return undefined;
  }
  if (url.pathname === METRICS_PATH && request.method === 'GET') {
    checkScope(caller, 'system:read');
    return { status: 200, body: await hub.metrics(), type: METRICS_TYPE };
  }
  return call(hub, caller, { url, request, response });
}

/** Taken out of the address, where a subscription's parameters are. Throws where it stands for what is no stream. */
function passIn({ searchParams }: URL, { headers }: IncomingMessage, isStream: boolean): Entrance['pass'] {
  const [pass, ...more] = searchParams.getAll(PASS_NAME);
  if (pass === undefined) return undefined;
  if (!isStream || more.length > 0) throw invalid('a pass is for a socket or a stream of events, and for one');
  searchParams.delete(PASS_NAME);
  return { pass, origin: headers.origin };
}

/** What anybody may see who gets this far. */
async function publicAnswer(hub: Hub, path: string): Promise<HttpAnswer | undefined> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { ok: true } };
    case '/readyz': {
      const isReady = await hub.isReady();
      return { status: isReady ? 200 : 503, body: { ready: isReady } };
    }
    case '/openapi.json':
      return { status: 200, body: openapi() };
    case '/asyncapi.json':
      return { status: 200, body: asyncapi() };
    default:
      return undefined;
  }
}

interface HttpExchange {
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function stream(hub: Hub, caller: Caller, { url, request, response }: HttpExchange): Promise<void> {
  if (!hub.admits(caller)) throw new BosunError('BOSUN_GATEWAY_FULL', 'too many connections of this caller');
  const query = Object.fromEntries(url.searchParams);
  const last = header(request, 'last-event-id');
  const from = last === undefined ? undefined : cursorFrom(last);
  const maxHz = query['maxHz'] === undefined ? {} : { maxHz: Number(query['maxHz']) };
  const parsed = sub.safeParse({ ...query, ...maxHz, t: 'sub', id: 'events', from });
  if (!parsed.success) throw invalid(firstIssue(parsed.error, 'query'));
  await new EventStream(hub, caller, response).begin(parsed.data);
}

async function call(hub: Hub, caller: Caller, { url, request, response }: HttpExchange): Promise<HttpAnswer> {
  const found = routed(request.method ?? '', url.pathname);
  if (found === undefined) throw new BosunError('BOSUN_CALL_INVALID', 'there is no method of this path and verb');
  const { method, inPath } = found;
  const row: MethodRow = rowOf(method)!;
  const given = row.http.verb === 'GET' ? fromQuery(row.params, url.searchParams) : await body(request);
  const asked = {
    caller,
    method,
    params: { ...given, ...inPath },
    session: sessionIn(request),
    key: header(request, 'idempotency-key'),
    deadlineMs: deadlineIn(request),
  };
  const { result, replayed } = await new Promise<Repeatable<unknown>>((resolve, reject) => {
    const call = hub.desk.take(asked, { answered: resolve, refused: reject });
    response.on('close', () => call.cancel());
  });
  return { status: 200, body: result, headers: replayed ? { 'Bosun-Replayed': 'true' } : {} };
}

function routed(verb: string, path: string): { method: MethodName; inPath: Record<string, string> } | undefined {
  const parts = path.split('/');
  for (const { method, verb: wanted, segments } of ROUTES) {
    if (verb !== wanted || parts.length !== segments.length) continue;
    const inPath: Record<string, string> = {};
    const fits = segments.every((segment, index) => {
      const part = parts[index]!;
      if (!segment.startsWith('{')) return segment === part;
      inPath[segment.slice(1, -1)] = decoded(part);
      return part !== '';
    });
    if (fits) return { method, inPath };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('the path is not percent-encoded as it should be');
  }
}

/** Text, but for parameters that are numbers. */
function fromQuery(params: z.ZodObject, query: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    [...query].map(([key, text]) => [
      key,
      Object.hasOwn(params.shape, key) && params.shape[key]!.safeParse(text).success ? text : numeric(text),
    ]),
  );
}

function numeric(text: string): unknown {
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

async function body(request: IncomingMessage): Promise<Record<string, unknown>> {
  // A page of another origin can send other kinds without asking the browser first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw invalid('the header Content-Type has to be application/json');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > FRAME_BYTES_MAX) throw invalid(`a body has at most ${FRAME_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const value = text === '' ? {} : parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the body has to be a JSON object');
  return value as Record<string, unknown>;
}

function sessionIn(request: IncomingMessage): Session | undefined {
  const id = header(request, 'bosun-session');
  if (id === undefined) return undefined;
  const sequence = Number(header(request, 'bosun-sequence'));
  if (!sessionId.safeParse(id).success || !Number.isSafeInteger(sequence) || sequence < 1)
    throw invalid('a session needs the headers Bosun-Session (22 to 64 characters) and Bosun-Sequence');
  return { id, sequence };
}

function deadlineIn(request: IncomingMessage): number | undefined {
  const text = header(request, 'bosun-deadline-ms');
  if (text === undefined) return undefined;
  const deadlineMs = Number(text);
  if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > CALL_MS_MAX)
    throw invalid(`the header Bosun-Deadline-Ms is a whole number from 1 to ${CALL_MS_MAX}`);
  return deadlineMs;
}

/** Throws BOSUN_CALL_INVALID for one that is longer than any of ours. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  if (text !== undefined && text.length > 256) throw invalid(`the header ${name} is too long`);
  return text;
}

/** Throws BOSUN_UNAUTHENTICATED for another scheme. */
export function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^Bearer +([\w.~+/=-]{1,8192})$/i.exec(authorization) ?? [];
  if (token === undefined)
    throw new BosunError('BOSUN_UNAUTHENTICATED', 'the header Authorization is not of the form "Bearer TOKEN"');
  return token;
}

/** What is said of a request before anything is looked into. */
export function refused(hub: Hub, response: ServerResponse, why: 'host' | 'origin' | 'rate'): void {
  hub.counters.add(`turned away.${why}`);
  const error = new BosunError(
    why === 'rate' ? 'BOSUN_RATE_LIMITED' : 'BOSUN_FORBIDDEN',
    why === 'rate' ? 'too many requests' : `this ${why} is not served`,
  );
  answer(response, answerOf(hub.told(error)));
}
