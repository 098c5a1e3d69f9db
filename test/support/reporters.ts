/** Reporters of every run, for each configuration of vitest. */
import type { ReportOptions } from './run-reporter.ts';

type ReporterRow = [name: string, options: ReportOptions & Readonly<Record<string, unknown>>];

/** The report is that of this run alone: a run that a test starts must not write into it. */
const report = process.env['BOSUN_TEST_REPORT'];
delete process.env['BOSUN_TEST_REPORT'];

export const REPORTERS: readonly ReporterRow[] = [
  ['default', {}],
  ['./test/support/run-reporter.ts', { report }],
];

/** The page of requirements, which is written from the tests that run in Node. */
export const REQUIREMENTS_REPORTER: ReporterRow = ['./test/support/requirements-reporter.ts', { report }];
