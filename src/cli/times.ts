/** Times and spans of time, as people write them on a command line and read them there. Pure. */
import { InvalidArgumentError } from 'commander';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Units of a span, the longest first. */
const UNITS = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS } as const;

/** Parses a date, in milliseconds since 1970. Throws an InvalidArgumentError. */
export function dateMs(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Not a date, such as 2026-02-01 or 2026-02-01T12:00Z.');
  return ms;
}

/**
 * Parses a time in the past: a date, or a span before now, such as `90s`, `2h` or `1d12h`. Throws an
 * InvalidArgumentError.
 */
export function sinceMs(text: string, nowMs: number): number {
  const span = spanMs(text);
  if (span !== undefined) return Math.max(0, nowMs - span);
  // Date.parse takes almost any text with a number in it for a date.
  const ms = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Not a time, such as 2h, 7d, 2026-02-01 or 2026-02-01T12:00Z.');
  return Math.max(0, ms);
}

/** A span of weeks, days, hours, minutes and seconds, in this order; undefined for another text. */
function spanMs(text: string): number | undefined {
  const parts = /^(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/.exec(text);
  if (parts === null || text === '') return undefined;
  return Object.values(UNITS).reduce((sum, unit, index) => sum + unit * Number(parts[index + 1] ?? 0), 0);
}

/** A span of time for people: its two largest units, or milliseconds and tenths of seconds where it is short. */
export function spanText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  // Rounded down, so that no text says 60.0 s.
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const units = Object.entries(UNITS).filter(([name]) => name !== 'w');
  const first = units.findIndex(([, unit]) => ms >= unit);
  let rest = ms;
  const parts = units.slice(first, first + 2).map(([name, unit]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return `${count} ${name}`;
  });
  return parts.join(' ');
}
