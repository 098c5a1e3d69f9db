/**
 * The protocol over HTTP: every method as a request, every subscription as server-sent events, health, the documents,
 * and the page. A request's body is read only after its sender is authenticated.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { BosunError } from '../../errors.ts';
import { CALL_MS_MAX, FRAME_BYTES_MAX } from '../limits.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { asAgent, type Caller, checkScope, programOf } from '../callers/callers.ts';
import { jsonIn, parseJson } from '../client/frame-text.ts';
import { asyncapi, openapi } from './documents.ts';
import { EventStream } from './event-stream.ts';
import { answer, answerOf, EVERY_ANSWER, type HttpAnswer } from './http-answers.ts';
import { type Entrance, type Hub } from '../client/hub.ts';
import { deskDoor } from '../mcp/desk-door.ts';
import { LLMS_TEXT } from '../mcp/guide.ts';
import { answerMcp } from '../mcp/endpoint.ts';
import { METRICS_TYPE } from '../health/metrics.ts';
import { paramsIn } from '../calls/query.ts';
import { rowsFor } from '../calls/resource-row.ts';
import { type Repeatable } from '../calls/repeats.ts';
import { sessionId, sub } from '../protocol/frames.ts';
import { METHODS_PATH, methodsPage } from './methods-page.ts';
import { type InspectorPage, isPage } from './inspector-page.ts';
import {
  cursorFrom,
  EVENTS_PATH,
  INSTANCE_HEADER,
  MCP_PATH,
  PASS_NAME,
  PASS_PATH,
  TOOLS_PATH,
} from '../protocol/protocol.ts';
import { firstIssue, invalid, rateLimited } from '../callers/wire-errors.ts';

const METRICS_PATH = '/metrics';

/** Query parameters in which clients wrongly put tokens; URLs end up in logs and histories. */
const TOKEN_NAMES = ['token', 'access_token', 'authorization', 'api_key'];

/** One request and its response. */
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly page: InspectorPage;
  /** Called with the caller once authenticated. */
  readonly recognised: (caller: Caller) => void;
}

export function handle(hub: Hub, exchange: Exchange): void {
  const { response } = exchange;
  hub.counters.add('requests');
  hub.requests += 1;
  response.once('close', () => (hub.requests -= 1));
  serve(hub, exchange).then(
    (given) => given && answer(response, given),
    (error: unknown) => {
      answer(response, answerOf(hub.counted(error)));
    },
  );
}

/**
 * Serves a request.
 *
 * @returns undefined if the response has begun already.
 */
async function serve(hub: Hub, { request, response, page, recognised }: Exchange): Promise<HttpAnswer | undefined> {
  const url = urlOf(request);
  if (isPage(url.pathname)) {
    await page.answer(url.pathname, request, response);
    return undefined;
  }
  const fixed = await publicAnswer(hub, url.pathname, request);
  if (fixed !== undefined)
    return request.method === 'GET' ? fixed : { status: 405, body: {}, headers: { Allow: 'GET' } };
  if (hub.isDraining) throw new BosunError('BOSUN_DRAINING', 'the gateway is closing');
  if (TOKEN_NAMES.some((name) => url.searchParams.has(name)))
    throw invalid('a token belongs in the header Authorization, never in a URL');
  const isStream = url.pathname === EVENTS_PATH && request.method === 'GET';
  const identified = await hub.identify(bearerIn(request.headers.authorization), passIn(url, request, isStream));
  const program = header(request, 'bosun-as');
  const named = program === undefined ? identified : programOf(identified, program);
  const caller = url.pathname === MCP_PATH ? asAgent(named) : named;
  recognised(caller);
  const retryAfterMs = hub.takeCall(caller, hub.clock.monotonicMs());
  if (retryAfterMs > 0) throw rateLimited('too many calls', retryAfterMs);
  if (url.pathname === PASS_PATH && request.method === 'POST')
    return { status: 200, body: hub.passes.issue(caller, request.headers.origin) };
  if (isStream) {
    await stream(hub, caller, { url, request, response });
    // From here on the request is a connection, for which draining does not wait.
    hub.requests -= 1;
    response.once('close', () => (hub.requests += 1));
    return undefined;
  }
  if (url.pathname === METRICS_PATH && request.method === 'GET') {
    checkScope(caller, 'system:read');
    return { status: 200, body: await hub.metrics(), type: METRICS_TYPE };
  }
  if (url.pathname === MCP_PATH) {
    await tools(hub, caller, { url, request, response });
    return undefined;
  }
  // bosun mcp names its agent, and calls the methods of its tools.
  if (program !== undefined) hub.takeToolCall(caller);
  return call(hub, caller, { url, request, response });
}

/** The URL of a request. Throws BOSUN_CALL_INVALID for an invalid one: a request line may hold anything. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  const base = 'http://localhost';
  if (!URL.canParse(url, base)) throw invalid('the URL of the request is not valid');
  return new URL(url, base);
}

/**
 * Takes the pass out of the query, which holds the subscription's parameters. Throws if the request is not for a
 * stream.
 */
