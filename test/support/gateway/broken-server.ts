/** A proxy before a gateway that breaks the protocol in one way, to show that the conformance table notices it. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

type Frame = Readonly<Record<string, unknown>> & { readonly t?: string; readonly id?: string };

/**
 * The change of the frames that pass through. Each function returns the frames to pass on; each connection has a memory
 * of its own.
 */
export interface Sabotage {
  readonly fromClient?: (frame: Frame, memory: Memory) => readonly Frame[];
  readonly fromServer?: (frame: Frame, memory: Memory) => readonly Frame[];
  readonly closes?: (code: number) => number;
  readonly request?: (url: string, headers: Record<string, string>) => string;
  readonly response?: (status: number, body: string) => { readonly status: number; readonly body: string };
}

export interface Memory {
  [name: string]: unknown;
  /** Answers in the server's place. */
  answer(frame: Frame): void;
}

export class BrokenServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(target: string, sabotage: Sabotage): Promise<BrokenServer> {
    const server = createServer((request, response) => {
      void forward(target, sabotage, request).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        () => response.destroy(),
      );
    });
    const sockets = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => [...offered].find((name) => !name.startsWith('bosun.bearer.')) ?? false,
    });
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (inner) => join(inner, request, target, sabotage)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BrokenServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function join(
  inner: WebSocket,
  request: IncomingMessage,
  target: string,
  { fromClient, fromServer, closes = (code) => code }: Sabotage,
): void {
  const outer = new WebSocket(
    `${target.replace('http', 'ws')}${request.url}`,
    (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim()),
  );
  const pending: (string | Buffer)[] = [];
  const memory: Memory = { answer: (frame) => inner.send(JSON.stringify(frame)) };
  const up = (text: string | Buffer) => (outer.readyState === WebSocket.OPEN ? outer.send(text) : pending.push(text));
  for (const socket of [inner, outer]) socket.on('error', () => {});
  outer.on('open', () => pending.splice(0).forEach((text) => outer.send(text)));
  inner.on('message', (data: Buffer, isBinary) =>
    isBinary ? up(data) : altered(data.toString(), fromClient, memory).forEach(up),
  );
  outer.on('message', (data: Buffer, isBinary) =>
    isBinary ? inner.send(data) : altered(data.toString(), fromServer, memory).forEach((text) => inner.send(text)),
  );
  inner.on('close', () => outer.close());
  // Codes such as 1009 may not be sent; the table knows their replacements.
  outer.on('close', (code) => (code === 1006 ? inner.terminate() : inner.close(closes(code))));
}

function altered(text: string, alter: Sabotage['fromClient'], memory: Memory): string[] {
  if (alter === undefined) return [text];
  try {
    return alter(JSON.parse(text) as Frame, memory).map((frame) => JSON.stringify(frame));
  } catch {
    return [text];
  }
}

async function forward(
  target: string,
  { request: alter = (url) => url, response: change = (status, body) => ({ status, body }) }: Sabotage,
  request: IncomingMessage,
) {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
    ),
  ) as Record<string, string>;
  const url = alter(request.url!, headers);
  const abort = new AbortController();
  const answer = await fetch(`${target}${url}`, {
    method: request.method!,
    headers,
    signal: abort.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? await firstBlock(answer, abort) : await answer.text();
  const { status, body } = change(answer.status, text);
  const kept = Object.fromEntries(
    [...answer.headers].filter(([name]) => !['content-length', 'transfer-encoding', 'connection'].includes(name)),
  );
  return { status, headers: kept, body };
}

async function firstBlock(answer: Response, abort: AbortController): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n\n')) break;
  }
  abort.abort();
  return text;
}
