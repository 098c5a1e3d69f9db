/** Resources of MCP: the guide, actors by address, and charts of agents. Each is read by a tool's method. */
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { TOOL_MS } from '../limits.ts';
import { envelopeOf } from './envelope.ts';
import { GUIDE } from './guide.ts';
import { type ToolDoor } from './tool-door.ts';

const GUIDE_URI = 'bosun://guide';

/** Kinds of resources by URI prefix, each with the method that reads it and the method's parameter. */
const KINDS = [
  {
    prefix: 'bosun://actor/',
    name: 'actor',
    description: 'An actor by its address: state, context, and the events that it takes.',
    mimeType: 'application/json',
    method: 'actor.get',
    paramsOf: (address: string) => ({ address }),
    textOf: (answer: unknown) => JSON.stringify(answer, null, 2),
  },
  {
    prefix: 'bosun://chart/',
    name: 'chart',
    description: 'The statechart of an agent by its name, or of an actor by its address, as text of Mermaid.',
    mimeType: 'text/vnd.mermaid',
    method: 'chart.mermaid',
    paramsOf: (name: string) => ({ name }),
    textOf: (answer: unknown) => (answer as { readonly mermaid: string }).mermaid,
  },
] as const;

export function serveResources({ server }: McpServer, door: ToolDoor): void {
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: GUIDE_URI, name: 'guide', description: 'How to use this server, in a page.', mimeType: 'text/markdown' },
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: KINDS.map(({ prefix, name, description, mimeType }) => ({
      uriTemplate: `${prefix}{+${name === 'actor' ? 'address' : 'name'}}`,
      ...{ name, description, mimeType },
    })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq: { signal } }) => {
    if (uri === GUIDE_URI) return { contents: [{ uri, mimeType: 'text/markdown', text: GUIDE }] };
    const kind = KINDS.find(({ prefix }) => uri.startsWith(prefix) && uri.length > prefix.length);
    if (kind === undefined) throw new ResourceNotFoundError(uri, `there is no resource ${JSON.stringify(uri)}`);
    try {
      const params = kind.paramsOf(decodeURIComponent(uri.slice(kind.prefix.length)));
      const answer = await door.call(kind.method, params, { key: undefined, timeoutMs: TOOL_MS, signal });
      return { contents: [{ uri, mimeType: kind.mimeType, text: kind.textOf(answer) }] };
    } catch (error) {
      if (error instanceof URIError)
        throw new ResourceNotFoundError(uri, `the percent-encoding of ${JSON.stringify(uri)} is not valid`);
      const envelope = envelopeOf(door.told(error));
      const message = `${envelope.code}: ${envelope.message}`;
      if (envelope.code.endsWith('_UNKNOWN')) throw new ResourceNotFoundError(uri, message);
      throw new ProtocolError(ProtocolErrorCode.InternalError, message, envelope);
    }
  });
}
