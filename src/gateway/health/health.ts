/**
 * The health of the system and its gateway at a glance. It is measured while somebody asks, and at most a few times a
 * second, however many ask.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock } from '../../clock.ts';
import { LISTING_HZ } from '../limits.ts';
import { type Shard } from '../../shard.ts';
import { type SystemInfo } from '../protocol/views.ts';
import { type Counters } from './counters.ts';

interface HealthParts {
  readonly system: Shard;
  readonly counters: Counters;
  readonly clock: Clock;
}

const NS_PER_MS = 1e6;

/** Interval at which the event loop's delay is sampled; the measured delay includes it. */
const SAMPLE_MS = 10;

/** Length of time that a reading of the delay covers at least. */
const WINDOW_MS = 5_000;

export class Health {
  readonly #parts: HealthParts;
  #delay: IntervalHistogram | undefined;
  #resetMs = 0;
  #storeBytes: { readonly atMs: number; readonly bytes: Promise<number | null> } | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  async view(): Promise<SystemInfo> {
    const { system, counters } = this.#parts;
    return {
      epoch: system.epoch,
      nowMs: system.clientApi.nowMs ?? 0,
      outage: system.outage?.code ?? null,
      damaged: system.damage().length,
      unreadable: system.unreadable().length,
      deadLetters: system.deadLetters.list().length,
      eventLoopDelayMs: this.#delayMs(),
      storeBytes: await this.#bytes(),
      gateway: counters.all(),
    };
  }

  stop(): void {
    this.#delay?.disable();
  }

  /** The 99th percentile of the delay; null at the first call, which starts the measurement. */
  #delayMs(): number | null {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
      this.#delay.enable();
      this.#resetMs = nowMs;
    }
    const measured =
      this.#delay.count === 0
        ? null
        : Math.max(0, Math.round((this.#delay.percentile(99) / NS_PER_MS - SAMPLE_MS) * 10) / 10);
    if (nowMs - this.#resetMs >= WINDOW_MS) {
      this.#delay.reset();
      this.#resetMs = nowMs;
    }
    return measured;
  }

  #bytes(): Promise<number | null> {
    const atMs = this.#parts.clock.monotonicMs();
    if (this.#storeBytes === undefined || atMs - this.#storeBytes.atMs >= 1_000 / LISTING_HZ)
      // During an outage the store may be closed; the other numbers must be shown all the same.
      this.#storeBytes = { atMs, bytes: this.#parts.system.storeBytes().catch(() => null) };
    return this.#storeBytes.bytes;
  }
}
