/**
 * The port `formulate` of the answer desk, made from a language model of the AI SDK. The model cites numbers of
 * sources; here they become the sources again. It is called once: the desk decides about a failure, and asks a person.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  type LanguageModel,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  Output,
} from 'ai';
import { type AnswerPorts } from 'bosun/crew';
import { z } from 'zod';
import { dataFor, rulesFor, sourcesFor } from './prompt.ts';

/**
 * The place of a model: the base URL of its provider, which ends in `/v1`, a key, and the provider's name for it. No
 * key is sent if it is empty.
 */
export interface ModelPlace {
  readonly url: string;
  readonly key: string;
  readonly name: string;
}

/** A model object. A bare name would go to a gateway that nobody has chosen. */
export type Model = Exclude<LanguageModel, string>;

/**
 * The form of the model's output. It has no bounds, since not every provider takes them in a schema: the contract of
 * the port has them.
 */
const outputSchema = z.object({
  answer: z.string(),
  confidence: z.number(),
  citations: z.array(z.number()),
  suggested_next_actions: z.array(z.string()).nullable(),
});

/** The code by which the answer desk knows that a context is too large: it breaks the context and asks once more. */
const TOO_LARGE = 'TOKEN_LIMIT_EXCEEDED';

/** Refusals of such a context, in the words of OpenAI, llama.cpp, vLLM and DeepSeek, Anthropic. */
const SAYS_TOO_LARGE =
  /context_length_exceeded|exceed_context_size|maximum context length|available context size|prompt is too long/i;

/** Most characters of a provider's own words in an error, which people read in a ticket. */
const PROVIDER_WORDS_MAX = 200;

/** A model at a provider that takes the requests of OpenAI's chat completions. The key stays in here. */
export function modelAt({ url, key, name }: ModelPlace): Model {
  return createOpenAICompatible({ name: 'provider', baseURL: url, apiKey: key, supportsStructuredOutputs: true })(name);
}

/**
 * Makes the port. Its draft is null if there are no sources, for which the model is not called, and if the model cites
 * none of them but mentions. It rejects if the provider fails or the model's output has another form.
 */
export function formulateWith(model: Model): AnswerPorts['formulate'] {
  return async (asked, { signal }) => {
    const sources = sourcesFor(asked);
    if (sources.length === 0) return null;
    const messages = { system: rulesFor(asked), prompt: dataFor(asked, sources) };
    const output = await outputOf({ model, ...messages, schema: outputSchema, name: 'draft', signal });
    const citations = [...new Set(output.citations)].flatMap((number) => sources[number - 1] ?? []);
    // Mentions answer nothing, and lines that give orders to their reader count as mentions.
    if (citations.every(({ kind }) => kind === 'mentioned')) return null;
    const { answer, confidence, suggested_next_actions } = output;
    return { answer, confidence, citations, suggested_next_actions };
  };
}

/** A call of a model for an object of a form. */
export interface Call<T> {
  readonly model: Model;
  readonly system: string;
  readonly prompt: string;
  readonly schema: z.ZodType<T>;
  /** The name of the object, for the model and in errors. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Calls a model once. Rejects with an error that is a text alone. */
export async function outputOf<T>({ signal, schema, name, ...call }: Call<T>): Promise<T> {
  try {
    const output = Output.object({ schema, name });
    return (await generateText({ ...call, output, abortSignal: signal, maxRetries: 0 })).output;
  } catch (error) {
    throw failureOf(error, name);
  }
}

/**
 * The error that is kept and shown: a text alone. Errors of the SDK hold the whole request, and what a provider
 * says of a wrong key may hold the key.
 */
function failureOf(error: unknown, name: string): Error {
  if (NoObjectGeneratedError.isInstance(error))
    return new Error(`the model's ${name} is malformed (finish reason: ${error.finishReason ?? 'none'})`);
  if (NoOutputGeneratedError.isInstance(error)) return new Error('the model has written nothing');
  if (!APICallError.isInstance(error)) return new Error(error instanceof Error ? error.message : String(error));
  const { statusCode, message, responseBody = '' } = error;
  if (statusCode === undefined) return new Error(`the model's provider cannot be reached: ${message}`);
  if (statusCode === 413 || SAYS_TOO_LARGE.test(responseBody))
    return new Error(`${TOO_LARGE}: the context is too large for the model`);
  const said = message.slice(0, PROVIDER_WORDS_MAX).toWellFormed();
  const words = statusCode === 401 || statusCode === 403 ? 'the key is refused' : said;
  return new Error(`the model's provider answers ${statusCode}: ${words}`);
}
