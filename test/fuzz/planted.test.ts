/** The fuzz is worth something: a fault that was planted in the engine is found, and told by a small machine. */
import { describe, expect, it } from 'vitest';
import { PlanEngine } from '../../src/actors/xstate/plan-engine.ts';
import { Plans } from '../../src/actors/xstate/plan-table.ts';
import { campaign, everySecond } from '../support/fuzz/campaign.ts';
import { kernel, type Subject } from '../support/fuzz/hosted.ts';
import { LONG_PATIENCE_MS } from '../support/effort.ts';

/** An engine that loses a delayed event where the machine arms two in one step. */
const forgetful: Subject = {
  ...kernel,
  observe(received) {
    const end = kernel.observe(received);
    const { transition } = PlanEngine.prototype;
    PlanEngine.prototype.transition = function (definition, self, snapshot, event) {
      const step = transition.call(this, definition, self, snapshot, event);
      const armed = step.effects.filter(({ kind }) => kind === 'arm');
      return armed.length < 2 ? step : { ...step, effects: step.effects.filter((effect) => effect !== armed[1]) };
    };
    return () => {
      PlanEngine.prototype.transition = transition;
      end();
    };
  },
};

/** Plans that leave out the last of many operations. */
const hasty: Subject = {
  ...kernel,
  observe(received) {
    const end = kernel.observe(received);
    const { plan } = Plans.prototype;
    Plans.prototype.plan = function (...args) {
      const right = plan.apply(this, args);
      return right === null || right.operations.length < 6
        ? right
        : { ...right, operations: right.operations.slice(0, -1) };
    };
    return () => {
      Plans.prototype.plan = plan;
      end();
    };
  },
};

describe('a fault in the step engine', () => {
  it(
    'is found, and shrunk to a short story',
    async () => {
      const { difference } = await campaign({ seeds: everySecond(1), steps: 100_000, subject: forgetful });
      expect(difference).toContain('createActor:');
      expect(difference!.split('\n').length).toBeLessThan(60);
    },
    LONG_PATIENCE_MS,
  );

  it(
    'is found if it is in a plan',
    async () => {
      const { difference } = await campaign({ seeds: everySecond(1), steps: 100_000, subject: hasty });
      expect(difference).toContain('createActor:');
      expect(difference!.split('\n').length).toBeLessThan(60);
    },
    LONG_PATIENCE_MS,
  );
});
