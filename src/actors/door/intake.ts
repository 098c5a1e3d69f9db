/**
 * Whether an event of a host may come in now (design P8). Two bounds: what was taken and is not durable yet, in bytes; and how
 * long an event would wait for its epoch, by the pace at which epochs become durable at present. So a fast disk takes long
 * queues and a slow one short ones, and whoever is refused can go elsewhere while it still makes sense. Counting only; what
 * waits is in ingress.ts.
 */
import { BosunError } from '../../errors.ts';
import { ADMISSION_WAIT_MS_MAX, TURNS_PER_AWAITED_EPOCH, UNCOMMITTED_BYTES_MAX } from '../../limits.ts';

/** Weight of the last epoch in the pace: the last ten or so count, and one slow sync among them is no trend. */
const WEIGHT = 0.2;

export class Intake {
  readonly #nowMs: () => number;
  /** Of what was taken and is not durable. */
  #bytes = 0;
  /** When the last epoch became durable, or the queue began; undefined while there is none. */
  #sinceMs: number | undefined;
  /** Of the last epochs with a queue, each: milliseconds, and hosts told. By the sums, not epoch by epoch: one that told a single host is no pace. */
  #epochMs = 0;
  #epochTold = 0;

  /** @param nowMs By the monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * @param waiting Events that wait for room in an epoch.
   * @throws BOSUN_OVERLOADED.
   */
  check(waiting: number): void {
    if (this.#bytes > UNCOMMITTED_BYTES_MAX) {
      throw new BosunError('BOSUN_OVERLOADED', `${this.#bytes} bytes wait to become durable, more than ${UNCOMMITTED_BYTES_MAX}`);
    }
    // The next epoch takes as many as this; to ask the clock for each of them would be waste.
    if (waiting < TURNS_PER_AWAITED_EPOCH) return;
    const waitMs = this.#waitMs(waiting);
    if (waitMs <= ADMISSION_WAIT_MS_MAX) return;
    const retryAfterMs = Math.ceil(waitMs - ADMISSION_WAIT_MS_MAX / 2);
    throw new BosunError('BOSUN_OVERLOADED', `it would take some ${Math.round(waitMs)} ms until the event is durable`, { details: { retryAfterMs } });
  }

  taken(bytes: number): void {
    this.#bytes += bytes;
  }

  /** It is durable, or was refused after all. */
  gone(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** An epoch is durable. @param told Hosts whose events it held. @param waiting Events that still wait. */
  durable(told: number, waiting: number): void {
    if (waiting < TURNS_PER_AWAITED_EPOCH) {
      // The next queue finds out anew: the disk may be as fast as ever by then.
      this.#sinceMs = undefined;
      this.#epochMs = this.#epochTold = 0;
      return;
    }
    const sinceMs = this.#sinceMs;
    const nowMs = this.#nowMs();
    this.#sinceMs = nowMs;
    if (sinceMs === undefined) return;
    const weight = this.#epochMs === 0 ? 1 : WEIGHT;
    this.#epochMs += weight * (nowMs - sinceMs - this.#epochMs);
    this.#epochTold += weight * (told - this.#epochTold);
  }

  /** How long one more event would wait. While an epoch takes longer than ever, at least as long as that. */
  #waitMs(waiting: number): number {
    const nowMs = this.#nowMs();
    this.#sinceMs ??= nowMs;
    return Math.max(nowMs - this.#sinceMs, this.#epochTold === 0 ? 0 : (waiting * this.#epochMs) / this.#epochTold);
  }
}
