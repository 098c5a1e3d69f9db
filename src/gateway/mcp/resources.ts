/** Resources of MCP: the guide, and what marked methods read, each by its URI. */
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { permitted, type ResourceRow } from '../calls/resource-row.ts';
import { TOOL_MS } from '../limits.ts';
import { envelopeOf } from './envelope.ts';
import { GUIDE } from './guide.ts';
import { type ToolDoor } from './tool-door.ts';

const GUIDE_URI = 'bosun://guide';
const GUIDE_MEANS = 'How to use this server, in a page.';
const MARKDOWN_TYPE = 'text/markdown';
const JSON_TYPE = 'application/json';

export function serveResources({ server }: McpServer, door: ToolDoor): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: (await hasGuide(door))
      ? [{ uri: GUIDE_URI, name: 'guide', description: GUIDE_MEANS, mimeType: MARKDOWN_TYPE }]
      : [],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: permitted((await door.rows()).resources, door).map(({ uri, name, description, text }) => ({
      uriTemplate: uri,
      ...{ name, description, mimeType: text?.mimeType ?? JSON_TYPE },
    })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq: { signal } }) => {
    if (uri === GUIDE_URI && (await hasGuide(door)))
      return { contents: [{ uri, mimeType: MARKDOWN_TYPE, text: GUIDE }] };
    const row = (await door.rows()).resources.find(
      ({ prefix }) => uri.startsWith(prefix) && uri.length > prefix.length,
    );
    if (row === undefined) throw new ResourceNotFoundError(uri, `there is no resource ${JSON.stringify(uri)}`);
    const value = valueIn(uri, row);
    let answer: unknown;
    try {
      answer = await door.call(row.method, { [row.parameter]: value }, { key: undefined, timeoutMs: TOOL_MS, signal });
    } catch (error) {
      const envelope = envelopeOf(door.told(error), { agent: door.agent });
      const { bosun_code: code, message } = envelope.error;
      if (code.endsWith('_UNKNOWN')) throw new ResourceNotFoundError(uri, `${code}: ${message}`);
      throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, envelope);
    }
    const { needs, text } = row;
    if (needs !== undefined && fieldOf(answer, needs) === null)
      throw new ResourceNotFoundError(uri, `there is no ${row.name} ${value}`);
    return text === undefined
      ? { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(answer, null, 2) }] }
      : { contents: [{ uri, mimeType: text.mimeType, text: String(fieldOf(answer, text.field)) }] };
  });
}

/**
 * Whether the guide is for the caller. It tells of the gateway's own tools, which a token that names its methods lacks.
 */
async function hasGuide(door: ToolDoor): Promise<boolean> {
  if (door.isGranted !== undefined) return !door.isGranted;
  // Where there is no system, the guide is all that can be read.
  const { areGranted } = await Promise.resolve(door.rows()).catch(() => ({ areGranted: false }));
  return areGranted !== true;
}

/** The value of the parameter in a URI. Throws an error of the protocol for an invalid percent-encoding. */
function valueIn(uri: string, { prefix }: ResourceRow): string {
  try {
    return decodeURIComponent(uri.slice(prefix.length));
  } catch {
    throw new ResourceNotFoundError(uri, `the percent-encoding of ${JSON.stringify(uri)} is not valid`);
  }
}

function fieldOf(answer: unknown, field: string): unknown {
  return (answer as Readonly<Record<string, unknown>>)[field];
}
