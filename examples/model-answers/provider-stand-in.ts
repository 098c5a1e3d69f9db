/**
 * A stand-in for a provider of language models on 127.0.0.1: chat completions over HTTP and the list of models, without
 * a model. It takes only what OpenAI's own API takes and refuses the rest in its form,
 * `{ error: { message, type, param, code } }`. A function writes the completions.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { problemOf, type ChatRequest, type Refusal } from './chat-request.ts';

/** A completion, in the words of OpenAI's API; or a refusal. */
export type Reply =
  | {
      readonly content: string | null;
      readonly finish?: 'stop' | 'length' | 'content_filter';
      readonly refusal?: string;
    }
  | Refusal;

export interface StandInOptions {
  /** The bearer token that is taken. */
  readonly key: string;
  /** The only model that there is. */
  readonly model: string;
  /** Tokens above which a context is refused; four characters count as a token. Default: no bound. */
  readonly contextTokensMax?: number;
  /** Writes the completion. `signal` is aborted when the caller has gone away without it. */
  readonly complete: (request: ChatRequest, signal: AbortSignal) => Reply | Promise<Reply>;
}

/** The refusal of a provider that is in trouble, in OpenAI's words. */
export const SERVER_ERROR: Refusal = refusal(500, {
  message: 'The server had an error while processing your request. Sorry about that!',
  type: 'server_error',
});

/** The paths, each with its method. */
const METHODS: Readonly<Record<string, string>> = { '/v1/chat/completions': 'POST', '/v1/models': 'GET' };

/** The list of models, in the words of OpenAI's API. */
interface ModelList {
  readonly object: 'list';
  readonly data: readonly object[];
}

export class ProviderStandIn {
  /** The requests that were taken, the first one first. */
  readonly requests: ChatRequest[] = [];
  readonly #options: StandInOptions;
  #port = 0;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(options: StandInOptions) {
    this.#options = options;
  }

  /** Starts a stand-in on a free port. */
  static async start(options: StandInOptions): Promise<ProviderStandIn> {
    const standIn = new ProviderStandIn(options);
    await once(standIn.#server.listen(0, '127.0.0.1'), 'listening');
    standIn.#port = (standIn.#server.address() as AddressInfo).port;
    return standIn;
  }

  /** The base URL, as a client is given it. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** Stops, and cuts off the callers that are still waiting. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const reply = await this.#replyTo(request, gone.signal).catch(() => SERVER_ERROR);
    if (gone.signal.aborted) return;
    const [status, body] =
      'status' in reply
        ? [reply.status, { error: reply.error }]
        : [200, 'object' in reply ? reply : this.#completion(reply)];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  async #replyTo(request: IncomingMessage, signal: AbortSignal): Promise<Reply | ModelList> {
    const { key, model, contextTokensMax = Infinity, complete } = this.#options;
    const { method, url, headers } = request;
    const line = `${method} ${url}`;
    const wanted = METHODS[url!];
    if (wanted === undefined) return refusal(404, { message: `Invalid URL (${line})` });
    if (method !== wanted)
      return refusal(405, {
        message: `Not allowed to ${method} on ${url}. (HINT: Perhaps you meant to use a different HTTP method?)`,
        code: 'method_not_supported',
      });
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return refusal(401, { message: "You didn't provide an API key." });
    // As some providers do, the key is repeated.
    if (token !== key)
      return refusal(401, { message: `Incorrect API key provided: ${token}.`, code: 'invalid_api_key' });
    if (method === 'GET')
      return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'stand-in' }] };
    const body = bodyOf(await text(request), headers['content-type']);
    if (body === undefined) return refusal(400, { message: 'We could not parse the JSON body of your request.' });
    const problem = problemOf(body);
    if (problem !== undefined) return refusal(400, problem);
    const chat = body as ChatRequest;
    if (chat.model !== model)
      return refusal(404, {
        message: `The model \`${chat.model}\` does not exist or you do not have access to it.`,
        code: 'model_not_found',
      });
    this.requests.push(chat);
    const tokens = tokensIn(chat);
    if (tokens > contextTokensMax)
      return refusal(400, {
        message:
          `This model's maximum context length is ${contextTokensMax} tokens. However, your messages resulted in ` +
          `${tokens} tokens. Please reduce the length of the messages.`,
        param: 'messages',
        code: 'context_length_exceeded',
      });
    return complete(chat, signal);
  }

  #completion({ content, finish = 'stop', refusal: refused }: Exclude<Reply, Refusal>): object {
    const count = this.requests.length;
    return {
      id: `chatcmpl-${count}`,
      object: 'chat.completion',
      created: 0,
      model: this.#options.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: refused ?? null },
          logprobs: null,
          finish_reason: finish,
        },
      ],
      usage: { prompt_tokens: tokensIn(this.requests.at(-1)!), completion_tokens: 0, total_tokens: 0 },
    };
  }
}

function refusal(status: number, error: Partial<Refusal['error']> & { readonly message: string }): Refusal {
  return { status, error: { type: 'invalid_request_error', param: null, code: null, ...error } };
}

function bodyOf(written: string, contentType: string | undefined): unknown {
  if (contentType?.split(';')[0] !== 'application/json') return undefined;
  try {
    return JSON.parse(written);
  } catch {
    // Not JSON, which the caller is told.
    return undefined;
  }
}

/** The tokens of the messages, as this stand-in counts them. */
export function tokensIn({ messages }: ChatRequest): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
}
