/**
 * `bosun session tool`, which the runner of sessions starts for an agent that is a tool of an MCP server: calls the
 * tool that stdin names, and writes its result into the file that is the hand-off. The server is a process below this
 * one, and ends with it.
 */
import { text as textOf } from 'node:stream/consumers';
import { z } from 'zod';
import { BosunError, messageOf } from '../../errors.ts';
import { toolWork } from '../../machines/hub/agent-spec.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { jsonObject } from '../json-text.ts';
import { sessionIn, write } from './session-command.ts';
import { type DataCommand, type Environment } from '../surroundings.ts';

/** The longest call. The time of its session ends it before. */
const CALL_MS = 24 * 60 * 60_000;

const about = z.object({ session: z.string(), role: z.string(), task: z.string(), prompt: z.string() });
const call = about.extend({ does: toolWork });
type Call = z.output<typeof call>;

const result = z.object({
  isError: z.boolean().default(false),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).default([]),
});

export function toolCommand(command: DataCommand): Promise<ExitCode> {
  return carriedOut(command, async () => {
    const { file } = sessionIn(command.env);
    write(file, await called(call.parse(JSON.parse(await textOf(process.stdin))), command.env));
  });
}

/** The package of clients. Rejects with BOSUN_CONFIG_INVALID if it is not installed. */
export async function mcpClient() {
  try {
    const [client, stdio] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...client, ...stdio };
  } catch (error) {
    const message = 'tools of MCP servers need a package: npm install @modelcontextprotocol/client';
    throw new BosunError('BOSUN_CONFIG_INVALID', message, { cause: error });
  }
}

/** The hand-off that a tool gives. Rejects with BOSUN_TASK_FAILED in the words of the tool or of its server. */
async function called({ does, ...facts }: Call, env: Environment): Promise<Record<string, unknown>> {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await mcpClient();
  const { run, url, tool } = does;
  const client = new Client({ name: 'bosun', version: '1' });
  try {
    await client.connect(
      run === undefined
        ? new StreamableHTTPClientTransport(new URL(url!))
        : new StdioClientTransport({ command: '/bin/sh', args: ['-c', run], env: env as Record<string, string> }),
    );
    const { tools } = await client.listTools();
    const known = tools.find(({ name }) => name === tool);
    if (known === undefined)
      throw new Error(`the server has no tool "${tool}"; it has ${tools.map(({ name }) => name).join(', ')}`);
    const taken = known.inputSchema.properties ?? {};
    // What it does not declare it could refuse.
    const told = Object.fromEntries(Object.entries(facts).filter(([name]) => Object.hasOwn(taken, name)));
    const params = { name: tool, arguments: { ...told, ...does.arguments } };
    return saidBy(result.parse(await client.callTool(params, { timeout: CALL_MS })));
  } catch (error) {
    throw new BosunError('BOSUN_TASK_FAILED', messageOf(error), { cause: error });
  } finally {
    await client.close();
  }
}

function saidBy({ isError, structuredContent, content }: z.output<typeof result>): Record<string, unknown> {
  const text = content.find((one) => one.text !== undefined)?.text ?? '';
  if (isError) throw new Error(text || 'the tool failed and did not say why');
  return structuredContent ?? jsonObject(text, 'the result of the tool');
}
