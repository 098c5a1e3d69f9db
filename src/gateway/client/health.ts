/**
 * How the system and its gateway stand, in one look: what a person who watches wants to see at a glance. Measured while
 * somebody asks, and no more often than a few times a second, however many do.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock } from '../../clock.ts';
import { LISTING_HZ } from '../../limits.ts';
import { type System } from '../../system.ts';
import { type SystemInfo } from '../protocol/views.ts';
import { type Counters } from './counters.ts';

interface HealthParts {
  readonly system: System;
  readonly counters: Counters;
  readonly clock: Clock;
}

const NS_PER_MS = 1e6;

/** How often the loop is looked at. What is measured has it in it. */
const SAMPLE_MS = 10;

/**
 * The delay is that of the last seconds, not of all time: a reading covers what was since this long before it, or
 * longer.
 */
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

  /** The 99th percentile; null at the first look, which begins to measure. */
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
      this.#storeBytes = { atMs, bytes: this.#parts.system.storeBytes() };
    return this.#storeBytes.bytes;
  }
}
