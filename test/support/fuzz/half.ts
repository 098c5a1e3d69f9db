/**
 * Half of the differential fuzz, so that two test files can run in parallel on two cores. Each takes 3,000 steps in
 * `npm test` and 33,000 with CI=true, always from the same seeds, and 500,000 with BOSUN_SOAK=1. BOSUN_FUZZ_SEED=7
 * starts from other seeds.
 */
import { expect, it, vi } from 'vitest';
import { campaign, everySecond, progressOf } from './campaign.ts';
import { STEPS_PER_MACHINE } from './census.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS } from '../effort.ts';

const STEPS = byEffort({ quick: 3_000, ci: 33_000, soak: 500_000 });
/** First seed; runs are ten times as many seeds apart as the longest half takes. */
const SEED = 40_000 * Number(process.env['BOSUN_FUZZ_SEED'] ?? 0);

/** Features that the fuzz must meet, or it proves nothing about them. */
const MET = [
  ...['always', 'guarded', '*', 'partial wildcard', 'reenter', 'several targets'].map((what) => `transitions: ${what}`),
  ...[
    'transitions: xstate.after',
    'transitions: xstate.done.state',
    'transitions: xstate.done.actor',
    'transitions: xstate.error.actor',
  ],
  ...['transitions: xstate.snapshot', 'history: restored', 'history: default', 'timers fired', 'roots done'],
  ...[
    'children born',
    'children stopped',
    'children done',
    'children failed: pure',
    'roots failed: pure',
    'roots failed: boom',
  ],
  ...['settled', 'acknowledged', 'durable', 'lost'].map((cut) => `power cut: ${cut}`),
];

export function fuzzHalf(half: 'even' | 'odd'): void {
  it(
    `${STEPS} steps of random machines, with power cuts in a tenth of them: seeds that are ${half}`,
    async () => {
      // XState's development build warns of events to ended children, which some of these machines send all the time.
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      const progress = progressOf(half);
      const outcome = await campaign({ seeds: everySecond(SEED + (half === 'even' ? 2 : 1)), steps: STEPS, progress });
      warn.mockRestore();
      expect(outcome.difference).toBe(undefined);
      progress?.(
        `${outcome.steps} steps of ${outcome.machines} machines in ${outcome.cpuMs} ms of processor ` +
          `time\n${outcome.coverage}`,
      );
      expect(outcome.steps).toBeGreaterThanOrEqual(STEPS);
      expect(outcome.machines).toBeGreaterThanOrEqual(STEPS / STEPS_PER_MACHINE);
      if (EFFORT !== 'quick') expect(MET.filter((what) => outcome.coverage.of(what) === 0)).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );
}
