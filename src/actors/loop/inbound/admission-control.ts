/**
 * Whether an event of a host may come in now (design P8). Two bounds: what was taken and is not durable yet, in bytes;
 * and how long an event would wait for its epoch, by the pace at which epochs become durable at present. So a fast disk
 * takes long queues and a slow one short ones, and whoever is refused can go elsewhere while it still makes sense.
 * Counting only; what waits is in ingress.ts.
 */
import { BosunError } from '../../../errors.ts';
import { ADMISSION_WAIT_MS_MAX, TURNS_PER_AWAITED_EPOCH, UNCOMMITTED_BYTES_MAX } from '../../../limits.ts';

/** Weight of the last epoch in the pace: the last ten or so count, and one slow sync among them is no trend. */
const WEIGHT = 0.2;

/**
 * For how long there has to be a queue before its pace is one: the first epochs of a burst hold what came first, which
 * may be little.
 */
const PACE_MS = 1_000;

/** Of a queue. */
interface Pace {
  readonly sinceMs: number;
  /** When its last epoch became durable; at first, when it began. */
  lastMs: number;
  /**
   * Of its last epochs, each: how long it took, and how many events it took in. By the sums, so that one which took in
   * a single event is no pace.
   */
  epochMs: number;
  epochEvents: number;
}

export class AdmissionControl {
  readonly #nowMs: () => number;
  /** Of what was taken and is not durable. */
  #bytes = 0;
  /** Events that found room since the last epoch became durable. */
  #entered = 0;
  /** Undefined while there is no queue. */
  #pace: Pace | undefined;

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
      throw new BosunError(
        'BOSUN_OVERLOADED',
        `${this.#bytes} bytes wait to become durable, more than ${UNCOMMITTED_BYTES_MAX}`,
      );
    }
    // The next epoch takes as many as this; to ask the clock for each of them would be waste.
    if (waiting < TURNS_PER_AWAITED_EPOCH) return;
    const waitMs = this.#waitMs(waiting);
    if (waitMs <= ADMISSION_WAIT_MS_MAX) return;
    const retryAfterMs = Math.ceil(waitMs - ADMISSION_WAIT_MS_MAX / 2);
    throw new BosunError('BOSUN_OVERLOADED', `it would take some ${Math.round(waitMs)} ms until the event is durable`, {
      details: { retryAfterMs },
    });
  }

  taken(bytes: number): void {
    this.#bytes += bytes;
  }

  /** It is durable, or was refused after all. */
  gone(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** An event that waited has found room. */
  entered(): void {
    this.#entered += 1;
  }

  /** An epoch is durable. @param waiting Events that still wait. */
  durable(waiting: number): void {
    const entered = this.#entered;
    this.#entered = 0;
    const pace = this.#pace;
    // The next queue finds out anew: the disk may be as fast as ever by then.
    if (waiting < TURNS_PER_AWAITED_EPOCH) this.#pace = undefined;
    else if (pace !== undefined) {
      const nowMs = this.#nowMs();
      const weight = pace.epochMs === 0 ? 1 : WEIGHT;
      pace.epochMs += weight * (nowMs - pace.lastMs - pace.epochMs);
      pace.epochEvents += weight * (entered - pace.epochEvents);
      pace.lastMs = nowMs;
    }
  }

  /** How long one more event would wait. While an epoch takes longer than ever, at least as long as that. */
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
