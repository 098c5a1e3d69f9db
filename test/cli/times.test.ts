/** Times and spans of time on a command line. */
import { describe, expect, it } from 'vitest';
import { sinceMs, spanText } from '../../src/cli/times.ts';

const NOW_MS = Date.UTC(2026, 1, 10, 12);

describe('sinceMs', () => {
  it.each([
    ['90s', NOW_MS - 90_000],
    ['2h', NOW_MS - 7_200_000],
    ['1d12h', NOW_MS - 129_600_000],
    ['1w', Date.UTC(2026, 1, 3, 12)],
    ['0s', NOW_MS],
    ['2026-02-01', Date.UTC(2026, 1, 1)],
    ['2026-02-01T12:00Z', Date.UTC(2026, 1, 1, 12)],
    ['2026-02-01T12:00:00.250+01:00', Date.UTC(2026, 1, 1, 11, 0, 0, 250)],
  ])('takes %s', (text, ms) => {
    expect(sinceMs(text, NOW_MS)).toBe(ms);
  });

  it('is never before 1970, which kernel time cannot be', () => {
    expect(sinceMs('999999w', NOW_MS)).toBe(0);
    expect(sinceMs('1950-01-01', NOW_MS)).toBe(0);
  });

  it.each(['', ' ', '2', 'h', '12h1d', '-2h', '1.5h', '2 h', 'yesterday', 'May 2', '2026-13-01'])(
    'refuses %j with examples',
    (text) => {
      expect(() => sinceMs(text, NOW_MS)).toThrow('Not a time, such as 2h, 7d, 2026-02-01 or 2026-02-01T12:00Z.');
    },
  );
});

describe('spanText', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [59_999, '59.9 s'],
    [60_000, '1 m 0 s'],
    [200_000, '3 m 20 s'],
    [3_600_000 + 59_000, '1 h 0 m'],
    [86_400_000 * 3 + 3_600_000 * 4, '3 d 4 h'],
    [86_400_000 * 30, '30 d 0 h'],
  ])('says %i ms as %s', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });
});
