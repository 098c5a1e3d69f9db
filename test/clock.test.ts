/** The clock of a machine that sleeps, and waits that no timeout of Node is long enough for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SLEEP_MS_MIN, SystemClock, TIMEOUT_STEP_MS } from '../src/clock.ts';
import { LONG } from './support/effort.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A machine whose running time is that of the faked timers, and which can sleep. */
function machine({ resolutionMs = 1 } = {}) {
  let sleptMs = 0;
  let wallMs = Date.UTC(2026, 0, 1);
  const runningMs = () => vi.getMockedSystemTime()!.getTime();
  const clock = new SystemClock({
    wallMs: () => wallMs,
    runningMs,
    uptimeMs: () => Math.floor((5 * DAY_MS + 123 + runningMs() + sleptMs) / resolutionMs) * resolutionMs,
  });
  return { clock, sleep: (ms: number) => (sleptMs += ms), setWall: (ms: number) => (wallMs = ms) };
}

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a wait', () => {
  it.each([0, 1, TIMEOUT_STEP_MS, TIMEOUT_STEP_MS + 1, DAY_MS])(
    'a wait of %i ms ends after that time and not before',
    async (delayMs) => {
      const { clock } = machine();
      const ring = vi.fn();
      clock.setTimeout(ring, delayMs);
      await vi.advanceTimersByTimeAsync(Math.max(0, delayMs - 1));
      expect(ring).toHaveBeenCalledTimes(delayMs === 0 ? 1 : 0);
      await vi.advanceTimersByTimeAsync(2);
      expect(ring).toHaveBeenCalledTimes(1);
    },
  );

  it('does not end at once if it is longer than 2^31 ms', LONG, async () => {
    const { clock } = machine();
    const ring = vi.fn();
    for (const delayMs of [2 ** 31, 2 ** 31 + 1, 2 ** 40, Infinity]) clock.setTimeout(ring, delayMs);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(ring).not.toHaveBeenCalled();
  });

  it('is cancelled at any of its steps', async () => {
    const { clock } = machine();
    const ring = vi.fn();
    const cancel = clock.setTimeout(ring, 5 * TIMEOUT_STEP_MS);
    await vi.advanceTimersByTimeAsync(3 * TIMEOUT_STEP_MS);
    cancel();
    await vi.advanceTimersByTimeAsync(5 * TIMEOUT_STEP_MS);
    expect(ring).not.toHaveBeenCalled();
  });

  it('includes the sleep of the machine: it ends at most one step after the machine wakes', async () => {
    const { clock, sleep } = machine();
    const ring = vi.fn();
    clock.setTimeout(ring, DAY_MS);
    await vi.advanceTimersByTimeAsync(60_000);
    sleep(2 * DAY_MS);
    await vi.advanceTimersByTimeAsync(TIMEOUT_STEP_MS + 1);
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe('monotonic time', () => {
  it('includes the sleep of the machine, and is independent of changes to the wall clock', async () => {
    const { clock, sleep, setWall } = machine();
    const startMs = clock.monotonicMs();
    sleep(DAY_MS);
    setWall(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(clock.monotonicMs() - startMs).toBe(DAY_MS + 2_000);
    setWall(4e12);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(clock.monotonicMs() - startMs).toBe(DAY_MS + 4_000);
  });

  it('does not mistake a coarse uptime for sleep, and never goes back', async () => {
    const { clock, sleep } = machine({ resolutionMs: 1_000 });
    let lastMs = clock.monotonicMs();
    const startMs = lastMs;
    for (let n = 0; n < 200; n++) {
      await vi.advanceTimersByTimeAsync(777);
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(lastMs);
      lastMs = clock.monotonicMs();
    }
    expect(lastMs - startMs).toBe(200 * 777);
    sleep(SLEEP_MS_MIN + 1_000);
    for (let n = 0; n < 10; n++) {
      await vi.advanceTimersByTimeAsync(777);
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(lastMs);
      lastMs = clock.monotonicMs();
    }
    expect(Math.abs(lastMs - startMs - 210 * 777 - SLEEP_MS_MIN - 1_000)).toBeLessThanOrEqual(1_000);
  });

  it('counts short sleeps once they add up', async () => {
    const { clock, sleep } = machine();
    const startMs = clock.monotonicMs();
    for (let n = 0; n < 3; n++) {
      sleep(SLEEP_MS_MIN / 2);
      await vi.advanceTimersByTimeAsync(2_000);
      clock.monotonicMs();
    }
    expect(clock.monotonicMs() - startMs).toBe(6_000 + SLEEP_MS_MIN);
  });
});
