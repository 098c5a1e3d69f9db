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

export interface Campaign {
  readonly seeds: Iterable<number>;
  /** Number of compared steps after which the campaign ends. */
  readonly steps: number;
  readonly subject?: Subject;
  /** Called with the progress from time to time. */
  readonly progress?: ((line: string) => void) | undefined;
}

export interface Outcome {
  readonly steps: number;
  /** Distinct machines. */
  readonly machines: number;
  readonly cpuMs: number;
  readonly coverage: Coverage;
  /** The first difference, shrunk, in readable form. */
  readonly difference: string | undefined;
}

export async function campaign({ seeds, steps: goal, subject = kernel, progress }: Campaign): Promise<Outcome> {
  const coverage = new Coverage();
  const began = process.cpuUsage();
  const cpuMs = () => {
    const { user, system } = process.cpuUsage(began);
    return Math.round((user + system) / 1_000);
  };
  const census = new Census();
  let [steps, batches] = [0, 0];
  for (const seed of seeds) {
    const story = randomStory(seed, BATCH);
    const played = await play(story, coverage, subject);
    steps += played.steps;
    for (const machine of story.machines.values()) census.count(machine);
    if (played.difference !== undefined) {
      const difference = report(seed, await shrink(story, played.difference, subject));
      return { steps, machines: census.size, cpuMs: cpuMs(), coverage, difference };
    }
    if (++batches % BATCHES_PER_REPORT === 0)
      progress?.(`${steps} steps, ${census.size} machines, ${Math.round(cpuMs() / 1_000)} s of processor time`);
    if (steps >= goal) break;
  }
  return { steps, machines: census.size, cpuMs: cpuMs(), coverage, difference: undefined };
}

/** Progress output of long runs: lines on the terminal in the soak, none otherwise. */
export function progressOf(name: string): ((line: string) => void) | undefined {
  return EFFORT === 'soak' ? (line) => void process.stderr.write(`fuzz ${name}: ${line}\n`) : undefined;
}

/** Every second number from `first`, so that two processes can share the seeds. */
export function* everySecond(first: number): Generator<number> {
  for (let seed = first; ; seed += 2) yield seed;
}
