/**
 * The gateway of a running system, as the verbs of the command line use it: calls by HTTP, subscriptions by event
 * streams. It is found by what the system announced in its data directory, and asked whether it is still there.
 */
import { BosunError, ERROR_CODES, type ErrorCode, isBosunError } from '../errors.ts';
import { type MethodName, METHODS } from '../gateway/calls/methods.ts';
import { withWholeTables } from '../gateway/calls/whole-tables.ts';
import { EVENTS_PATH } from '../gateway/protocol/protocol.ts';
import { type ServerFrame, type WireError } from '../gateway/protocol/frames.ts';
import { type ActorView } from '../gateway/protocol/views.ts';
import { type Shown } from '../table.ts';
import { type DataDirectory } from './data-directory.ts';
import { announcedGateway, type GatewayAddress } from './gateway-file.ts';

/** A gateway on this machine that says nothing for so long hangs, or is none. */
const PROBE_MS = 2_000;

export interface StreamOptions {
  /** A cursor, to go on behind it. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
}

export class LiveGateway {
  readonly url: string;
  readonly #token: string;

  constructor({ url, token }: Pick<GatewayAddress, 'url' | 'token'>) {
    this.url = url;
    this.#token = token;
  }

  /** That of the system which runs on a data directory; undefined where none does. */
  static async of(directory: DataDirectory): Promise<LiveGateway | undefined> {
    const address = await announcedGateway(directory);
    if (address === undefined) return undefined;
    const gateway = new LiveGateway(address);
    return (await gateway.#answers()) ? gateway : undefined;
  }

  /** Rejects with what the gateway answers, or BOSUN_SYSTEM_CLOSED where it is gone. */
  async call<Result>(
    method: MethodName,
    params: Readonly<Record<string, unknown>> = {},
    { deadlineMs }: { readonly deadlineMs?: number | undefined } = {},
  ): Promise<Result> {
    const { verb, path } = METHODS[method].http;
    const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest.get(name));
      rest.delete(name);
      return encodeURIComponent(value);
    });
    const query =
      verb === 'GET' && rest.size > 0
        ? `?${new URLSearchParams([...rest].map(([key, value]): [string, string] => [key, String(value)]))}`
        : '';
    const deadline: Record<string, string> =
      deadlineMs === undefined ? {} : { 'Bosun-Deadline-Ms': String(deadlineMs) };
    const post =
      verb === 'POST'
        ? {
            method: 'POST',
            headers: { ...deadline, 'Content-Type': 'application/json' },
            body: JSON.stringify(Object.fromEntries(rest)),
          }
        : { headers: deadline };
    const response = await this.#fetch(`${place}${query}`, post);
    const body = (await response.json()) as Result & { readonly error?: WireError };
    if (response.ok) return body;
    throw errorOf(body.error);
  }

  /** What an actor shows, with all rows of its tables. Rejects with BOSUN_ACTOR_UNKNOWN where there is none. */
  async actor<Context>(address: string): Promise<{ readonly value: unknown; readonly context: Shown<Context> | null }> {
    const { value, context } = await this.call<ActorView>('actor.get', { address });
    const whole = await withWholeTables(context, (table, from) => this.call('table.read', { address, table, from }));
    // The caller names the agent whose context it is.
    return { value, context: whole as Shown<Context> | null };
  }

  /** Frames of a subscription, until either side ends it. Rejects as `call` does. */
  async *stream(topic: string, mode: 'state' | 'events', { from, signal }: StreamOptions): AsyncGenerator<ServerFrame> {
    const headers: Record<string, string> = from === undefined ? {} : { 'Last-Event-ID': from };
    try {
      const response = await this.#fetch(`${EVENTS_PATH}?${new URLSearchParams({ topic, mode })}`, { headers, signal });
      if (!response.ok) throw errorOf(((await response.json()) as { error?: WireError }).error);
      yield* framesIn(response.body!);
    } catch (error) {
      if (signal.aborted) return;
      // The line broke: what is read of a body throws errors of its own.
      throw isBosunError(error)
        ? error
        : new BosunError('BOSUN_SYSTEM_CLOSED', `the line to the gateway at ${this.url} broke`, { cause: error });
    }
  }

  async #answers(): Promise<boolean> {
    try {
      const response = await this.#fetch(METHODS['system.info'].http.path, { signal: AbortSignal.timeout(PROBE_MS) });
      await response.arrayBuffer();
      // Another one has the port, or nobody of ours; whoever only has too much to do is there.
      return response.ok || response.status === 429 || response.status === 503;
    } catch {
      return false;
    }
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${this.#token}` },
      });
    } catch (error) {
      throw new BosunError('BOSUN_SYSTEM_CLOSED', `the gateway at ${this.url} does not answer`, { cause: error });
    }
  }
}

/** Server-sent events, as our gateway writes them: one line of data each. */
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
    error?.message ?? 'the gateway answered with no error of its own',
    { details: { ...error?.details } },
  );
}
