/**
 * Records and results under crashes: actors record, end and begin again, while the power is cut at random writes,
 * between two steps, and at every single write. The numbering of records has no hole, the result of an actor is there
 * exactly if its end is, and what was dropped leaves nothing.
 */
import { describe, expect, it } from 'vitest';
import { type HoldPoint } from '../../src/testing/faulty-store.ts';
import { randomOf } from '../support/chance.ts';
import { lateRecords, lateResults } from '../support/crash/late-rows.ts';
import { type LivesCut, LivesStory, randomSteps } from '../support/crash/lives-story.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';

/** Crashes of random stories. */
const CRASHES = byEffort({ quick: 20, ci: 40, soak: 4_000 });
const CRASHES_PER_STORY = 10;
const STEPS_PER_CRASH = 12;

/** The writes of a story from a crash on among which the next one is chosen. */
const WRITES_MAX = 25;

const POINTS: readonly HoldPoint[] = ['before', 'durable'];

interface Told {
  readonly story: LivesStory;
  readonly violations: readonly string[];
}

/** Tells a story with crashes at random writes and between steps. */
async function crashedStory(number: number): Promise<Told> {
  const random = randomOf('crashes of lives', number);
  // In every third story, writes that nobody was promised are lost.
  const isSynced = number % 3 !== 0;
  const story = new LivesStory(['random', number], isSynced ? 'disk' : 'process');
  await story.begin();
  for (let crash = 1; crash <= CRASHES_PER_STORY; crash++) {
    const steps = randomSteps(1 + random.integer(2 * STEPS_PER_CRASH), 'random', number, crash);
    const cut: LivesCut = { write: 1 + random.integer(WRITES_MAX), point: random.pick(POINTS) };
    await story.tell(steps, random.next() < 0.6 ? cut : undefined);
    await story.cut(isSynced ? 0 : random.integer(6));
  }
  await story.end();
  return { story, violations: story.violations.map((violation) => `story ${number}: ${violation}`) };
}

describe('actors that record, end and begin again', () => {
  it(
    `keep each record once and leave one result for each end, over ${CRASHES} crashes`,
    async () => {
      const violations: string[] = [];
      let [crashes, ended, dropped] = [0, 0, 0];
      for (let number = 1; crashes < CRASHES; number++) {
        const told = await crashedStory(number);
        violations.push(...told.violations);
        crashes += told.story.cuts;
        ended += told.story.ended;
        dropped += told.story.dropped;
      }
      console.log(`lives: ${crashes} crashes, ${ended} ends, ${dropped} dropped, ${violations.length} violations`);
      expect(violations).toEqual([]);
      expect(ended).toBeGreaterThan(crashes);
      expect(dropped).toBeGreaterThan(crashes / 4);
    },
    LONG_PATIENCE_MS,
  );
});

/** The steps of the story that is cut at every write. */
const SCRIPT = randomSteps(byEffort({ quick: 25, ci: 40, soak: 150 }), 'every write');
/** The distance between the writes that are cut; 1 in a long run. */
const STRIDE = byEffort({ quick: 9, ci: 5, soak: 1 });

/** The steps of a story that is told with planted faults, and the writes of it that are cut at most. */
const TOLD_TO_THE_SABOTAGED = randomSteps(60, 'sabotage');
const SABOTAGED_WRITES = 60;

/** Tells the story with a cut at one write; what is left of the steps follows behind it. */
async function cutStory(write: number, point: HoldPoint, steps = SCRIPT): Promise<LivesStory> {
  const story = new LivesStory(['every write']);
  const cut = (from: number): LivesCut => ({ write: write - from, point });
  await story.begin(cut(0));
  const isBegun = story.writes < write;
  const taken = isBegun ? await story.tell(steps, cut(story.writes)) : 0;
  await story.cut();
  await story.tell(steps.slice(taken));
  await story.end();
  return story;
}

describe('a story of actors that record and end', () => {
  it(
    'leaves the same records and results to those who are left, wherever the power is cut',
    async () => {
      const undisturbed = new LivesStory(['every write']);
      await undisturbed.begin();
      await undisturbed.tell(SCRIPT);
      const { writes } = undisturbed;
      await undisturbed.end();
      const violations = [...undisturbed.violations];
      let cuts = 0;
      for (let write = 1; write <= writes; write += STRIDE)
        for (const point of POINTS) {
          const story = await cutStory(write, point);
          violations.push(...story.violations.map((violation) => `${point} ${write}: ${violation}`));
          cuts += 1;
        }
      console.log(`lives: ${cuts} cuts at ${writes} writes, ${violations.length} violations`);
      expect(violations).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );
});

describe('the audit of lives', () => {
  it.each([
    ['finds records that are entered an epoch late', lateRecords, 'that are missing'],
    ['finds results that are entered an epoch late', lateResults, 'nothing is left of life'],
  ])(
    '%s',
    async (_, sabotage, found) => {
      const end = sabotage();
      try {
        const violations: string[] = [];
        const isFound = () => violations.some((violation) => violation.includes(found));
        for (let write = 3; write < SABOTAGED_WRITES && !isFound(); write += 1)
          for (const point of POINTS) {
            const story = cutStory(write, point, TOLD_TO_THE_SABOTAGED);
            // Where a life is lost, the story cannot even go on.
            violations.push(
              ...(await story.then(
                ({ violations }) => violations,
                (error: unknown) => [String(error)],
              )),
            );
          }
        expect(isFound()).toBe(true);
      } finally {
        end();
      }
    },
    LONG_PATIENCE_MS,
  );
});
