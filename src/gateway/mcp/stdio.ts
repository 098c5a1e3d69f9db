/** MCP on a pair of streams, for one client that started this process. */
import { type Readable, type Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type ToolProfile } from '../../actors/api/procedure.ts';
import { FRAME_BYTES_MAX } from '../limits.ts';
import { mcpServer } from './server.ts';
import { type ToolDoor } from './tool-door.ts';

export interface StreamsOptions {
  readonly input: Readable;
  /** The stream for protocol messages. Nothing else may be written to it. */
  readonly output: Writable;
  readonly profiles: readonly ToolProfile[] | undefined;
  /** Called with faults of the connection. */
  readonly onError: (error: Error) => void;
}

/**
 * Serves a client with the protocol version of its first message. A message has at most 1 MB.
 *
 * @returns A function that ends it.
 */
export function serveOnStreams(door: ToolDoor, { input, output, profiles, onError }: StreamsOptions) {
  const handle = serveStdio(({ era }) => mcpServer(door, { profiles, isModern: era === 'modern' }), {
    transport: new StdioServerTransport(input, output, { maxBufferSize: FRAME_BYTES_MAX }),
    // No subscriptions: nothing that a client could subscribe to is announced.
    maxSubscriptions: 0,
    onerror: onError,
  });
  return () => handle.close();
}
