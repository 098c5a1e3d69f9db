/**
 * A campaign plays many random stories and reports their coverage. It ends at the first difference, which is shrunk and
 * reported.
 */
import { EFFORT } from '../effort.ts';
import { Census } from './census.ts';
import { type BatchSize, play, randomStory } from './differential.ts';
import { kernel, type Subject } from './hosted.ts';
import { Coverage } from './record.ts';
import { report, shrink } from './shrink.ts';

/**
 * Machines per system, and so per epoch, and steps of each story. Some machines end early; each gets about 24 steps.
 */
const BATCH: BatchSize = { machines: 48, steps: 28 };
const BATCHES_PER_REPORT = 50;
const OVERTIME_MAX = 20;

export interface Campaign {
  readonly seeds: Iterable<number>;
  /** Number of compared steps after which the campaign ends. */
  readonly steps: number;
  /** Features without which it goes on, for up to `OVERTIME_MAX` times as many steps. */
  readonly met?: readonly string[];
  readonly subject?: Subject;
  /** Called with the progress from time to time. */
  readonly progress?: ((line: string) => void) | undefined;
}

export interface Outcome {
  readonly steps: number;
  /** Distinct machines. */
  readonly machines: number;
  readonly coverage: Coverage;
  /** The first difference, shrunk, in readable form. */
  readonly difference: string | undefined;
}

export async function campaign({
  seeds,
  steps: goal,
  met = [],
  subject = kernel,
  progress,
}: Campaign): Promise<Outcome> {
  const coverage = new Coverage();
  const census = new Census();
  let [steps, batches] = [0, 0];
  for (const seed of seeds) {
    const story = randomStory(seed, BATCH);
    const played = await play(story, coverage, subject);
    steps += played.steps;
    for (const machine of story.machines.values()) census.count(machine);
    if (played.difference !== undefined) {
      const difference = report(seed, await shrink(story, played.difference, subject));
      return { steps, machines: census.size, coverage, difference };
    }
    if (++batches % BATCHES_PER_REPORT === 0) progress?.(`${steps} steps, ${census.size} machines`);
    const isMet = met.every((what) => coverage.of(what) > 0);
    if (steps >= (isMet ? goal : OVERTIME_MAX * goal)) break;
  }
  return { steps, machines: census.size, coverage, difference: undefined };
}

/** Progress output of long runs: lines on the terminal in the soak, none otherwise. */
export function progressOf(name: string): ((line: string) => void) | undefined {
  return EFFORT === 'soak' ? (line) => void process.stderr.write(`fuzz ${name}: ${line}\n`) : undefined;
}

/** Every second number from `first`, so that two processes can share the seeds. */
export function* everySecond(first: number): Generator<number> {
  for (let seed = first; ; seed += 2) yield seed;
}
