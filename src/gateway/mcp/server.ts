/**
 * The factory of MCP servers: tools, resources and prompts over one door. It only translates between MCP and calls of
 * the gateway, and keeps nothing between two requests, so one server answers one request or a whole connection alike.
 */
import { McpServer, type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ToolProfile } from '../../actors/api/procedure.ts';
import { systemClock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { didYouMean } from '../../near-names.ts';
import { TOOL_KEY_CHARS_MAX, TOOL_MS, TOOL_MS_MAX } from '../limits.ts';
import { type WireError } from '../protocol/frames.ts';
import { PROTOCOL_MINOR, PROTOCOL_VERSION } from '../protocol/protocol.ts';
import { envelopeOf, type FailedCall } from './envelope.ts';
import { INSTRUCTIONS } from './guide.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { policyOf, toldPolicy } from './retry-policy.ts';
import { type ToolDoor } from './tool-door.ts';
import { shownTools, type ToolRow } from '../calls/tool-row.ts';

const VERSION = `${PROTOCOL_VERSION}.${PROTOCOL_MINOR}`;

/** The key of a tool's metadata for its retry policy. */
const RETRY_META = 'bosun/retry';

export interface McpOptions {
  /** The profiles whose tools are listed; undefined for the most useful tools of all profiles. */
  readonly profiles: readonly ToolProfile[] | undefined;
  /**
   * Whether errors also have structured content. Clients of the 2025 protocol check an error's structure by the schema
   * of results and would refuse it; they read the same from the text.
   */
  readonly isModern: boolean;
}

/** Makes the server for one connection or one request. */
export function mcpServer(door: ToolDoor, options: McpOptions): McpServer {
  const mcp = new McpServer(
    { name: 'bosun', version: VERSION },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      ...(door.isGranted !== true && { instructions: INSTRUCTIONS }),
    },
  );
  const { server } = mcp;
  serveResources(mcp, door);
  servePrompts(mcp, door);
  server.setRequestHandler('tools/list', async () => {
    return { tools: shownTools(await door.rows(), door, options.profiles).map(listed) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const { name, arguments: given = {} } = params;
    let row: ToolRow | undefined;
    let result: CallToolResult;
    try {
      const untilMs = systemClock.monotonicMs() + timeIn(given['timeoutMs']);
      const leftMs = () => Math.max(1, Math.ceil(untilMs - systemClock.monotonicMs()));
      row = (await door.rows(leftMs())).tools.find(({ tool }) => tool === name);
      if (row === undefined) throw unknownTool(door, name, given);
      const answer = await called(door, row, { given, leftMs, signal });
      result = { content: [{ type: 'text', text: textOf(answer) }], structuredContent: answer as never };
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      result = refusal(door.told(error), { agent: door.agent, tool: row, given }, options);
    }
    return server.projectCallToolResult(result, row?.output);
  });
  return mcp;
}

interface Given {
  readonly given: Readonly<Record<string, unknown>>;
  /** Returns the milliseconds until the deadline of the call. */
  readonly leftMs: () => number;
  readonly signal: AbortSignal;
}

async function called(door: ToolDoor, row: ToolRow, { given, leftMs, signal }: Given): Promise<unknown> {
  if (row.isForPeople && !door.isPerson)
    throw new BosunError(
      'BOSUN_FORBIDDEN',
      `${row.tool} may only be called by a person, and this connection is a program's`,
    );
  checkNames(row, given);
  const { timeoutMs: _, idempotencyKey, ...params } = given;
  return door.call(row.method, params, { key: keyIn(idempotencyKey, row), timeoutMs: leftMs(), signal });
}

/** Refuses arguments that the tool has not, which its method would overlook, and the lack of those that it needs. */
function checkNames({ tool, input }: ToolRow, given: Given['given']): void {
  const { properties = {}, required = [], additionalProperties } = input as ArgumentsSchema;
  const names = Object.keys(properties);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined && additionalProperties === undefined) {
    const wayOut = didYouMean(unknown, names) || `; it has: ${names.join(', ')}`;
    throw new BosunError('BOSUN_CALL_INVALID', `${tool} has no argument ${JSON.stringify(unknown)}${wayOut}`);
  }
  const absent = required.find((name) => given[name] === undefined);
  if (absent !== undefined) throw new BosunError('BOSUN_CALL_INVALID', `${tool} needs the argument ${absent}`);
}

/** The part of a tool's schema that names its arguments. */
interface ArgumentsSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

function refusal(error: WireError, call: FailedCall, { isModern }: McpOptions): CallToolResult {
  const envelope = envelopeOf(error, call);
  return {
    isError: true,
    content: [{ type: 'text', text: textOf(envelope) }],
    ...(isModern && { structuredContent: { ...envelope } }),
  };
}

/** A fault of the protocol (MX-121), whose data is the envelope of the errors of tools. */
function unknownTool({ agent }: ToolDoor, name: string, given: Given['given']): ProtocolError {
  const message = `there is no tool ${JSON.stringify(name)}`;
  const error: WireError = { code: 'BOSUN_CALL_INVALID', message, retryable: false };
  const envelope = envelopeOf(error, { agent, given, code: 'TOOL_NOT_FOUND' });
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, envelope);
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function timeIn(value: unknown = TOOL_MS): number {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= TOOL_MS_MAX) return value as number;
  throw new BosunError('BOSUN_CALL_INVALID', `timeoutMs must be a whole number from 1 to ${TOOL_MS_MAX}`);
}

function keyIn(value: unknown, { does }: ToolRow): string | undefined {
  if (value === undefined) return undefined;
  if (does === 'nothing')
    throw new BosunError('BOSUN_CALL_INVALID', 'idempotencyKey is only for tools that change state; leave it out');
  if (typeof value === 'string' && value.length >= 1 && value.length <= TOOL_KEY_CHARS_MAX) return value;
  throw new BosunError('BOSUN_CALL_INVALID', `idempotencyKey must be a text of 1 to ${TOOL_KEY_CHARS_MAX} characters`);
}

function listed({ tool: name, means: description, input, output, annotations, ...row }: ToolRow) {
  return {
    name,
    description,
    annotations,
    _meta: { [RETRY_META]: toldPolicy(policyOf(row)) },
    inputSchema: input as { readonly type: 'object' },
    outputSchema: output as { readonly type: 'object' },
  };
}
