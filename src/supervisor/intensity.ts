/** Restart intensity: how often a Boss may restart children before it gives up. Pure. */

export interface Intensity {
  /** Restarts allowed within any window of `periodMs`. 0: the first failure ends the Boss. */
  readonly intensity: number;
  /** Length of the window, in milliseconds of kernel time. */
  readonly periodMs: number;
}

/** Elixir's default; OTP's is 1 in 5 seconds. */
export const DEFAULT_INTENSITY: Intensity = { intensity: 3, periodMs: 5_000 };

/**
 * Past restarts, newest first: kernel times, or pairs of a time and a number of restarts that count as of that time.
 */
export type Window = readonly (number | readonly [atMs: number, restarts: number])[];

/**
 * The number of entries from which close restarts share one: the window is written with every restart, and a storm must
 * not make each one dearer than the last. With a lower intensity than this, restarts are counted to the millisecond.
 */
export const EXACT_ENTRIES = 16;

/** The number of parts of a period; restarts within one part share an entry. OTP counts in whole seconds. */
const SHARES = 16;

/**
 * Counts one more restart and decides whether the Boss may go on. Restarts that share an entry count as of the last of
 * them: a Boss with a high intensity may give up a sixteenth of the period too early, never too late.
 *
 * @returns The new window, or null when the Boss must give up. Never throws.
 * @see OTP lib/stdlib/src/supervisor.erl `add_restart/3`: same rule and the same inclusive boundary, in seconds there.
 */
export function addRestart(window: Window, nowMs: number, { intensity, periodMs }: Intensity): Window | null {
  const kept = window.filter(isWithin(nowMs, periodMs));
  const [newest] = kept;
  const isShared = kept.length >= EXACT_ENTRIES && shareOf(timeOf(newest!), periodMs) === shareOf(nowMs, periodMs);
  const next: Window = isShared ? [[nowMs, countOf(newest!) + 1], ...kept.slice(1)] : [nowMs, ...kept];
  return sumOf(next) <= intensity ? next : null;
}

/** The number of restarts of a window that count now. */
export function restartsWithin(window: Window, nowMs: number, periodMs: number): number {
  return sumOf(window.filter(isWithin(nowMs, periodMs)));
}

function isWithin(nowMs: number, periodMs: number): (entry: Window[number]) => boolean {
  return (entry) => {
    const atMs = timeOf(entry);
    return atMs >= nowMs - periodMs && atMs <= nowMs;
  };
}

function shareOf(atMs: number, periodMs: number): number {
  return Math.floor((atMs * SHARES) / periodMs);
}

function timeOf(entry: Window[number]): number {
  return typeof entry === 'number' ? entry : entry[0];
}

function countOf(entry: Window[number]): number {
  return typeof entry === 'number' ? 1 : entry[1];
}

function sumOf(window: Window): number {
  let sum = 0;
  for (const entry of window) sum += countOf(entry);
  return sum;
}
