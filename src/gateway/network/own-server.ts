/** The HTTP server that a gateway has for itself: its limits, and the beginning of its listening. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { BosunError, messageOf } from '../../errors.ts';
import { ACCEPT_BACKLOG, HTTP_HEADERS_MS, HTTP_REQUEST_MS } from '../limits.ts';

export function ownServer(): Server {
  return createServer({
    headersTimeout: HTTP_HEADERS_MS,
    requestTimeout: HTTP_REQUEST_MS,
    connectionsCheckingInterval: HTTP_HEADERS_MS / 5,
  });
}

/**
 * Begins to listen. Resolves to the port that it has got. Rejects with BOSUN_CONFIG_INVALID if the port is taken, and
 * with the reason of `given` if that is aborted before.
 */
export async function listenOn(
  server: Server,
  { port, host, given }: { readonly port: number; readonly host: string; readonly given: AbortSignal },
): Promise<number> {
  if (server.listening) throw new BosunError('BOSUN_CONFIG_INVALID', 'the gateway listens already');
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error & { code?: string }) => {
      const wayOut = error.code === 'EADDRINUSE' ? '; choose another port, or 0 for any free one' : '';
      const message = `the gateway cannot listen on ${host}:${port}: ${messageOf(error)}${wayOut}`;
      reject(new BosunError('BOSUN_CONFIG_INVALID', message, { cause: error }));
    };
    const givenUp = () => reject(given.reason as Error);
    given.addEventListener('abort', givenUp, { once: true });
    server.once('error', failed);
    server.listen({ port, host, backlog: ACCEPT_BACKLOG }, () => {
      server.off('error', failed);
      given.removeEventListener('abort', givenUp);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
