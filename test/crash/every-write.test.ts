/**
 * A power cut at every write of a long script on simulated stores: before the write, after it but before its
 * acknowledgement, and with the last unsynced writes lost; with two workers, a cut of one or of both. After every cut
 * the disk agrees with memory, and the script can be completed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, EFFORT, LONG_PATIENCE_MS } from '../support/effort.ts';
import { type Cut, type CutPlot, CutStory, type History, type Sync } from '../support/crash/cut-story.ts';
import { scriptOf, TALKATIVE } from '../support/crash/script.ts';
import { SPREAD_STAFF, STAFF } from '../support/crash/workshop.ts';

const SOAK = EFFORT === 'soak';

const COMMANDS = 500;

/** Unsynced writes that a power cut takes, at most, beside what it leaves. */
const LOST_MAX = 5;

type Ways = (write: number) => readonly Omit<Cut, 'part' | 'write'>[];

const ONE: CutPlot = { parts: 1, staff: STAFF, script: scriptOf(COMMANDS) };
const TWO: CutPlot = {
  parts: 2,
  staff: SPREAD_STAFF,
  script: scriptOf(COMMANDS, { staff: SPREAD_STAFF, shares: TALKATIVE }),
};

const waysOfOne: Ways = (write) => [
  { dies: 'all', point: 'before', lost: 0 },
  { dies: 'all', point: 'durable', lost: 0 },
  { dies: 'all', point: 'durable', lost: 1 + (write % LOST_MAX) },
];

/**
 * Below durability `disk` the workers lose different epochs, and nothing is promised of messages between them.
 */
const waysOfTwo: Ways = () =>
  (['part', 'all'] as const).flatMap((dies) =>
    (['before', 'durable'] as const).map((point) => ({ dies, point, lost: 0 })),
  );

/** The distance between the writes of a store that are cut; 1 in a long run. */
const STAGES = [
  {
    stage: 'one kernel',
    plot: ONE,
    waysOf: waysOfOne,
    first: 'of the start' as const,
    stride: byEffort({ quick: 60, ci: 24, soak: 1 }),
    finds: ['acknowledged and lost'],
  },
  // Worker threads that die in the first start end it; `test/crash/bank-workers.test.ts` has the starts behind it.
  {
    stage: 'two workers',
    plot: TWO,
    waysOf: waysOfTwo,
    first: 'behind the start' as const,
    stride: byEffort({ quick: 120, ci: 60, soak: 1 }),
    finds: ['acknowledged and lost', 'in the book "received"'],
  },
];

async function undisturbed(plot: CutPlot): Promise<Pick<CutStory, 'history' | 'begun'>> {
  const story = new CutStory(plot, null);
  expect(await story.untilTheCut()).toBe('ended');
  story.audit();
  expect(story.violations).toEqual([]);
  return story;
}

/** @returns The violations after a cut. */
async function violationsOf(
  plot: CutPlot,
  cut: Cut,
  { reference, sync = 'honest' }: { reference: History; sync?: Sync },
): Promise<string[]> {
  const story = new CutStory(plot, cut, sync);
  expect(await story.untilTheCut()).toBe('cut');
  await story.lookAtTheDisk(reference);
  await story.goOn();
  story.audit();
  return story.violations.map((violation) => `${JSON.stringify(cut)}: ${violation}`);
}

// Stacks of errors are stored, and V8 may word a frame differently once it has compiled more of the code.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe.each(STAGES)(`a script of ${COMMANDS} commands ($stage)`, ({ stage, plot, waysOf, first, stride, finds }) => {
  it(
    'ends the same wherever the power is cut, and the disk holds no hash chain that memory did not have',
    async () => {
      const { history: reference, begun: started } = await undisturbed(plot);
      const violations: string[] = [];
      let cuts = 0;
      for (const [part, { length: writes }] of reference.entries()) {
        for (let write = first === 'of the start' ? 1 : started[part]! + 1; write < writes; write += stride) {
          for (const way of waysOf(write))
            violations.push(...(await violationsOf(plot, { part, write, ...way }, { reference })));
          cuts += waysOf(write).length;
          if (SOAK && write % 50 === 1)
            process.stderr.write(
              `every write: store ${part}, ${write} of ${writes}, ${violations.length} violations\n`,
            );
        }
      }
      const writes = reference.map(({ length }) => length - 1).join(' and ');
      console.log(`every write: ${stage}, ${cuts} cuts at ${writes} writes, ${violations.length} violations`);
      expect(violations).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );

  it('shows a violation if a store acknowledges writes before they are synced', async () => {
    const { history: reference } = await undisturbed(plot);
    const violations: string[] = [];
    const isFound = (what: string) => violations.some((violation) => violation.includes(what));
    // Not every write has an acknowledged command, or a message to the other worker.
    for (let write = 100; write < reference[0]!.length && !finds.every(isFound); write += 7) {
      const cut = { part: 0, write, point: 'durable', dies: 'part', lost: 0 } as const;
      // Where a worker was hired and lost, the script cannot even go on.
      const found = violationsOf(plot, cut, { reference, sync: 'pretended' });
      violations.push(...(await found.catch((error: unknown) => [String(error)])));
    }
    for (const found of finds) expect(violations).toContainEqual(expect.stringContaining(found));
  });
});
