/** A WebSocket as a connection sees it: how frames leave in as few writes, and as few conversions, as possible. */
import { type Duplex } from 'node:stream';
import { type WebSocket } from 'ws';
import { OUT_BYTES_LOW } from '../../limits.ts';
import { type ClientWire } from '../client/send-buffer.ts';

/**
 * Text as bytes. What is told to many is one text, sent to one after the other: it is the same bytes for all of them.
 * To a thousand clients that takes 10 microseconds each in place of 12, nearly all of them in the system.
 */
export class FrameBytes {
  #text = '';
  #bytes = Buffer.alloc(0);

  of(text: string): Buffer {
    if (text !== this.#text) {
      this.#text = text;
      this.#bytes = Buffer.from(text);
    }
    return this.#bytes;
  }
}

/**
 * Frames are gathered into one write, which saves some 6 of the 50 microseconds of a call where 32 are made at once; up
 * to so many bytes: more gains nothing, and must not look as if the client did not read.
 */
const GATHERED_BYTES_MAX = 64 * 1024;

/**
 * Of a socket that is closed with frames waiting. Without one of its own, Node makes an error with a stack for every
 * frame: to cut off a hundred clients that did not read held everybody up for a second and a half.
 */
const CUT_OFF = new Error('the client was cut off');

export interface SocketWireParts {
  /** Below the WebSocket. */
  readonly socket: Duplex;
  /** Shared by all. */
  readonly bytes: FrameBytes;
  readonly drained: () => void;
}

export function wireOf(ws: WebSocket, { socket, bytes, drained }: SocketWireParts): ClientWire {
  let isCorked = false;
  const uncork = () => {
    if (!isCorked) return;
    isCorked = false;
    socket.uncork();
  };
  return {
    send: (text, isMore = false) => {
      if (isMore && !isCorked && ws.bufferedAmount <= GATHERED_BYTES_MAX) {
        isCorked = true;
        socket.cork();
        // Behind all that is ready by now, also where nothing more comes.
        queueMicrotask(uncork);
      }
      // A small frame behind which nothing waits makes nobody slow, so nobody has to hear that it has left.
      const told = ws.bufferedAmount > 0 || text.length > OUT_BYTES_LOW ? drained : undefined;
      ws.send(bytes.of(text), { binary: false }, told);
      if (!isMore || ws.bufferedAmount > GATHERED_BYTES_MAX) uncork();
    },
    get bufferedBytes() {
      return ws.bufferedAmount;
    },
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    close: (code, reason) => ws.close(code, reason),
    terminate: () => {
      socket.destroy(CUT_OFF);
      ws.terminate();
    },
  };
}
