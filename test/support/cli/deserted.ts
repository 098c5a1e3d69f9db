/** A place from which every gateway has gone. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that systems give to servers which ask for any. */
const PORTS = { from: 20_000, count: 10_000 };

/** A URL at which nobody listens, and at which no server of another test begins to listen meanwhile. */
export async function deserted(): Promise<string> {
  for (let tried = 0; tried < PORTS.count; tried++) {
    const port = PORTS.from + ((process.pid + tried) % PORTS.count);
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch {
      continue;
    }
    await once(server.close(), 'close');
    return `http://127.0.0.1:${port}`;
  }
  throw new Error('every port is taken');
}
