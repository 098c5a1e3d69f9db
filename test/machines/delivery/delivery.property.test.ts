/**
 * The delivery organisation as a property on virtual time: with failures, stalls, questions, refusals, failed checks,
 * halts of the overseer and power cuts, every task ends verified, failed or decomposed, or waits with a named person.
 * Nothing is verified twice, and nothing is lost.
 */
import { expect, it } from 'vitest';
import { seedOf } from '../../support/chance.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS } from '../../support/effort.ts';
import { DeliveryStory } from '../../support/machines/delivery-story.ts';

const PLANS = byEffort({ quick: 1, ci: 4, soak: 40 });
const TASKS = 25 * PLANS;
const CUTS = byEffort({ quick: 2, ci: 6, soak: 60 });
/** Moves of a story for each of its tasks. */
const MOVES = 12;

it(`ends ${TASKS} tasks of ${PLANS} plans, or has them wait with a named person`, {
  timeout: LONG_PATIENCE_MS,
}, async () => {
  const story = new DeliveryStory(seedOf('delivery'), { plans: PLANS, tasks: TASKS });
  await story.begin();
  await story.run(TASKS * MOVES, CUTS);
  await story.rest();
  await story.end();
  await story.room.test.system.stop();
  expect([...story.problems]).toEqual([]);
  // The proof is worth something only if the tasks met what they may meet, for which one plan has too few.
  const met = EFFORT === 'quick' ? { given: story.seen.given } : story.seen;
  for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(0);
});
