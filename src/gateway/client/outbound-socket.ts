/**
 * The client side of a WebSocket, for programs that speak to a gateway frame by frame: Node 20 has no WebSocket of its
 * own.
 */
import { WebSocket } from 'ws';

export interface OutboundSocket {
  send(text: string): void;
  close(): void;
}

export interface OutboundOptions {
  readonly protocols: readonly string[];
  readonly opened: () => void;
  readonly received: (text: string) => void;
  /**
   * Called once with the close code, also if the connection was never established; 1006 if there was no close frame.
   */
  readonly closed: (code: number, reason: string) => void;
}

/** Connects. Never throws: errors are reported by `closed`. */
export function connectOut(url: string, { protocols, opened, received, closed }: OutboundOptions): OutboundSocket {
  const socket = new WebSocket(url, [...protocols], { perMessageDeflate: false });
  let why = '';
  socket.on('open', opened);
  socket.on('message', (data: Buffer) => received(data.toString()));
  socket.on('error', ({ message }) => (why = message));
  socket.on('close', (code, reason) => closed(code, reason.toString() || why));
  return { send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text), close: () => socket.close() };
}
