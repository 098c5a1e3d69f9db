/**
 * `/mcp` on the gateway's port: a request of Node becomes one of the web, and a server made for it alone answers, in
 * either protocol era and without a session. Callers, origins and bodies have been checked before (network/http.ts).
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { TOOL_PROFILES, type ToolProfile } from '../../actors/api/procedure.ts';
import { invalid } from '../callers/wire-errors.ts';
import { mcpServer } from './server.ts';
import { type ToolDoor } from './tool-door.ts';

/** The query parameter that names profiles, separated by commas. */
const PROFILE = 'profile';

export interface McpExchange {
  readonly url: URL;
  readonly request: IncomingMessage;
  /** The text of the body; undefined for a verb without one. */
  readonly body: string | undefined;
  /** The body as JSON; undefined if it is not JSON. */
  readonly parsedBody: unknown;
  readonly response: ServerResponse;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a request. Throws BOSUN_CALL_INVALID for a profile that does not exist. */
export async function answerMcp(door: ToolDoor, exchange: McpExchange): Promise<void> {
  const { url, request, body, parsedBody, response } = exchange;
  const profiles = profilesIn(url.searchParams.get(PROFILE) ?? undefined);
  // No subscriptions: nothing that a client could subscribe to is announced, and each would hold a connection.
  const handler = createMcpHandler(({ era }) => mcpServer(door, { profiles, isModern: era === 'modern' }), {
    maxSubscriptions: 0,
  });
  const gone = new AbortController();
  response.on('close', () => {
    gone.abort();
    void handler.close();
  });
  const { method = 'GET' } = request;
  const asked = new Request(url, {
    method,
    headers: headersOf(request),
    signal: gone.signal,
    ...(body !== undefined && { body }),
  });
  await written(exchange, await handler.fetch(asked, parsedBody === undefined ? {} : { parsedBody }));
}

/** The profiles in a comma-separated list; undefined for no list. Throws BOSUN_CALL_INVALID. */
export function profilesIn(text: string | undefined): readonly ToolProfile[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((name) => {
    const profile = TOOL_PROFILES.find((one) => one === name.trim());
    if (profile === undefined)
      throw invalid(`there is no profile ${JSON.stringify(name)}; there are: ${TOOL_PROFILES.join(', ')}`);
    return profile;
  });
}

/** The headers that the protocol reads. The token is left out, since the caller is known already. */
function headersOf({ headers }: IncomingMessage): Headers {
  const read = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && (/^(accept|content-type)$/.test(name) || name.startsWith('mcp-')))
      read.set(name, value);
  return read;
}

async function written({ response, headers }: McpExchange, given: Response): Promise<void> {
  if (response.destroyed) return;
  response.writeHead(given.status, { ...headers, ...Object.fromEntries(given.headers) });
  response.flushHeaders();
  const body = given.body as unknown as AsyncIterable<Uint8Array> | null;
  for await (const chunk of body ?? [])
    if (!response.write(chunk) && !response.destroyed)
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
  response.end();
}
