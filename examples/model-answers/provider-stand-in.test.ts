/** The stand-in of a provider: it takes what its original takes, and refuses the rest in the form of the original. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderStandIn } from './provider-stand-in.ts';

const MESSAGES = [{ role: 'user', content: 'Which port?' }];
const SCHEMA = { type: 'object', properties: { port: { type: 'number' } }, required: ['port'] };

let standIn: ProviderStandIn;
beforeAll(async () => {
  const complete = () => ({ content: '8080' });
  standIn = await ProviderStandIn.start({ key: 'right', model: 'small', complete });
});
afterAll(() => standIn.stop());

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly token?: string | null;
  readonly contentType?: string;
  readonly body?: unknown;
}

async function call({
  method = 'POST',
  path = '/chat/completions',
  token = 'right',
  contentType = 'application/json',
  body = {},
}: Call): Promise<{ status: number; body: unknown }> {
  const written =
    typeof body === 'string' ? body : JSON.stringify({ model: 'small', messages: MESSAGES, ...(body as object) });
  const response = await fetch(`${standIn.url}${path}`, {
    method,
    headers: { 'Content-Type': contentType, ...(token !== null && { Authorization: `Bearer ${token}` }) },
    ...(method === 'POST' && { body: written }),
  });
  return { status: response.status, body: await response.json() };
}

/** The schema of a response with this one, strict. */
function strict(schema: object, name = 'draft'): object {
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } };
}

describe('the stand-in of a provider', () => {
  it.each<[string, Call]>([
    ['a request', {}],
    [
      'JSON of any form',
      { body: { messages: [{ role: 'user', content: 'as JSON' }], response_format: { type: 'json_object' } } },
    ],
    ['JSON of a strict schema', { body: strict({ ...SCHEMA, additionalProperties: false }) }],
  ])('takes %s', async (_, request) => {
    expect(await call(request)).toMatchObject({
      status: 200,
      body: {
        object: 'chat.completion',
        model: 'small',
        choices: [{ index: 0, message: { role: 'assistant', content: '8080' }, finish_reason: 'stop' }],
      },
    });
  });

  it('lists its model', async () => {
    expect(await call({ method: 'GET', path: '/models' })).toMatchObject({
      status: 200,
      body: { object: 'list', data: [{ id: 'small', object: 'model' }] },
    });
  });

  it.each<[string, Call, number, string, string | null]>([
    ['another path', { path: '/completions' }, 404, 'Invalid URL (POST /v1/completions)', null],
    ['another method', { method: 'GET' }, 405, 'Not allowed to GET on /v1/chat/completions.', 'method_not_supported'],
    [
      'a list of models without a key',
      { method: 'GET', path: '/models', token: null },
      401,
      "You didn't provide an API key.",
      null,
    ],
    ['no key', { token: null }, 401, "You didn't provide an API key.", null],
    ['a wrong key', { token: 'wrong' }, 401, 'Incorrect API key provided', 'invalid_api_key'],
    ['another type of content', { contentType: 'text/plain' }, 400, 'could not parse the JSON body', null],
    ['what is no JSON', { body: '{' }, 400, 'could not parse the JSON body', null],
    ['a list', { body: '[]' }, 400, 'could not parse the JSON body', null],
    ['no model', { body: { model: undefined } }, 400, 'you must provide a model parameter', null],
    ['an unknown model', { body: { model: 'large' } }, 404, '`large` does not exist', 'model_not_found'],
    ['no messages', { body: { messages: undefined } }, 400, "'messages'", 'missing_required_parameter'],
    ['an empty list of messages', { body: { messages: [] } }, 400, 'empty array', 'empty_array'],
    ['an unknown role', { body: { messages: [{ role: 'me', content: '' }] } }, 400, "'me'", 'invalid_value'],
    ['a message of no text', { body: { messages: [{ role: 'user' }] } }, 400, 'messages[0].content', 'invalid_type'],
    ['an unknown parameter', { body: { depth: 3 } }, 400, "Unknown parameter: 'depth'.", 'unknown_parameter'],
    ['max_tokens, as models that reason do', { body: { max_tokens: 9 } }, 400, "'max_tokens'", 'unknown_parameter'],
    ['an unknown form', { body: { response_format: { type: 'xml' } } }, 400, "'xml'", 'invalid_value'],
    [
      'JSON that no message names',
      { body: { response_format: { type: 'json_object' } } },
      400,
      "the word 'json'",
      null,
    ],
    ['a schema without a name', { body: { response_format: { type: 'json_schema' } } }, 400, 'json_schema.name', null],
    ['a name of two words', { body: strict(SCHEMA, 'a draft') }, 400, 'json_schema.name', null],
    ['a schema of no object', { body: strict({ type: 'string' }) }, 400, 'must be of', null],
    ['an open schema under strict', { body: strict(SCHEMA) }, 400, "In context=(), 'additionalProperties'", null],
    [
      'an optional property under strict',
      {
        body: strict({
          type: 'object',
          properties: { deep: { ...SCHEMA, required: [], additionalProperties: false } },
          required: ['deep'],
          additionalProperties: false,
        }),
      },
      400,
      "In context=('deep'), 'required'",
      null,
    ],
  ])('refuses %s', async (_, request, status, message, code) => {
    expect(await call(request)).toEqual({
      status,
      body: {
        error: {
          message: expect.stringContaining(message) as string,
          type: 'invalid_request_error',
          param: expect.toSatisfy((param) => param === null || typeof param === 'string') as null,
          code,
        },
      },
    });
  });
});
