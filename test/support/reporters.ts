/** Reporters of a run for programs that read it: its counts as JSON, and its progress, in files that they name. */
type ReporterRow = [name: string, options: Readonly<Record<string, unknown>>];

const counts = process.env['BOSUN_TEST_REPORT'];
const progress = process.env['BOSUN_TEST_PROGRESS'];

export const REPORTERS_ON_DEMAND: readonly ReporterRow[] = [
  ...(counts === undefined ? [] : [['json', { outputFile: counts }] satisfies ReporterRow]),
  ...(progress === undefined ? [] : [['./test/support/progress-reporter.ts', {}] satisfies ReporterRow]),
];
