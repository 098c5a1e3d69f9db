/**
 * Sending on one connection, and backpressure: above the high mark the client is told that it is slow, only the latest
 * state of its subscriptions is kept, and reading from it stops. After a while, or at the last mark, it is closed.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { isTextOver } from '../../text-bytes.ts';
import { OUT_BYTES_HIGH, OUT_BYTES_LOW, OUT_BYTES_MAX, SLOW_MS_MAX } from '../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';

/** The transport of one client, as a connection sees it. */
export interface ClientWire {
  /** Sends text. `isMore`: another text follows at once, so both may leave in one write. */
  send(text: string, isMore?: boolean): void;
  /** Bytes sent that have not left the process. */
  readonly bufferedBytes: number;
  /** Stops and resumes reading from the client. */
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  /** Cuts the transport and drops all unsent data. */
  terminate(): void;
}

export interface SendBufferParts {
  readonly wire: ClientWire;
  /** Encodes a frame. */
  readonly text: (frame: ServerFrame) => string;
  readonly clock: Clock;
  /** Called when the client has caught up. */
  readonly onWell: () => void;
  readonly onSlow: () => void;
  /** Called when the client was slow for too long. */
  readonly onHopeless: () => void;
}

export class SendBuffer {
  readonly #parts: SendBufferParts;
  #giveUp: Cancel | undefined;
  #isOver = false;

  constructor(parts: SendBufferParts) {
    this.#parts = parts;
  }

  get isSlow(): boolean {
    return this.#giveUp !== undefined;
  }

  /** Sends a frame. `isMore`: as in {@link ClientWire.send}. */
  send(frame: ServerFrame, isMore = false): void {
    if (this.#isOver) return;
    const { wire, text } = this.#parts;
    // A client with so many bytes waiting was marked slow before.
    if (this.isSlow && wire.bufferedBytes > OUT_BYTES_MAX) {
      this.#parts.onHopeless();
      return;
    }
    const sent = text(frame);
    wire.send(isTextOver(sent, OUT_BYTES_MAX) ? text(inPlaceOf(frame)) : sent, isMore);
    if (!this.isSlow && wire.bufferedBytes > OUT_BYTES_HIGH) this.#slow();
  }

  /** Called when some of the waiting bytes have left. */
  drained(): void {
    if (!this.isSlow || this.#isOver || this.#parts.wire.bufferedBytes >= OUT_BYTES_LOW) return;
    this.#giveUp?.();
    this.#giveUp = undefined;
    this.#parts.wire.resume();
    this.#parts.onWell();
  }

  end(): void {
    this.#isOver = true;
    this.#giveUp?.();
    this.#giveUp = undefined;
  }

  #slow(): void {
    const { wire, text, clock, onSlow, onHopeless } = this.#parts;
    this.#giveUp = clock.setTimeout(onHopeless, SLOW_MS_MAX, { isBackground: true });
    wire.pause();
    wire.send(text({ t: 'note', code: 'slow', inMs: SLOW_MS_MAX }));
    onSlow();
  }
}

/** Replaces a frame that is too large for any client by an error, instead of closing a client that is not slow. */
function inPlaceOf(frame: ServerFrame): ServerFrame {
  const e = {
    code: 'BOSUN_GATEWAY_FULL',
    message: `what is to be sent has more than ${OUT_BYTES_MAX} bytes`,
    retryable: false,
  };
  if (frame.t === 'res') return { t: 'res', id: frame.id, ok: false, e };
  return 'id' in frame ? { t: 'end', id: frame.id, e } : { t: 'err', e };
}
