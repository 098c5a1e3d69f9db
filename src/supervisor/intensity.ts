/** Restart intensity: how often a Boss may restart children before it gives up. Pure. */

export interface Intensity {
  /** Restarts allowed within any window of `periodMs`. 0: the first failure ends the Boss. */
  readonly intensity: number;
  /** Milliseconds of kernel time. */
  readonly periodMs: number;
}

/** Elixir's default; OTP's is 1 in 5 seconds. */
export const DEFAULT_INTENSITY: Intensity = { intensity: 3, periodMs: 5_000 };

/**
 * Counts one more restart and decides whether the Boss may go on.
 *
 * @param restartedAtMs Past restarts, newest first, kernel time in milliseconds.
 * @returns The new window, or null when the Boss must give up. Never throws.
 * @see OTP lib/stdlib/src/supervisor.erl `add_restart/3`: same rule and the same inclusive boundary, seconds there.
 */
export function addRestart(
  restartedAtMs: readonly number[],
  nowMs: number,
  { intensity, periodMs }: Intensity,
): readonly number[] | null {
  const threshold = nowMs - periodMs;
  const window = [nowMs, ...restartedAtMs.filter((atMs) => atMs >= threshold && atMs <= nowMs)];
  return window.length <= intensity ? window : null;
}
