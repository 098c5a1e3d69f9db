/**
 * The functions by which the delivery organisation reaches the world. None is needed: estimates then come from the
 * plan, large tasks break down as the plan says, people confirm finished tasks, and coding agents come by themselves.
 */
import { z } from 'zod';
import { type Port, type PortContract } from '../work/port.ts';
import { type WorkItem, workMinutes } from '../work/work-item.ts';
import { type PlannedTask, plannedTask, type WrittenTask } from './plans/plan-document.ts';
import { type Directive, doneReport, type DoneReport } from './tasks/task-messages.ts';

/** The findings about a finished task. */
export const findings = z.object({
  /** Failed tests by name, with what they said. */
  failures: z
    .array(
      z.object({
        ...{ test: z.string().min(1).max(200), message: z.string().max(2_000).default('') },
        ...{ expected: z.string().max(500).optional(), actual: z.string().max(500).optional() },
      }),
    )
    .max(100),
  /** The tests that were run, if any were: then a criterion is met only if the test that it names is in `shown`. */
  tests: z
    .object({
      /** The command, or another name of the run. */
      ran: z.string().max(500),
      ...{ passed: z.int().nonnegative(), failed: z.int().nonnegative(), skipped: z.int().nonnegative() },
      /** The `wanted` tests that have passed. */
      shown: z.array(z.string().max(500)).max(100),
    })
    .nullable()
    .default(null),
  /** Acceptance criteria that are not met. */
  unmet: z.array(z.string().max(500)).max(20).default([]),
  /** Parts of the surface at which a person has to look. */
  visual: z.array(z.string().max(500)).max(20).default([]),
});
export type Findings = z.output<typeof findings>;

/** A finished task, as the port `verify` is asked about it. */
export type Checked = WorkItem & {
  readonly report: DoneReport;
  /** The names of tests that its criteria name, and the criteria that name none: a test may be called by one. */
  readonly wanted: readonly string[];
};

/** The result of a search for a framework in dependencies and imports. */
export const frameworkFound = z.object({
  found: z.enum(['yes', 'no', 'unknown']),
  /** The place, such as `package.json:12`, or why it is not known; null for none. */
  at: z.string().max(500).nullable().default(null),
});
export type FrameworkFound = z.output<typeof frameworkFound>;

/** The functions that a host supplies. */
export interface DeliveryPorts {
  /** The minutes that a task will take; null if nobody can tell. */
  readonly estimate: Port<PlannedTask, number | null>;
  /** The subtasks of a task that is too large; null if it cannot be broken down. */
  readonly decompose: Port<WorkItem, readonly WrittenTask[] | null>;
  /** Checks a finished task. */
  readonly verify: Port<Checked, z.input<typeof findings>>;
  /** The time of the last change of the files, in milliseconds since 1970; null if nobody can tell. */
  readonly changedAt: Port<{ readonly files: readonly string[] }, number | null>;
  /** Looks for a framework in the code: in its dependencies and imports. */
  readonly scan: Port<{ readonly framework: string }, z.input<typeof frameworkFound>>;
  /** Does a task, as a coding agent of the host. */
  readonly code: Port<Directive, z.input<typeof doneReport>>;
}

/** The contracts of the ports of teams. */
export const CONTRACTS = {
  estimate: { what: 'the estimate', answer: workMinutes.nullable(), timeoutMs: 60_000 },
  decompose: { what: 'the subtasks', answer: z.array(plannedTask).max(100).nullable(), timeoutMs: 300_000 },
  changedAt: { what: 'when the files changed', answer: z.number().nullable(), timeoutMs: 30_000 },
  scan: { what: 'whether the code has the framework', answer: z.array(frameworkFound).min(1), timeoutMs: 30_000 },
  verify: { what: 'whether the task meets its criteria', answer: findings, timeoutMs: 900_000 },
} as const satisfies Readonly<Record<string, PortContract<unknown>>>;

/** The contract of coding: a day, since a run of a hub may take that long. */
export const CODED = { what: 'the result of the work', answer: doneReport, timeoutMs: 24 * 60 * 60_000 } as const;
