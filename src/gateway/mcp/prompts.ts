/** Prompts of MCP, which people choose in the host of a coding agent: those of methods that the caller may call. */
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { permitted, type PromptRow } from '../calls/resource-row.ts';
import { type ToolDoor } from './tool-door.ts';

export function servePrompts({ server }: McpServer, door: ToolDoor): void {
  const prompts = async () => permitted((await door.rows()).prompts, door);
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await prompts()).map(({ name, description, arguments: wanted = [] }) => ({
      ...{ name, description },
      arguments: wanted.map((one) => ({ ...one, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) => {
    const row = (await prompts()).find((one) => one.name === name);
    if (row === undefined) throw refused(`there is no prompt ${JSON.stringify(name)}`);
    const absent = row.arguments?.find((one) => (given[one.name] ?? '').trim() === '');
    if (absent !== undefined) throw refused(`the prompt ${name} needs the argument ${absent.name}`);
    const text = filled(row, given);
    return { description: row.description, messages: [{ role: 'user' as const, content: { type: 'text', text } }] };
  });
}

/** The text of a prompt with the values of its arguments. */
function filled({ text, arguments: wanted = [] }: PromptRow, given: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    wanted.some((one) => one.name === name) ? given[name]! : whole,
  );
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
