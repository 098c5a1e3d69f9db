/**
 * A feature of XState as a row of docs/xstate-support.md: a machine, a script, and what must be seen. `judge` runs it
 * under createActor and on the kernel, the latter also with a power cut after every step, and says how the two compare.
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

/** An event to send, by its type or whole, or milliseconds to let pass. */
export type Step = string | number | (EventObject & { readonly [field: string]: unknown });

export interface Feature {
  readonly feature: string;
  /** `mark` writes a line on behalf of the subject, beside those that the trace writes. */
  readonly machine: (record: Record, mark: (line: string) => void) => AnyStateMachine;
  readonly steps: readonly Step[];
  /** What createActor must show: that the scenario does something at all. */
  readonly shows: Partial<Outcome>;
  /** Lines of the subject from the first step on, in order, where order is the point. */
  readonly order?: readonly string[];
  /**
   * After a power cut at any step: `same`, the default, everything is as without; `again`, an effect that was running
   * is started again, so that the end is the same and the way there need not be.
   */
  readonly restored?: 'same' | 'again';
  /** Where the kernel is meant to differ: how, in a sentence for the page, and what it shows instead. */
  readonly differs?: { readonly how: string; readonly shows: Partial<Outcome> };
}

export interface Verdict {
  readonly plain: Outcome;
  readonly hosted: Outcome;
  /**
   * With a power cut after every step: once it has settled, and, but for effects, right after the event was
   * acknowledged.
   */
  readonly cut: readonly Outcome[];
}

const verdicts = new WeakMap<Feature, Promise<Verdict>>();

/** Runs a feature once, however often it is asked. */
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
  // What was on its way to a running effect dies with the process, so that the end would be another.
  if (feature.restored !== 'again') cut.push(await underBosun(acknowledged, { kill: true }));
  return { plain, hosted, cut };
}

/** What can be compared of two outcomes: all, or what each actor did, or how it ended. */
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

/** Whether the two are equal, and if not in all, in what. */
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
          // What ends the subject must have been seen before the cut that it does not come back from.
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
