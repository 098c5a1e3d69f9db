/**
 * The gateway of a running system, as used by the verbs of the command line: calls over HTTP, subscriptions over event
 * streams. It is named by its URL, or found by the file in the data directory; either way it is checked by a request.
 */
import { type Route } from '../../actors/api/procedure.ts';
import { ERROR_CODES, type ErrorCode } from '../../error-codes.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { type MethodName, METHODS } from '../../gateway/calls/methods.ts';
import { withWholeTables } from '../../whole-tables.ts';
import { type McpRows, type ResourceRow } from '../../gateway/calls/resource-row.ts';
import { type ToolRow } from '../../gateway/calls/tool-row.ts';
import { EVENTS_PATH, INSTANCE_HEADER, TOOLS_PATH } from '../../gateway/protocol/protocol.ts';
import { type ServerFrame, type WireError } from '../../gateway/protocol/frames.ts';
import { type ActorView } from '../../gateway/protocol/views.ts';
import { type Whole } from '../../table.ts';
import { dataDirectory } from '../store/data-directory.ts';
import { announcedGateway, type GatewayAddress } from '../../gateway/network/announcement.ts';
import { type DataCommand, type RemoteGateway } from '../surroundings.ts';

/**
 * Milliseconds without an answer after which a gateway on this machine counts as gone. A process that has ended refuses
 * at once. With a shorter limit, a busy gateway would count as gone, and its store would then be found in use.
 */
const PROBE_MS = 15_000;

/** The media type of a stream of events. */
const EVENT_STREAM = 'text/event-stream';

interface Within {
  readonly deadlineMs?: number | undefined;
  /** The idempotency key: a repeat with the same key takes effect once. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A tool of MCP as the gateway describes it, with the route of its method. */
export interface OfferedTool extends ToolRow {
  readonly http: Route;
}

/** A method or procedure as the gateway's OpenAPI document describes it. */
export interface OfferedMethod {
  readonly name: string;
  readonly means: string;
  readonly scope: string;
  readonly http: Route;
  readonly params: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** All that clients of MCP see, as the gateway describes it. */
export interface OfferedRows extends McpRows {
  readonly tools: readonly OfferedTool[];
  readonly resources: readonly (ResourceRow & { readonly http: Route })[];
}

interface PathItem {
  readonly [verb: string]: Operation;
}

/** The fields of an operation of OpenAPI that are read here. */
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-scope'?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: BodySchema } } };
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

export interface StreamOptions {
  /** The cursor after which to continue. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
}

export class LiveGateway {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #as: string | undefined;

  /**
   * Makes a client.
   *
   * @param as The name of the calling program, such as `mcp:claude`; undefined for the holder of the token.
   */
  constructor({ url, token }: RemoteGateway, as?: string) {
    this.url = url;
    this.#token = token;
    this.#as = as;
  }

  /**
   * The gateway that a command names, or that of the system on its data directory; undefined if none runs there.
   * Rejects with BOSUN_SYSTEM_CLOSED if the named gateway does not answer.
   */
  static async of(
    command: Pick<DataCommand, 'remote' | 'data' | 'cwd'>,
    as?: string,
  ): Promise<LiveGateway | undefined> {
    const { remote } = command;
    if (remote !== undefined) return LiveGateway.#at(new LiveGateway(remote, as));
    const { path, store, workers } = dataDirectory(command);
    // A gateway of the command line announces itself in the data directory, one of another program beside its store.
    for (const place of [path, store, workers]) {
      const address = await announcedGateway(place);
      if (address !== undefined && (await isThere(address))) return new LiveGateway(address, as);
    }
    return undefined;
  }

  static async #at(gateway: LiveGateway): Promise<LiveGateway> {
    const response = await gateway.#fetch('/healthz', { signal: AbortSignal.timeout(PROBE_MS) });
    const said = await gateway.#bodyOf<{ readonly ok?: unknown } | null>(response);
    if (said?.ok === true) return gateway;
    throw gateway.#stranger(response);
  }

