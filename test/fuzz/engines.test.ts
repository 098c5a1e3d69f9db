/**
 * The plan engine takes every step as the XState engine does (engines.ts); a fault planted in a plan shows that the
 * comparison finds differences. 10,000 steps in `npm test`, 70,000 with CI=true, 2,000,000 with BOSUN_SOAK=1, from
 * seeds that follow from the run's. The kernel runs on plans by default, in the other fuzz tests too; here a fiftieth
 * of the steps runs on the XState engine.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Plans } from '../../src/actors/xstate/plan-table.ts';
import { seedOf } from '../support/chance.ts';
import { campaign, everySecond, progressOf } from '../support/fuzz/campaign.ts';
import { STEPS_PER_MACHINE } from '../support/fuzz/census.ts';
import { compareEngines } from '../support/fuzz/engines.ts';
import { kernelOnXstate } from '../support/fuzz/hosted.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';

const STEPS = byEffort({ quick: 10_000, ci: 40_000, soak: 2_000_000 });
const FIRST = seedOf('machines for two engines');

describe('the plan engine', () => {
  afterEach(() => void vi.restoreAllMocks());

  it(
    `behaves like the XState engine in ${STEPS} steps of random machines`,
    async () => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      const { steps, machines, difference } = await compareEngines(FIRST, STEPS, progressOf('engines'));
      expect(difference).toBe(undefined);
      expect(steps).toBeGreaterThanOrEqual(STEPS);
      expect(machines).toBeGreaterThanOrEqual(STEPS / STEPS_PER_MACHINE);
    },
    LONG_PATIENCE_MS,
  );

  // Named faults of the past, by the seeds at which they were found.
  it.each([
    [41_354, 'regions in the order of the active nodes'],
    [129_964, 'a configuration that XState left without a region'],
  ])('is restored with the same state value: seed %i, %s', async (seed) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect((await compareEngines(seed, 30)).difference).toBe(undefined);
  });

  it(
    'differs from the XState engine if a plan lacks an operation',
    async () => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      const { plan } = Plans.prototype;
      vi.spyOn(Plans.prototype, 'plan').mockImplementation(function (this: Plans, ...args) {
        const right = plan.apply(this, args);
        return right === null || right.operations.length < 5
          ? right
          : { ...right, operations: right.operations.slice(0, -1) };
      });
      const { difference } = await compareEngines(FIRST, 100_000);
      expect(difference).toContain('plan:');
    },
    LONG_PATIENCE_MS,
  );
});

describe('the XState engine', () => {
  it(
    `behaves like createActor in ${STEPS / 50} steps of random machines`,
    async () => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      const { difference } = await campaign({
        seeds: everySecond(FIRST),
        steps: STEPS / 50,
        subject: kernelOnXstate,
        progress: progressOf('XState engine'),
      });
      vi.restoreAllMocks();
      expect(difference).toBe(undefined);
    },
    LONG_PATIENCE_MS,
  );
});
