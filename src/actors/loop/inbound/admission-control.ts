/**
 * Admission control for host events (design P8), with two bounds: the bytes of accepted events that are not durable
 * yet; and how long an event would wait for its epoch, by the current pace of epochs. So a fast disk allows long queues
 * and a slow one short ones, and a refused host can turn elsewhere in time. Counting only; ingress.ts has the queue.
 */
import { BosunError } from '../../../errors.ts';
import { ADMISSION_WAIT_MS_MAX, TURNS_PER_AWAITED_EPOCH, UNCOMMITTED_BYTES_MAX } from '../../../limits.ts';

/** Weight of the last epoch in the pace: about the last ten count, and a single slow sync is no trend. */
const WEIGHT = 0.2;

/** How long a queue must exist before its pace is measured: the first epochs of a burst may hold few events. */
const PACE_MS = 1_000;

/** The measured pace of a queue. */
interface Pace {
  readonly sinceMs: number;
  /** The time at which its last epoch became durable; at first, when the queue began. */
  lastMs: number;
  /**
   * Weighted sums over its last epochs: their duration, and their number of events. Sums, because a single epoch with
   * one event gives no pace.
   */
  epochMs: number;
  epochEvents: number;
}

export class AdmissionControl {
  readonly #nowMs: () => number;
  /** Bytes of accepted events that are not durable. */
  #bytes = 0;
  /** Events moved into an epoch since the last epoch became durable. */
  #entered = 0;
  /** The measured pace. Undefined while there is no queue. */
  #pace: Pace | undefined;

  /**
   * Makes the control.
   *
   * @param nowMs Monotonic clock.
   */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Decides whether an event may enter.
   *
   * @param waiting Events that wait for room in an epoch.
   * @throws BOSUN_OVERLOADED.
   */
  check(waiting: number): void {
    if (this.#bytes > UNCOMMITTED_BYTES_MAX) {
      throw new BosunError(
        'BOSUN_OVERLOADED',
        `${this.#bytes} bytes wait to become durable, more than ${UNCOMMITTED_BYTES_MAX}`,
      );
    }
    // The next epoch takes this many; reading the clock for each of them would be a waste.
    if (waiting < TURNS_PER_AWAITED_EPOCH) return;
    const waitMs = this.#waitMs(waiting);
    if (waitMs <= ADMISSION_WAIT_MS_MAX) return;
    // No later than that: the disk may be fast again by then, and the refused host would not know.
    const retryAfterMs = Math.ceil(Math.min(waitMs - ADMISSION_WAIT_MS_MAX / 2, ADMISSION_WAIT_MS_MAX / 2));
    throw new BosunError('BOSUN_OVERLOADED', `the event would become durable only in about ${Math.round(waitMs)} ms`, {
      details: { retryAfterMs },
    });
  }

  taken(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Subtracts an event that is durable, or was refused after all. */
  gone(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Counts an event that has been moved into an epoch. */
  entered(): void {
    this.#entered += 1;
  }

  /** Forgets the measured pace, which is no longer valid. */
  beginAnew(): void {
    this.#pace = undefined;
  }

  /**
   * Updates the pace after a durable epoch.
   *
   * @param waiting Events that still wait.
   */
  durable(waiting: number): void {
    const entered = this.#entered;
    this.#entered = 0;
    const pace = this.#pace;
    // The next queue is measured anew: the disk may be fast again by then.
    if (waiting < TURNS_PER_AWAITED_EPOCH) this.#pace = undefined;
    else if (pace !== undefined) {
      const nowMs = this.#nowMs();
      const weight = pace.epochMs === 0 ? 1 : WEIGHT;
      pace.epochMs += weight * (nowMs - pace.lastMs - pace.epochMs);
      pace.epochEvents += weight * (entered - pace.epochEvents);
      pace.lastMs = nowMs;
    }
  }

  /**
   * How long one more event would wait; at least the duration of the current epoch, while that is longer than the pace.
   */
  #waitMs(waiting: number): number {
    const nowMs = this.#nowMs();
    const { sinceMs, lastMs, epochMs, epochEvents } = (this.#pace ??= {
      sinceMs: nowMs,
      lastMs: nowMs,
      epochMs: 0,
      epochEvents: 0,
    });
    const isKnown = epochEvents > 0 && nowMs - sinceMs >= PACE_MS;
    return Math.max(nowMs - lastMs, isKnown ? (waiting * epochMs) / epochEvents : 0);
  }
}
