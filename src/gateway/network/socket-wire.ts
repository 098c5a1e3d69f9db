/**
 * The transport of a connection over a WebSocket: sends frames in as few writes, and with as few conversions, as
 * possible.
 */
import { type Duplex } from 'node:stream';
import { type WebSocket } from 'ws';
import { OUT_BYTES_LOW } from '../limits.ts';
import { type ClientWire } from '../client/send-buffer.ts';

/**
 * Text as bytes, cached for the last text. A frame to many clients is one text sent to one after the other, so it is
 * converted once. With a thousand clients this takes 10 microseconds each instead of 12, nearly all of them in the
 * operating system.
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
 * Bytes of frames gathered into one write, which saves some 6 of the 50 microseconds of a call when 32 are made at
 * once. More gains nothing, and must not look as if the client did not read.
 */
const GATHERED_BYTES_MAX = 64 * 1024;

/**
 * The error of a socket that is closed with frames waiting. Without one, Node makes an error with a stack for every
 * frame: cutting off a hundred slow clients blocked the process for a second and a half.
 */
const CUT_OFF = new Error('the client was cut off');

export interface SocketWireParts {
  /** The socket below the WebSocket. */
  readonly socket: Duplex;
  /** Shared by all connections. */
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
        // After everything that is ready now, and also if no further frame comes.
        queueMicrotask(uncork);
      }
      // A small frame with nothing waiting behind it makes no client slow, so no notification is needed when it has
      // left.
      const sent = bytes.of(text);
      const told = ws.bufferedAmount > 0 || sent.length > OUT_BYTES_LOW ? drained : undefined;
      ws.send(sent, { binary: false }, told);
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
