/**
 * Time in the page: a tick each second for ages and countdowns, and an estimate of kernel time. Timers are those of the
 * client, which may be as long as one likes.
 */
import { signal } from '@preact/signals';
import { ownClock } from '../client/platform.ts';

const TICK_MS = 1_000;

/** Wall clock of the browser, as of the last tick. */
export const tickMs = signal(Date.now());

/** Kernel time minus the browser's. */
const offsetMs = signal(0);

/** Ticks every second while the page is visible. */
export function startClock(): void {
  every(TICK_MS, () => {
    if (document.visibilityState === 'visible') tickMs.value = Date.now();
  });
}

export function nowMs(): number {
  return Date.now();
}

export function setKernelTime(kernelMs: number): void {
  offsetMs.value = kernelMs - Date.now();
}

/** Kernel time as of the last tick. */
export function kernelMs(): number {
  return tickMs.value + offsetMs.value;
}

/**
 * Calls a function at an interval.
 *
 * @returns A function that stops it.
 */
export function every(ms: number, callback: () => void): () => void {
  let stop: () => void;
  const begin = () => {
    stop = ownClock.setTimeout(() => {
      begin();
      callback();
    }, ms);
  };
  begin();
  return () => stop();
}

export function after(ms: number, callback: () => void): () => void {
  return ownClock.setTimeout(callback, ms);
}
