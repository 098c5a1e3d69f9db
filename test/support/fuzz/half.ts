/**
 * Half of the differential fuzz, so that two test files can run in parallel on two cores. Each takes 3,000 steps in
 * `npm test`, 20,000 with CI=true and 500,000 with BOSUN_SOAK=1, from seeds that follow from the run's.
 */
import { expect, it, vi } from 'vitest';
import { seedOf } from '../chance.ts';
import { campaign, everySecond, progressOf } from './campaign.ts';
import { STEPS_PER_MACHINE } from './census.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS } from '../effort.ts';

const STEPS = byEffort({ quick: 3_000, ci: 20_000, soak: 500_000 });
/** The first seed of the even half; that of the odd one follows it. */
const FIRST = 2 * Math.floor(seedOf('random machines') / 2);

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
  ...['records compared: plain', 'records compared: keyed', 'results compared: done', 'results compared: error'],
  ...['Date', 'invalid Date', 'Uint8Array', 'Map', 'Set', 'Error', 'bigint', 'Array', 'Object'].flatMap((kind) => [
    `held: ${kind}`,
    `received: ${kind}`,
  ]),
  'recoveries compared',
  ...['settled', 'acknowledged', 'durable', 'lost'].map((cut) => `power cut: ${cut}`),
];

export function fuzzHalf(half: 'even' | 'odd'): void {
  it(
    `${STEPS} steps of random machines, with power cuts in a tenth of them: seeds that are ${half}`,
    async () => {
      // XState's development build warns of events to ended children, which some of these machines send all the time.
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      const progress = progressOf(half);
      const outcome = await campaign({
        seeds: everySecond(FIRST + (half === 'even' ? 0 : 1)),
        steps: STEPS,
        met: EFFORT === 'quick' ? [] : MET,
        progress,
      });
      warn.mockRestore();
      expect(outcome.difference).toBe(undefined);
      progress?.(`${outcome.steps} steps of ${outcome.machines} machines\n${outcome.coverage}`);
      expect(outcome.steps).toBeGreaterThanOrEqual(STEPS);
      expect(outcome.machines).toBeGreaterThanOrEqual(STEPS / STEPS_PER_MACHINE);
      if (EFFORT !== 'quick') expect(MET.filter((what) => outcome.coverage.of(what) === 0)).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );
}
