/**
 * What leaves on one connection, and what happens when its client does not read: above the high mark it is told once
 * and then only the latest of its subscriptions waits, nothing more is read from it, and after a while, or at the last
 * mark, it is closed.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { OUT_BYTES_HIGH, OUT_BYTES_LOW, OUT_BYTES_MAX, SLOW_MS_MAX } from '../../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';

/** One connection to a client, as whatever carries it sees it. */
export interface ClientWire {
  /** `isMore`: something else follows at once, and this may leave together with it. */
  send(text: string, isMore?: boolean): void;
  /** Bytes that were sent and have not left. */
  readonly bufferedBytes: number;
  /** Stops and resumes the reading of what the client sends. */
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  /** Cuts it, whatever is on its way. */
  terminate(): void;
}

export interface SendBufferParts {
  readonly wire: ClientWire;
  /** A frame as it is sent. */
  readonly text: (frame: ServerFrame) => string;
  readonly clock: Clock;
  /** The client can be told things again. */
  readonly onWell: () => void;
  readonly onSlow: () => void;
  /** The client has been too slow for too long. */
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

  /** `isMore`: as {@link ClientWire.send} has it. */
  send(frame: ServerFrame, isMore = false): void {
    if (this.#isOver) return;
    const { wire, text } = this.#parts;
    // Whoever has so much waiting was found slow before.
    if (this.isSlow && wire.bufferedBytes > OUT_BYTES_MAX) {
      this.#parts.onHopeless();
      return;
    }
    const sent = text(frame);
    wire.send(sent.length > OUT_BYTES_MAX ? text(inPlaceOf(frame)) : sent, isMore);
    if (!this.isSlow && wire.bufferedBytes > OUT_BYTES_HIGH) this.#slow();
  }

  /** Some of what was sent has left. */
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

/** What is too large for any client is refused by name, instead of closing one that is not slow. */
function inPlaceOf(frame: ServerFrame): ServerFrame {
  const e = {
    code: 'BOSUN_GATEWAY_FULL',
    message: `what is to be sent has more than ${OUT_BYTES_MAX} bytes`,
    retryable: false,
  };
  if (frame.t === 'res') return { t: 'res', id: frame.id, ok: false, e };
  return 'id' in frame ? { t: 'end', id: frame.id, e } : { t: 'err', e };
}
