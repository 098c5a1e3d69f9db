/**
 * How hard the tests try. `npm test` and `npm run check` try for as long as somebody waits for them, CI=true for
 * minutes, the soak for an hour. What is tried is the same; how much of it is chosen here and nowhere else, and how
 * long it is waited for.
 */

/** `quick` beside nothing else; `ci` where CI=true; `soak` by vitest.soak.config.ts. */
export const EFFORT: 'quick' | 'ci' | 'soak' =
  process.env['BOSUN_SOAK'] === '1' ? 'soak' : process.env['CI'] === 'true' ? 'ci' : 'quick';

/**
 * What takes its time even in its short form, for the processes or the full tables that it needs: run where CI=true, by
 * name, and in the soak.
 */
export const LONG_FILES = [
  'test/crash/bank-workers.test.ts',
  'test/crash/equity-plan.test.ts',
  'test/crash/every-write.test.ts',
  'test/crash/failed-write.test.ts',
  'test/crash/flips.test.ts',
  'test/crash/flips-workers.test.ts',
  'test/crash/full-disk.test.ts',
  'test/crash/host-killers.test.ts',
  'test/fuzz/differential-even.test.ts',
  'test/fuzz/differential-odd.test.ts',
  'test/fuzz/engines.test.ts',
  'test/fuzz/planted.test.ts',
  'test/actors/xstate/page.test.ts',
  'test/actors/xstate/event-types.test.ts',
  'test/cli/readme.test.ts',
  'test/cli/inspect-command.test.ts',
  'test/cli/run.test.ts',
  'test/cli/serve.test.ts',
  'test/cli/serve-process.test.ts',
  'test/cli/store-commands.test.ts',
  'test/cli/shell.test.ts',
  'test/cli/run-refusals.test.ts',
  'test/gateway/charts/chart-layout.test.ts',
  'test/persistence/retention.test.ts',
  'test/actors/world/mailbox/bounds.test.ts',
  'test/bench.test.ts',
  'examples/correlated-failure/correlated-failure.test.ts',
  'test/machines/coordination/crew.property.test.ts',
  'test/workers/threads.test.ts',
  'test/workers/thread-deaths.test.ts',
  'test/workers/otp.test.ts',
  'test/workers/bounds.test.ts',
  'test/workers/bank.test.ts',
  'test/cli/serve-workers.test.ts',
  'test/gateway/workers/conformance.test.ts',
  'test/gateway/workers/threads.test.ts',
];

/**
 * A test that takes longer hangs. This measures nothing: the longest of them takes ten seconds of a core where CI=true,
 * and a core may have ten others to serve. What is to be quick says so in processor time (processor-time.ts).
 */
export const PATIENCE_MS = byEffort({ quick: 120_000, ci: 300_000, soak: 60 * 60_000 });

/** The same for a test that takes a core for up to minutes: the fuzz, and processes that are killed again and again. */
export const LONG_PATIENCE_MS = byEffort({ quick: 10 * 60_000, ci: 40 * 60_000, soak: 2 * 60 * 60_000 });

/** For a single test that is worth its time only where CI=true, in the soak, or where somebody names its file. */
export const LONG = { tags: ['long'] };

/** All rows of a table where CI=true; beside nothing else the first, and one in so many of the others. */
export function sample<T>(rows: readonly T[], oneIn: number): readonly T[] {
  return EFFORT === 'quick' ? rows.filter((_, index) => index % oneIn === 0) : rows;
}

/** One of these. Without `soak`, as in CI. */
export function byEffort<T>(choice: { readonly quick: T; readonly ci: T; readonly soak?: T }): T {
  if (EFFORT === 'quick') return choice.quick;
  return EFFORT === 'soak' && choice.soak !== undefined ? choice.soak : choice.ci;
}
