/** The fuzz is worth something: a fault that was planted in the engine is found, and told by a small machine. */
import { describe, expect, it } from 'vitest';
import { PlanEngine } from '../../src/actors/xstate/plan-engine.ts';
import { Plans } from '../../src/actors/xstate/plan-table.ts';
import { seedOf } from '../support/chance.ts';
import { lateRecords } from '../support/crash/late-rows.ts';
import { campaign, everySecond } from '../support/fuzz/campaign.ts';
import { kernel, type Subject } from '../support/fuzz/hosted.ts';
import { LONG_PATIENCE_MS } from '../support/effort.ts';

/** Compared steps in which a fault is searched for: many times as many as it takes. */
const SEARCHED_MAX = 1_000_000;

/** Lines of a short story, which most are. */
const LINES_MAX = 60;

/** Stories that are told in the search for a short one. */
const STORIES_MAX = 30;

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

/** A kernel that enters records an epoch late, so that a power cut in between loses them. */
const late: Subject = {
  ...kernel,
  observe(received) {
    const end = kernel.observe(received);
    const undo = lateRecords();
    return () => {
      undo();
      end();
    };
  },
};

/** Searches for a difference with a short story: how far a machine can be shrunk depends on its seed. */
async function shortStory(name: string, subject: Subject): Promise<string | undefined> {
  for (let told = 1; ; told++) {
    const seeds = everySecond(seedOf(name, told));
    const { difference } = await campaign({ seeds, steps: SEARCHED_MAX, subject });
    if (difference === undefined || difference.split('\n').length < LINES_MAX || told === STORIES_MAX)
      return difference;
  }
}

describe('a fault in the step engine', () => {
  it.each([
    ['is found, and shrunk to a short story', forgetful],
    ['is found if it is in a plan', hasty],
  ])(
    '%s',
    async (name, subject) => {
      const difference = await shortStory(name, subject);
      expect(difference).toContain('createActor:');
      expect(difference!.split('\n').length).toBeLessThan(LINES_MAX);
    },
    LONG_PATIENCE_MS,
  );
});

describe('a fault in the kernel', () => {
  it(
    'is found if it enters records outside of the epoch of their turn',
    async () => {
      const difference = await shortStory('late', late);
      expect(difference).toContain('records of');
      expect(difference).toContain('power cut: ');
    },
    LONG_PATIENCE_MS,
  );
});

describe('a machine that records more in a step than a turn may', () => {
  it('is not compared from there on', async () => {
    const { coverage, difference } = await campaign({ seeds: [1_738_563_475], steps: 1 });
    expect(difference).toBe(undefined);
    expect(coverage.of('departures: records')).toBeGreaterThan(0);
  });
});
