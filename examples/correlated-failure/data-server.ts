/**
 * A data vendor on this machine: closing prices by HTTP, a number of requests per window, and 429 with Retry-After
 * beyond it. It also reports its quota, as vendors do.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DataServerOptions {
  /** Requests for data answered per window. */
  readonly quota: number;
  /** Length of a window. It begins with the first request after the previous one. */
  readonly windowMs: number;
}

/** The answer of `/quota`. */
export interface Quota {
  readonly limit: number;
  readonly used: number;
  /** The end of the window. */
  readonly resetAtMs: number;
}

export interface DataServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  close(): Promise<void>;
}

const DAYS = 5;

export async function startDataServer({ quota, windowMs }: DataServerOptions): Promise<DataServer> {
  let used = 0;
  let resetAtMs = 0;
  const turnWindow = () => {
    if (Date.now() < resetAtMs) return;
    used = 0;
    resetAtMs = Date.now() + windowMs;
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    turnWindow();
    if (pathname === '/quota') return answer(response, 200, { limit: quota, used, resetAtMs } satisfies Quota);
    const ticker = /^\/prices\/([A-Z]+)$/.exec(pathname)?.[1];
    if (ticker === undefined) return answer(response, 404, { error: 'not found' });
    if (used >= quota) {
      response.setHeader('Retry-After', String(Math.max(1, Math.ceil((resetAtMs - Date.now()) / 1_000))));
      return answer(response, 429, { error: `quota exceeded: ${used}/${quota}` });
    }
    used += 1;
    answer(response, 200, { ticker, closes: closesOf(ticker) });
  });
  // The server must not keep its parent's process alive.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify(body));
}

/** Invented prices, the same each time. */
function closesOf(ticker: string): readonly number[] {
  const base = [...ticker].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return Array.from({ length: DAYS }, (_, day) => base + ((base * (day + 3)) % 17) - 8);
}
