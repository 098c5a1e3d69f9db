/**
 * A feature of XState as a row of docs/xstate-support.md: a machine, a script, and the required outcome. `judge` runs
 * it under createActor and on the kernel, the latter also with a power cut after every step, and compares the results.
 */
import { type AnyStateMachine, type EventObject } from 'xstate';
import { expect } from 'vitest';
import {
  type Driver,
  type Outcome,
  perActor,
  type Record,
  type Scenario,
  underBosun,
  underCreateActor,
} from './scenario.ts';
import { traced } from './trace.ts';

/** A step: an event to send, by its type or whole, or milliseconds to let pass. */
export type Step = string | number | (EventObject & { readonly [field: string]: unknown });

export interface Feature {
  readonly feature: string;
  /** `mark` writes a line for the subject, in addition to those of the trace. */
  readonly machine: (record: Record, mark: (line: string) => void) => AnyStateMachine;
  readonly steps: readonly Step[];
  /** The required outcome under createActor: proof that the scenario does anything at all. */
  readonly shows: Partial<Outcome>;
  /** Lines of the subject from the first step on, if their order matters. */
  readonly order?: readonly string[];
  /**
   * The outcome after a power cut at any step. `same`, the default: equal to that without a cut. `again`: a running
   * effect starts again, so the end is the same but the way there may differ.
   */
  readonly restored?: 'same' | 'again';
  /** An intended difference of the kernel: a sentence for the page, and the kernel's outcome. */
  readonly differs?: { readonly how: string; readonly shows: Partial<Outcome> };
}

export interface Verdict {
  readonly plain: Outcome;
  readonly hosted: Outcome;
  /**
   * Outcomes with a power cut after every step: once it has settled and, except for effects, right after the event was
   * acknowledged.
   */
  readonly cut: readonly Outcome[];
}

const verdicts = new WeakMap<Feature, Promise<Verdict>>();

/** Runs a feature once, and remembers the verdict. */
export function judge(feature: Feature): Promise<Verdict> {
  let verdict = verdicts.get(feature);
  if (verdict === undefined) verdicts.set(feature, (verdict = run(feature)));
  return verdict;
}

async function run(feature: Feature): Promise<Verdict> {
  const { settled, acknowledged } = scenariosOf(feature);
  const plain = await underCreateActor(settled);
  const hosted = await underBosun(settled, { kill: false });
  const cut = [await underBosun(settled, { kill: true })];
  // Events on their way to a running effect die with the process, which would change the end.
  if (feature.restored !== 'again') cut.push(await underBosun(acknowledged, { kill: true }));
  return { plain, hosted, cut };
}

/** Views for the comparison of two outcomes: everything, the lines of each actor, or the end only. */
export const VIEWS = {
  whole: (outcome: Outcome): object => outcome,
  perActor,
  end: ({ value, context, tags, status, output, error, children }: Outcome): object => ({
    value,
    context,
    tags,
    status,
    output,
    error,
    children,
  }),
};

/** The most complete view in which two outcomes are equal. */
export function likeness(one: Outcome, other: Outcome): keyof typeof VIEWS | undefined {
  return (Object.keys(VIEWS) as (keyof typeof VIEWS)[]).find((view) => isEqual(VIEWS[view](one), VIEWS[view](other)));
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

function scenariosOf({ machine, steps }: Feature): { settled: Scenario; acknowledged: Scenario } {
  const types = steps.flatMap((step) =>
    typeof step === 'number' ? [] : typeof step === 'string' ? [step] : [step.type],
  );
  const subject = (record: Record) =>
    traced(
      machine(record, (line) => record('subject', line)),
      record,
    );
  const common = { machine: subject, events: [...new Set(types)] };
  return {
    settled: {
      ...common,
      script: async (driver) => {
        await driver.settle();
        for (const step of steps) {
          await take(driver, step);
          await driver.settle();
          await driver.cycle();
        }
      },
    },
    acknowledged: {
      ...common,
      script: async (driver) => {
        for (const step of steps) {
          await take(driver, step);
          // An event that ends the subject must be handled before the cut, from which the subject does not come back.
          if (step === steps.at(-1)) await driver.settle();
          await driver.cycle();
        }
      },
    },
  };
}

function take(driver: Driver, step: Step): Promise<void> {
  if (typeof step === 'number') return driver.advance(step);
  return driver.send(typeof step === 'string' ? { type: step } : step);
}