  /** Calls a method. Rejects with the gateway's error, or BOSUN_SYSTEM_CLOSED if the gateway is gone. */
  call<Result>(
    method: MethodName,
    params: Readonly<Record<string, unknown>> = {},
    within: Within = {},
  ): Promise<Result> {
    return this.#request(METHODS[method].http, params, within);
  }

  /** All methods, including procedures of the host. Rejects as `call` does, also if the token is not known. */
  async offers(): Promise<OfferedMethod[]> {
    await this.#checkToken();
    const response = await this.#fetch('/openapi.json');
    const { paths } = await this.#bodyOf<{ readonly paths?: Readonly<Record<string, PathItem>> }>(response);
    if (paths === undefined) throw this.#stranger(response);
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([verb, operation]) => {
        const { operationId: name, summary: means, 'x-scope': scope } = operation;
        const http = { verb: verb.toUpperCase(), path } as Route;
        return scope === undefined ? [] : [{ name, means, scope, http, params: paramsOf(operation) }];
      }),
    );
  }

  /**
   * The tools, resources and prompts of MCP that the gateway offers to the holder of the token. Rejects as `call` does,
   * but the list is public: any token will do, and only a grant makes a difference.
   */
  async rows(): Promise<OfferedRows> {
    const response = await this.#fetch(TOOLS_PATH);
    const { tools, resources = [], prompts = [], areGranted } = await this.#bodyOf<Partial<OfferedRows>>(response);
    if (tools === undefined) throw this.#stranger(response);
    return { tools, resources, prompts, ...(areGranted === true && { areGranted }) };
  }

  /** Calls a method that the gateway offers, as its document describes it. Rejects as `call` does. */
  callOffered(
    { http }: Pick<OfferedMethod, 'http'>,
    params: Readonly<Record<string, unknown>>,
    within: Within = {},
  ): Promise<unknown> {
    return this.#request(http, params, within);
  }

  async #request<Result>(
    { verb, path }: Route,
    params: Readonly<Record<string, unknown>>,
    { deadlineMs, key, signal }: Within,
  ): Promise<Result> {
    const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (!rest.has(name)) throw new BosunError('BOSUN_CALL_INVALID', `${name}: is missing`);
      const value = String(rest.get(name));
      rest.delete(name);
      return encodeURIComponent(value);
    });
    const query =
      verb === 'GET' && rest.size > 0
        ? `?${new URLSearchParams([...rest].map(([key, value]): [string, string] => [key, queryText(value)]))}`
        : '';
    const deadline: Record<string, string> = {
      ...(deadlineMs !== undefined && { 'Bosun-Deadline-Ms': String(deadlineMs) }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    };
    const post =
      verb === 'POST'
        ? {
            method: 'POST',
            headers: { ...deadline, 'Content-Type': 'application/json' },
            body: JSON.stringify(Object.fromEntries(rest)),
          }
        : { headers: deadline };
    const within = signal === undefined ? {} : { signal };
    return this.#bodyOf<Result>(await this.#fetch(`${place}${query}`, { ...post, ...within }));
  }

  /** An actor's view with all rows of its tables. Rejects with BOSUN_ACTOR_UNKNOWN if there is none. */
  async actor<Context>(address: string): Promise<{ readonly value: unknown; readonly context: Whole<Context> | null }> {
    const { value, context } = await this.call<ActorView>('actor.get', { address });
    const whole = await withWholeTables(context, (table, from) => this.call('table.read', { address, table, from }));
    // The caller names the agent whose context this is.
    return { value, context: whole as Whole<Context> | null };
  }

  /** Frames of a subscription, until either side ends it. Rejects as `call` does. */
  async *stream(topic: string, mode: 'state' | 'events', { from, signal }: StreamOptions): AsyncGenerator<ServerFrame> {
    const headers: Record<string, string> = from === undefined ? {} : { 'Last-Event-ID': from };
    try {
      const response = await this.#fetch(`${EVENTS_PATH}?${new URLSearchParams({ topic, mode })}`, { headers, signal });
      if (!response.ok) await this.#bodyOf(response);
      if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) throw this.#stranger(response);
      yield* framesIn(response.body!);
    } catch (error) {
      if (signal.aborted) return;
      // A broken connection: reading a body throws errors of its own.
      throw isBosunError(error) ? error : this.#broken(error);
    }
  }

  /**
   * The body of an answer. Rejects with the gateway's error, or with BOSUN_SYSTEM_CLOSED if the connection breaks or
   * the answer cannot come from a gateway: it is from a proxy without a gateway behind it, or from a page.
   */
  async #bodyOf<Body>(response: Response): Promise<Body> {
    const text = await response.text().catch((error: unknown) => {
      throw this.#broken(error);
    });
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw this.#stranger(response);
    }
    // The caller knows the method, and so the type of its answer.
    if (response.ok) return body as Body;
    const { error } = (body ?? {}) as { readonly error?: WireError };
    throw typeof error?.code === 'string' ? errorOf(error) : this.#stranger(response);
  }

  #broken(cause: unknown): BosunError {
    return new BosunError('BOSUN_SYSTEM_CLOSED', `the connection to the gateway at ${this.url} broke`, { cause });
  }

  /** The error for an answer that cannot come from a gateway. */
  #stranger({ status, headers }: Response): BosunError {
    const to = headers.get('location');
    const message =
      to === null
        ? `what answers at ${this.url} is not a gateway of Bosun (HTTP status ${status})`
        : `${this.url} redirects to ${to}; name the URL at which the gateway itself answers`;
    return new BosunError('BOSUN_SYSTEM_CLOSED', message);
  }

  /** Rejects with BOSUN_UNAUTHENTICATED for a wrong token, which a public document does not show. */
  async #checkToken(): Promise<void> {
    try {
      await this.call('system.info');
    } catch (error) {
      // A token without the right is a known one.
      if (!isBosunError(error, 'BOSUN_FORBIDDEN')) throw error;
    }
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      const bearer: Record<string, string> = {
        ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }),
        ...(this.#as !== undefined && { 'Bosun-As': this.#as }),
      };
      const headers = { ...(init.headers as Record<string, string>), ...bearer };
      // A redirect that is followed turns a POST into a GET.
      return await fetch(`${this.url}${path}`, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      const message = `the gateway at ${this.url} does not answer: ${reasonOf(error)}`;
      throw new BosunError('BOSUN_SYSTEM_CLOSED', message, { cause: error });
    }
  }
}

