/** The fuzz is worth something: a fault that was planted in the engine is found, and told by a small machine. */
import { describe, expect, it } from 'vitest';
import { XstateEngine } from '../../src/actors/xstate-engine.ts';
import { campaign, everySecond } from './campaign.ts';
import { kernel, type Subject } from './hosted.ts';

/** Shrinking plays hundreds of stories. */
const PATIENCE_MS = 180_000;

/** An engine that loses a delayed event where the machine arms two in one step. */
const forgetful: Subject = {
  ...kernel,
  observe(received) {
    const end = kernel.observe(received);
    const { transition } = XstateEngine.prototype;
    XstateEngine.prototype.transition = function (definition, self, snapshot, event) {
      const step = transition.call(this, definition, self, snapshot, event);
      const armed = step.effects.filter(({ kind }) => kind === 'arm');
      return armed.length < 2 ? step : { ...step, effects: step.effects.filter((effect) => effect !== armed[1]) };
    };
    return () => {
      XstateEngine.prototype.transition = transition;
      end();
    };
  },
};

describe('a fault in the step engine', () => {
  it('is found, and shrunk to a story of few lines', async () => {
    const { difference } = await campaign({ seeds: everySecond(1), steps: 100_000, subject: forgetful });
    expect(difference).toContain('createActor:');
    expect(difference!.split('\n').length).toBeLessThan(60);
  }, PATIENCE_MS);
});
