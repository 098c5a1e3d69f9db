/** The fuzz is worth something: a fault that was planted in the engine is found, and told by a small machine. */
import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/unfreezable.ts';
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

/** The kernel with a fault. The fault returns how to undo it. */
function planted(fault: () => () => void): Subject {
  return {
    ...kernel,
    observe(received) {
      const end = kernel.observe(received);
      const undo = fault();
      return () => {
        undo();
        end();
      };
    },
  };
}

/** An engine that loses a delayed event where the machine arms two in one step. */
const forgetful = planted(() => {
  const { transition } = PlanEngine.prototype;
  PlanEngine.prototype.transition = function (definition, self, snapshot, event) {
    const step = transition.call(this, definition, self, snapshot, event);
    const armed = step.effects.filter(({ kind }) => kind === 'arm');
    return armed.length < 2 ? step : { ...step, effects: step.effects.filter((effect) => effect !== armed[1]) };
  };
  return () => {
    PlanEngine.prototype.transition = transition;
  };
});

/** Plans that leave out the last of many operations. */
const hasty = planted(() => {
  const { plan } = Plans.prototype;
  Plans.prototype.plan = function (...args) {
    const right = plan.apply(this, args);
    return right === null || right.operations.length < 6
      ? right
      : { ...right, operations: right.operations.slice(0, -1) };
  };
  return () => {
    Plans.prototype.plan = plan;
  };
});

/** A kernel that enters records an epoch late, so that a power cut in between loses them. */
const late = planted(lateRecords);

/** A kernel that keeps the date that a field has had when another date is assigned to it. */
const stale = planted(() => {
  const { changeOf } = PlanEngine.prototype;
  PlanEngine.prototype.changeOf = function (definition, before, after) {
    const change = changeOf.call(this, definition, before, after);
    for (const [key, value] of Object.entries(change.set ?? {})) {
      const old = (before?.context as Record<string, unknown>)[key];
      if (!(value instanceof Date) || !(old instanceof Date)) continue;
      change.set![key] = old;
      change.made = undefined;
    }
    return change;
  };
  return () => {
    PlanEngine.prototype.changeOf = changeOf;
  };
});

/** A kernel whose machines find something else in their contexts after a restart. */
function recovering(field: (value: unknown) => unknown): Subject {
  return planted(() => {
    const { restore } = PlanEngine.prototype;
    PlanEngine.prototype.restore = function (definition, self, state, children) {
      const entries = Object.entries(state.context as object).map(([key, value]) => [key, field(value)] as const);
      const recovered = Object.assign(Object.create(state) as typeof state, { context: Object.fromEntries(entries) });
      return restore.call(this, definition, self, recovered, children);
    };
    return () => {
      PlanEngine.prototype.restore = restore;
    };
  });
}

const losing = recovering((value) => (value instanceof Uint8Array ? value.slice(0, -1) : value));
const swapping = recovering((value) => (value instanceof Map ? fixed(new Map([...value].reverse())) : value));
const opening = recovering((value) => (value instanceof Map ? Object.freeze(new Map(value)) : value));

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

describe('a fault with values beyond JSON', () => {
  it.each([
    ['keeps the old date when a date is assigned', stale, 'Date'],
    ['loses a byte in a restart', losing, 'Uint8Array'],
    ['turns the order of a Map around in a restart', swapping, 'Map'],
    ['returns a Map from a restart that can be changed', opening, 'Map'],
  ])(
    'is found, and shrunk to a short story, if the kernel %s',
    async (name, subject, shown) => {
      const difference = await shortStory(name, subject);
      expect(difference).toMatch(new RegExp(`: .*${shown}\\(.*\\n.*: .*${shown}\\(`));
      expect(difference!.split('\n').length).toBeLessThan(LINES_MAX);
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