/** Whether the gateway that announced itself is the one that answers. It is not shown the token before. */
async function isThere({ url, instance }: GatewayAddress): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(PROBE_MS) });
    await response.arrayBuffer();
    return response.headers.get(INSTANCE_HEADER) === instance;
  } catch {
    return false;
  }
}

/** A parameter as text of a query. An object is written as JSON. */
function queryText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * The reason why a request failed. `fetch` states it in the cause of its error; for a host with several addresses, only
 * in the error's code.
 */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  const { code } = cause as { readonly code?: unknown };
  return typeof code === 'string' ? code : messageOf(cause);
}

/** Parses server-sent events as the gateway writes them, with one line of data each. */
async function* framesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerFrame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith('event: close\n')) return;
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data) as ServerFrame;
    }
  }
}

export function errorOf(error: WireError | undefined): BosunError {
  const known = error !== undefined && Object.hasOwn(ERROR_CODES, error.code);
  return new BosunError(
    known ? (error.code as ErrorCode) : 'BOSUN_INTERNAL',
    error?.message ?? 'the gateway answered with an unknown error',
    { details: { ...error?.details } },
  );
}

/** The parameters of a method: those of its path and query, and those of its body. */
function paramsOf({ parameters = [], requestBody }: Operation): OfferedMethod['params'] {
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {};
  return [
    ...parameters
      .filter((one) => one.in !== 'header')
      .map((one) => ({ name: one.name, isRequired: one.required === true })),
    ...Object.keys(properties).map((name) => ({ name, isRequired: required.includes(name) })),
  ];
}
