/**
 * Cases repeated for each moment at which the host may die: between any two steps, and before each write of the store.
 */
import { expect } from 'vitest';
import { Bench, type BenchOptions, type Case, type Script } from './bench.ts';
import { type Cut } from './mortal-host.ts';

export function scriptsOf({ run }: Case): readonly Script[] {
  return run === undefined ? [] : typeof run === 'function' ? [run] : run;
}

/** Runs one script to its end. */
async function tell(script: Script, options: BenchOptions): Promise<Bench> {
  const bench = new Bench(options);
  try {
    await script(bench);
  } finally {
    await bench.end();
  }
  return bench;
}

/** Runs a case once, on systems of its own. */
export async function tellCase(entry: Case, options: BenchOptions): Promise<void> {
  for (const script of scriptsOf(entry)) await tell(script, options);
}

export interface Told {
  /**
   * Moments between two steps at which it was or could have been cut, including those within the first start and after
   * the last step.
   */
  readonly betweenSteps: number;
  readonly atWrites: number;
  /** Moments at which it was cut. */
  readonly taken: number;
}

/**
 * Runs a case undisturbed, then again with a cut at each moment, and expects the undisturbed outcome each time.
 *
 * @param take Whether to take this moment, counted over the whole case.
 */
export async function tellCut(entry: Case, take: (moment: number) => boolean): Promise<Told> {
  let [betweenSteps, atWrites, moment, taken] = [0, 0, 0, 0];
  for (const script of scriptsOf(entry)) {
    let outcome: unknown;
    const first = await tell(
      async (b) => {
        await script(b);
        outcome = b.outcome();
      },
      { isSliced: true },
    );
    const { steps, writes, answers } = first.story;
    betweenSteps += steps;
    atWrites += writes;
    const cuts: Cut[] = [
      ...upTo(steps).map((afterStep) => ({ afterStep })),
      ...upTo(writes).map((atWrite) => ({ atWrite })),
    ];
    for (const cut of cuts) {
      if (!take(moment++)) continue;
      taken += 1;
      await tell(
        async (b) => {
          try {
            await script(b);
          } catch (error) {
            throw new Error(`with a crash ${JSON.stringify(cut)} of ${steps} steps and ${writes} writes`, {
              cause: error,
            });
          }
          expect(
            b.outcome(),
            `as without a crash ${JSON.stringify(cut)} of ${steps} steps and ${writes} writes`,
          ).toEqual(outcome);
        },
        { isSliced: true, cut, undisturbed: answers },
      );
    }
  }
  return { betweenSteps, atWrites, taken };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
