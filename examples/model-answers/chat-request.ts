/**
 * The body of a request for a chat completion, as far as OpenAI's API takes it, and its refusals in that API's words.
 * Under `strict`, every object of a schema forbids other properties and requires all of its own. Pure.
 */

/** The refusal of a request. */
export interface Refusal {
  readonly status: number;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** A request that was taken. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema: object } };
}

/** The reason why a request is refused. */
export type Problem = Partial<Refusal['error']> & { readonly message: string };

type Fields = Readonly<Record<string, unknown>>;

/** The parameters that the stand-in knows. The original has more, which no example sends. */
const PARAMETERS = ['model', 'messages', 'response_format', 'temperature', 'seed', 'user', 'max_completion_tokens'];
const ROLES = ['system', 'assistant', 'user', 'developer'];
const FORMATS = ['json_object', 'json_schema', 'text'];

/** The first problem of a body; undefined if it is a {@link ChatRequest}. */
export function problemOf(body: unknown): Problem | undefined {
  if (!isFields(body)) return { message: 'We could not parse the JSON body of your request.' };
  const unknown = Object.keys(body).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' };
  const { model, messages, response_format: format } = body;
  if (typeof model !== 'string' || model === '') return { message: 'you must provide a model parameter' };
  return (
    problemOfMessages(messages) ?? (format === undefined ? undefined : problemOfFormat(format, messages as Fields[]))
  );
}

function problemOfMessages(messages: unknown): Problem | undefined {
  if (messages === undefined)
    return {
      message: "Missing required parameter: 'messages'.",
      param: 'messages',
      code: 'missing_required_parameter',
    };
  if (!Array.isArray(messages) || messages.length === 0)
    return {
      message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array.",
      param: 'messages',
      code: 'empty_array',
    };
  for (const [index, message] of (messages as unknown[]).entries()) {
    const at = `messages[${index}]`;
    const { role, content } = isFields(message) ? message : {};
    if (!ROLES.includes(role as string)) return invalid(`${at}.role`, role, ROLES);
    if (typeof content !== 'string')
      return { message: `Invalid type for '${at}.content'.`, param: `${at}.content`, code: 'invalid_type' };
  }
  return undefined;
}

function problemOfFormat(format: unknown, messages: readonly Fields[]): Problem | undefined {
  const { type, json_schema: described } = isFields(format) ? format : {};
  if (!FORMATS.includes(type as string)) return invalid('response_format.type', type, FORMATS);
  if (type === 'json_object' && !messages.some(({ content }) => /json/i.test(content as string)))
    return {
      message: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      param: 'messages',
    };
  if (type !== 'json_schema') return undefined;
  const { name, schema, strict } = isFields(described) ? described : {};
  const param = 'response_format';
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
    return { message: "Missing required parameter: 'response_format.json_schema.name'.", param };
  if (!isFields(schema) || schema['type'] !== 'object')
    return { message: `Invalid schema for response_format '${name}': schema must be of 'type: "object"'.`, param };
  const flaw = strict === true ? flawOf(schema, []) : undefined;
  return flaw === undefined ? undefined : { message: `Invalid schema for response_format '${name}': ${flaw}`, param };
}

/** The first breach of strictness in a schema, in words. */
function flawOf(schema: Fields, path: readonly string[]): string | undefined {
  const context = `In context=(${path.map((part) => `'${part}'`).join(', ')}),`;
  const { properties, required, additionalProperties, items, anyOf } = schema;
  if (isFields(properties)) {
    if (additionalProperties !== false)
      return `${context} 'additionalProperties' is required to be supplied and to be false.`;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name)))
      return `${context} 'required' is required to be supplied and to be an array including every key in properties.`;
  }
  const parts: readonly (readonly [string, unknown])[] = [
    ...Object.entries(isFields(properties) ? properties : {}),
    ['items', items],
    ...(Array.isArray(anyOf) ? anyOf.map((part, index) => [`anyOf ${index}`, part as unknown] as const) : []),
  ];
  for (const [name, part] of parts) {
    const flaw = isFields(part) ? flawOf(part, [...path, name]) : undefined;
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function invalid(param: string, value: unknown, supported: readonly string[]): Problem {
  const values = supported.map((one) => `'${one}'`).join(', ');
  const code = 'invalid_value';
  return { message: `Invalid value: '${String(value)}'. Supported values are: ${values}.`, param, code };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
