/**
 * The report of a tool, as data: what it found, and how many tests ran; and the end of a command, which may have one.
 * Tools are read in src/spokes/readers.
 */
import { z } from 'zod';

/** The readers of reports, by the format that they read. */
export const READERS = ['tap', 'junit', 'eslint', 'tsc', 'sarif'] as const;
export type Reader = (typeof READERS)[number];

/** A finding, in the tool's own words. */
export const finding = z.object({
  /** The rule that is broken, or the test that failed. */
  rule: z.string().nullable(),
  level: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  /** Relative to the workspace if it is inside. */
  file: z.string().nullable(),
  /** From 1, as columns are. */
  line: z.int().nullable(),
  column: z.int().nullable(),
});
export type Finding = Readonly<z.output<typeof finding>>;

/** Tests by their results. Tests that are still to be done count as skipped. */
const tests = z.object({ passed: z.int(), failed: z.int(), skipped: z.int() });

/** A report. Without tests it is one of a tool that runs none. */
export const report = z.object({ findings: z.array(finding).readonly(), tests: tests.readonly().nullable() });
export type Report = Readonly<z.output<typeof report>>;

/** Coding agents whose output is read for what they have used. */
export const CODING_AGENTS = ['claude', 'codex'] as const;
export type CodingAgent = (typeof CODING_AGENTS)[number];

/** The use of a try by the words of the program that did the work. */
export interface Used {
  readonly tokens: number;
  readonly costUsd: number;
  readonly steps: number;
}

/** The end of a session's command. */
export type CommandEnd = {
  /** Its use of tokens and money; absent if nothing says so. */
  readonly used?: Used;
  /** Its last words. */
  readonly summary?: string;
} /** The contents of its file; null if it wrote none. */ & (
  | { readonly said: unknown; readonly exitCode?: never }
  /** Why its file is no hand-off, which it is told once. */
  | { readonly flaw: string; readonly exitCode?: never }
  /** Why it failed without a hand-off. */
  | { readonly failed: string; readonly exitCode?: never }
  /** Its exit code is its hand-off, with the report that its reader has read, or why it could not. */
  | { readonly exitCode: number; readonly report?: Report; readonly unread?: string }
);
