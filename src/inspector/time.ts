/**
 * Time in the page, its only home: a tick each second for what counts up or down, and kernel time as far as it is
 * known.
 */
import { signal } from '@preact/signals';

const TICK_MS = 1_000;

/** Wall clock of the browser, as of the last tick. */
export const tickMs = signal(Date.now());

/** Kernel time less the browser's. */
const offsetMs = signal(0);

/** Every second, while the page is looked at. */
export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') tickMs.value = Date.now();
  }, TICK_MS);
}

export function nowMs(): number {
  return Date.now();
}

export function setKernelTime(kernelMs: number): void {
  offsetMs.value = kernelMs - Date.now();
}

/** As of the last tick. */
export function kernelMs(): number {
  return tickMs.value + offsetMs.value;
}

/** @returns What ends it. */
export function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms);
  return () => clearInterval(timer);
}

export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
