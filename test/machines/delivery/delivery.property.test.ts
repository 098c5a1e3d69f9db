/**
 * The delivery organisation on virtual time, with coding agents that fail, fall silent and ask, people who answer or do
 * not, and power cuts: what holds at every rest, and at the end.
 */
import { expect, it } from 'vitest';
import { seedOf } from '../../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../../support/effort.ts';
import { DeliveryStory } from '../../support/machines/delivery-story.ts';

const PLANS = byEffort({ quick: 1, ci: 3, soak: 30 });
const TASKS = Math.round((PLANS * 1_000) / 30);
/** Moves of a story for each of its tasks. */
const MOVES = 12;

it(`ends ${TASKS} tasks of ${PLANS} plans, or has them wait with a named person`, {
  timeout: LONG_PATIENCE_MS,
}, async () => {
  const story = new DeliveryStory(seedOf('delivery'), { plans: PLANS, tasks: TASKS });
  await story.begin();
  await story.run(TASKS * MOVES);
  await story.rest();
  await story.end();
  await story.room.test.system.stop();
  expect([...story.problems]).toEqual([]);
  // The proof is worth something only if the tasks met what they may meet.
  for (const [what, count] of Object.entries(story.seen)) expect(count, what).toBeGreaterThan(0);
});