function passIn({ searchParams }: URL, { headers }: IncomingMessage, isStream: boolean): Entrance['pass'] {
  const [pass, ...more] = searchParams.getAll(PASS_NAME);
  if (pass === undefined) return undefined;
  if (!isStream || more.length > 0) throw invalid('a pass opens one socket or one event stream, nothing else');
  searchParams.delete(PASS_NAME);
  return { pass, origin: headers.origin };
}

/** Answers that need no authentication. */
async function publicAnswer(hub: Hub, path: string, request: IncomingMessage): Promise<HttpAnswer | undefined> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { ok: true }, headers: { [INSTANCE_HEADER]: hub.instance } };
    case '/readyz': {
      const isReady = await hub.isReady();
      return { status: isReady ? 200 : 503, body: { ready: isReady } };
    }
    case '/openapi.json':
      return { status: 200, body: openapi(hub.methods.rows) };
    case '/llms.txt':
      return { status: 200, body: LLMS_TEXT, type: MARKDOWN_TYPE };
    case TOOLS_PATH: {
      const { tools, resources, ...others } = rowsFor(await readerOf(hub, request), hub.methods);
      return { status: 200, body: { tools: withRoutes(hub, tools), resources: withRoutes(hub, resources), ...others } };
    }
    case METHODS_PATH:
      return { status: 200, body: methodsPage(hub.methods.rows), type: MARKDOWN_TYPE };
    case '/asyncapi.json':
      return { status: 200, body: asyncapi(hub.methods.rows) };
    default:
      return undefined;
  }
}

/** The holder of a grant that a request shows. Everybody else reads the same, and needs no valid token for it. */
async function readerOf({ callers }: Hub, { headers }: IncomingMessage): Promise<Pick<Caller, 'methods' | 'scopes'>> {
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  return (token === undefined ? undefined : await callers.grantee(token)) ?? { scopes: new Set() };
}

/** Rows of MCP with the routes of their methods. */
function withRoutes<Row extends { readonly method: string }>({ methods }: Hub, rows: readonly Row[]) {
  return rows.map((row) => ({ ...row, http: methods.row(row.method)!.http }));
}

interface HttpExchange {
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers a request of MCP. Each message of a batch counts as a call. */
async function tools(hub: Hub, caller: Caller, { url, request, response }: HttpExchange): Promise<void> {
  const body = request.method === 'POST' ? await textOf(request) : undefined;
  const parsedBody = body === undefined ? undefined : jsonIn(body);
  await answerMcp(deskDoor(hub, caller), { url, request, body, parsedBody, response, headers: EVERY_ANSWER });
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
  const found = hub.methods.routed(request.method ?? '', url.pathname);
  if (found === undefined)
    throw new BosunError(
      'BOSUN_CALL_INVALID',
      'no method has this path and HTTP verb; a slash in an address is %2F, which a proxy must pass on as it is',
    );
  const { name: method, inPath } = found;
  const row = hub.methods.row(method)!;
  const given = row.http.verb === 'GET' ? paramsIn(row.params, url.searchParams) : await body(request);
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

async function body(request: IncomingMessage): Promise<Record<string, unknown>> {
  // A page of another origin can send other content types without the browser asking first (CORS preflight).
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw invalid('the header Content-Type must be application/json');
  const text = await textOf(request);
  const value = text === '' ? {} : parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the body must be a JSON object');
  return value as Record<string, unknown>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > FRAME_BYTES_MAX) throw invalid(`a body has at most ${FRAME_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
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
    throw invalid(`the header Bosun-Deadline-Ms must be a whole number from 1 to ${CALL_MS_MAX}`);
  return deadlineMs;
}

/** A header's value. Throws BOSUN_CALL_INVALID if it is longer than any valid one. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  if (text !== undefined && text.length > 256) throw invalid(`the header ${name} is too long`);
  return text;
}

const BEARER = /^Bearer +([\w.~+/=-]{1,8192})$/i;

/** The bearer token of a header. Throws BOSUN_UNAUTHENTICATED for another scheme. */
export function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token === undefined)
    throw new BosunError('BOSUN_UNAUTHENTICATED', 'the header Authorization is not of the form "Bearer TOKEN"');
  return token;
}

/** Refuses a request before any of it but its headers is read. */
export function refused(hub: Hub, response: ServerResponse, why: 'host' | 'origin' | 'rate'): void {
  hub.counters.add(`turned away.${why}`);
  const error = new BosunError(
    why === 'rate' ? 'BOSUN_RATE_LIMITED' : 'BOSUN_FORBIDDEN',
    why === 'rate' ? 'too many requests' : `this ${why} is not allowed`,
  );
  answer(response, answerOf(hub.told(error)));
}
