/** A place from which every gateway has gone. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A URL at which nobody listens. */
export async function deserted(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return `http://127.0.0.1:${port}`;
}
