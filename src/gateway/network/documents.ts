/**
 * Documents from which clients can be generated: OpenAPI for the HTTP twins, AsyncAPI for the socket. Both are made
 * from the tables.
 */
import { type Json, schemaOf } from '../calls/json-schema.ts';
import { type MethodRow } from '../calls/method-row.ts';
import { MethodTable, type NamedRow } from '../calls/method-table.ts';
import { FRAMES, wireError } from '../protocol/frames.ts';
import {
  EVENTS_PATH,
  PROTOCOL_MINOR,
  PROTOCOL_VERSION,
  SOCKET_PATH,
  SUBPROTOCOL,
  PASS_NAME,
  PASS_PATH,
} from '../protocol/protocol.ts';
import { TOPICS } from '../topics/topics.ts';

export const VERSION = `${PROTOCOL_VERSION}.${PROTOCOL_MINOR}`;

/** The gateway's own methods, in the order of the table. */
export const ROWS: readonly NamedRow[] = new MethodTable().rows;

/** The OpenAPI 3.1 document of a gateway with these methods. */
export function openapi(rows: readonly NamedRow[] = ROWS): Json {
  const paths: Record<string, Json> = {};
  for (const [method, row] of rows) (paths[row.http.path] ??= {})[row.http.verb.toLowerCase()] = operation(method, row);
  paths[EVENTS_PATH] = { get: subscription() };
  paths[PASS_PATH] = { post: pass() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bosun gateway',
      version: VERSION,
      description: 'The twins of the methods of the WebSocket protocol. See docs/protocol.md.',
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: { type: 'object', properties: { error: schemaOf(wireError, 'output') }, required: ['error'] } },
    },
    security: [{}, { bearer: [] }],
  };
}

function operation(method: string, row: MethodRow): Json {
  const { means, params, result, http, does, scope, isGranted, example } = row;
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const { properties = {}, required = [] } = schemaOf(params, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const inQuery = http.verb === 'GET' ? others : [];
  const inBody = http.verb === 'GET' ? [] : others;
  const needed = required.filter((name) => inBody.includes(name));
  const headers =
    does === 'nothing' ? [] : [['Idempotency-Key', 'A repeat of the call with the same key counts once.']];
  if (method === 'actor.send')
    headers.push(
      ['Bosun-Session', 'In place of a key: a session of the client, 22 to 64 characters.'],
      ['Bosun-Sequence', 'One more than that of the last send of the session that was accepted.'],
    );
  return {
    operationId: method,
    summary: means,
    'x-scope': scope,
    ...(does === 'destroys' && { 'x-destructive': true }),
    ...(isGranted === true && { 'x-granted': true }),
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] })),
      ...inQuery.map((name) => ({ name, in: 'query', required: required.includes(name), schema: properties[name] })),
      ...[
        ...headers,
        ['Bosun-Deadline-Ms', 'The deadline, after which the answer is BOSUN_TIMEOUT. Default 30,000.'],
      ].map(([name, description]) => ({ name, in: 'header', description, schema: { type: 'string' } })),
    ],
    ...(http.verb === 'POST' && {
      requestBody: {
        required: needed.length > 0,
        content: jsonContent({
          type: 'object',
          properties: Object.fromEntries(inBody.map((name) => [name, properties[name]])),
          required: needed,
        }),
      },
    }),
    responses: {
      200: {
        description: 'Done. The header Bosun-Replayed says that an earlier call did it.',
        content: jsonContent(schemaOf(result, 'output'), example.r),
      },
      default: {
        description: 'An error of docs/errors.md.',
        content: jsonContent({ $ref: '#/components/schemas/Error' }),
      },
    },
  };
}

function subscription(): Json {
  const parameter = (name: string, place: string, schema: Json, description: string, required = false) => ({
    name,
    in: place,
    required,
    schema,
    description,
  });
  return {
    operationId: 'subscribe',
    summary: 'A subscription as server-sent events: the frames of the protocol, whose ids are cursors.',
    parameters: [
      parameter(
        'topic',
        'query',
        { type: 'string' },
        `One of: ${[...new Set(TOPICS.map(({ topic }) => topic))].join(', ')}.`,
        true,
      ),
      parameter('mode', 'query', { enum: ['state', 'events'] }, 'Default state.'),
      parameter(PASS_NAME, 'query', { type: 'string' }, `In place of a token, from ${PASS_PATH}; works once.`),
      parameter('maxHz', 'query', { type: 'number' }, 'At most so many frames a second.'),
      parameter(
        'Last-Event-ID',
        'header',
        { type: 'string' },
        'Where this client left off; browsers send it by themselves.',
      ),
    ],
    responses: {
      200: {
        description: 'Frames, until either side ends it.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
  };
}

function pass(): Json {
  const schema = {
    type: 'object',
    properties: { pass: { type: 'string' }, expiresInMs: { type: 'number' } },
    required: ['pass', 'expiresInMs'],
  };
  return {
    operationId: 'pass',
    summary:
      `A pass of the caller, to be shown once in the query of ${SOCKET_PATH} or ${EVENTS_PATH} by a page of the ` +
      'same origin.',
    responses: {
      200: {
        description: 'The pass.',
        content: jsonContent(schema, { pass: 'R0qzr3vYdT2rZ5Jp6WfXlK1u8sBn4Ea7HcMgQiVtOxk', expiresInMs: 30_000 }),
      },
      default: {
        description: 'An error of docs/errors.md.',
        content: jsonContent({ $ref: '#/components/schemas/Error' }),
      },
    },
  };
}

function jsonContent(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** The AsyncAPI 3.0 document: one channel, its frames, and each method as an operation with a reply. */
export function asyncapi(rows: readonly NamedRow[] = ROWS): Json {
  const frames = [
    ...Object.entries(FRAMES.client).map((entry) => ['client', ...entry] as const),
    ...Object.entries(FRAMES.server).map((entry) => ['server', ...entry] as const),
  ];
  const messages = Object.fromEntries(
    frames.map(([side, kind, { schema, means }]) => [
      `${side}.${kind}`,
      { name: kind, summary: means, payload: schemaOf(schema, side === 'client' ? 'input' : 'output') },
    ]),
  );
  const channel = { $ref: '#/channels/socket' };
  const message = (name: string) => ({ $ref: `#/channels/socket/messages/${name}` });
  const operations = Object.fromEntries(
    rows.map(([method, { means, params, result, scope }]) => [
      method,
      {
        action: 'receive',
        channel,
        summary: means,
        messages: [message('client.req')],
        reply: { channel, messages: [message('server.res')] },
        'x-method': method,
        'x-scope': scope,
        'x-params': schemaOf(params, 'input'),
        'x-result': schemaOf(result, 'output'),
      },
    ]),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Bosun gateway',
      version: VERSION,
      description: `Subprotocol ${SUBPROTOCOL}. See docs/protocol.md.`,
    },
    channels: {
      socket: {
        address: SOCKET_PATH,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ...operations,
      subscribe: {
        action: 'receive',
        channel,
        messages: [message('client.sub')],
        reply: { channel, messages: ['snap', 'end'].map((kind) => message(`server.${kind}`)) },
      },
    },
    components: { messages },
  };
}
