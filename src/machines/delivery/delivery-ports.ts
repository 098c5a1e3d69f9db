/**
 * The functions by which the delivery organisation reaches the world. None is needed: estimates then come from the
 * plan, large tasks break down as the plan says, people confirm finished tasks, and coding agents come by themselves.
 */
import { z } from 'zod';
import { type Research } from '../answers/answer-ports.ts';
import { type Evidence, type Retrieval, retrievalSchema } from '../answers/evidence.ts';
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

/** A document or comment that a finished task needs. */
const document = z.object({ what: z.string().min(1).max(200), isThere: z.boolean() });
/** A finished task, with the files that have changed. */
export interface Documented {
  readonly item: WorkItem;
  readonly files: readonly string[];
}

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
  /** Searches outside sources, as the port `research` of the answer desk does. */
  readonly search: Port<Research, Retrieval>;
  /** Reads a page that a search has found: the `file` of a source. */
  readonly browse: Port<{ readonly page: string; readonly question: string }, Retrieval>;
  /** Puts what was found into a few sentences; null if it says nothing. */
  readonly summarise: Port<{ readonly question: string; readonly sources: readonly Evidence[] }, string | null>;
  /** The documents and comments that a finished task needs, and whether they are there. */
  readonly documents: Port<Documented, readonly z.input<typeof document>[]>;
  /** The sentences and criteria of a finished task that left something open; null if nobody can tell. */
  readonly openPoints: Port<WorkItem, readonly string[] | null>;
  /** Does a task, as a coding agent of the host. */
  readonly code: Port<Directive, z.input<typeof doneReport>>;
}

const summary = z.object({ summary: z.string().min(1).max(2_000).nullable() });

/** The contracts of the ports of teams. */
export const CONTRACTS = {
  estimate: { what: 'the estimate', answer: workMinutes.nullable(), timeoutMs: 60_000 },
  decompose: { what: 'the subtasks', answer: z.array(plannedTask).max(100).nullable(), timeoutMs: 300_000 },
  changedAt: { what: 'when the files changed', answer: z.number().nullable(), timeoutMs: 30_000 },
  scan: { what: 'whether the code has the framework', answer: z.array(frameworkFound).min(1), timeoutMs: 30_000 },
  /** A search, a page or a summary: a question has at most 60 s for all of them. */
  research: { what: 'what research has found', answer: z.union([retrievalSchema, summary]), timeoutMs: 10_000 },
  documents: {
    ...{ what: 'whether the task is documented, and what it left open', timeoutMs: 60_000 },
    answer: z.object({
      ...{ changedAtMs: z.number().nullable(), documents: z.array(document).max(100) },
      open: z.array(z.string().min(1).max(500)).max(20).nullable().default(null),
    }),
  },
  verify: { what: 'whether the task meets its criteria', answer: findings, timeoutMs: 900_000 },
} as const satisfies Readonly<Record<string, PortContract<unknown>>>;

/** The contract of coding: a day, since a run of a hub may take that long. */
export const CODED = { what: 'the result of the work', answer: doneReport, timeoutMs: 24 * 60 * 60_000 } as const;
