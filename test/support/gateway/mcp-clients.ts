/** Clients of MCP for tests: the current one in both protocol eras, and the older one that hosts in the field embed. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished, TestRunner } from 'vitest';
import { type ErrorEnvelope } from '../../../src/gateway/mcp/envelope.ts';

/** The result of a tool, as every client gives it. */
export interface Told {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

export interface ListedTool {
  readonly name: string;
  readonly annotations?: object | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly description?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A client as the tests use it. */
export interface McpClient {
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Told>;
  readonly client: Client | OldClient;
  close(): Promise<void>;
}

/** The names under which tests run once for each kind of client. */
export const ERAS = ['of 2026', 'of 2025', '1.32'] as const;
export type Era = (typeof ERAS)[number];

const INFO = { name: 'test', version: '0' };

/** Any transport: the client's own types of transports differ between the two packages. */
type Wire = never;

/** A client that is closed at the end of the test in which it was made, if not before. */
export async function connected(era: Era, wire: object): Promise<McpClient> {
  const client =
    era === '1.32'
      ? new OldClient(INFO)
      : new Client(INFO, { versionNegotiation: { mode: era === 'of 2026' ? 'auto' : 'legacy' } });
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => client.close().catch(() => {}));
  await client.connect(wire as Wire);
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Told,
    close: () => client.close(),
  };
}

/** A client over HTTP. */
export function overHttp(era: Era, url: string, token?: string): Promise<McpClient> {
  const requestInit = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
  const place = new URL(url);
  return connected(
    era,
    era === '1.32'
      ? new OldTransport(place, { requestInit })
      : new StreamableHTTPClientTransport(place, { requestInit }),
  );
}

/** The structure of an answer: its structured content, or the same from its text. */
export function toldBy({ structuredContent, content }: Told): Record<string, unknown> {
  return (structuredContent ?? JSON.parse(content[0]!.text!)) as Record<string, unknown>;
}

/** The error of a failed tool: what its envelope says is wrong. */
export function errorOf(told: Told): ErrorEnvelope['error'] {
  return envelopeIn(told).error;
}

/** The whole envelope of a failed tool. */
export function envelopeIn(told: Told): ErrorEnvelope {
  if (told.isError !== true) throw new Error(`the tool did not fail: ${JSON.stringify(told.content)}`);
  return toldBy(told) as unknown as ErrorEnvelope;
}
