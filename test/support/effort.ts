/**
 * The effort of the tests. `npm test` and `npm run check` take as long as a person waits, CI=true takes minutes, the
 * soak an hour. The tests are the same; their sample sizes and time-outs are chosen here and nowhere else.
 */

/** The effort: `soak` with vitest.soak.config.ts, `ci` with CI=true, else `quick`. */
export const EFFORT: 'quick' | 'ci' | 'soak' =
  process.env['BOSUN_SOAK'] === '1' ? 'soak' : process.env['CI'] === 'true' ? 'ci' : 'quick';

/**
 * Files that are slow even in their short form, because of the processes, full tables or whole crews that they need:
 * run with CI=true, by name, and in the soak.
 */
export const LONG_FILES = [
  'test/crash/bank-workers.test.ts',
  'test/crash/commands.test.ts',
  'test/crash/delivery-story.test.ts',
  'test/crash/equity-plan.test.ts',
  'test/crash/every-write.test.ts',
  'test/crash/failed-write.test.ts',
  'test/crash/fix-and-verify.test.ts',
  'test/crash/flips.test.ts',
  'test/crash/flooded-disk.test.ts',
  'test/crash/flips-workers.test.ts',
  'test/crash/full-disk.test.ts',
  'test/crash/host-killers.test.ts',
  'test/crash/hub-commands.test.ts',
  'test/crash/hub-full-disk.test.ts',
  'test/crash/login-form.test.ts',
  'test/crash/orders.test.ts',
  'test/crash/questions.test.ts',
  'test/crash/served-disk.test.ts',
  'test/crash/tasks.test.ts',
  'test/crash/tickets.test.ts',
  'test/fuzz/differential-even.test.ts',
  'test/fuzz/differential-odd.test.ts',
  'test/fuzz/engines.test.ts',
  'test/fuzz/planted.test.ts',
  'test/actors/xstate/page.test.ts',
  'test/actors/xstate/event-types.test.ts',
  'test/cli/answer-desk.test.ts',
  'test/cli/mcp-crew.test.ts',
  'test/cli/mcp-session.test.ts',
  'test/cli/mcp-streams.test.ts',
  'test/cli/readme.test.ts',
  'test/cli/inspect-command.test.ts',
  'test/cli/desks.test.ts',
  'test/cli/run.test.ts',
  'test/cli/run-desks.test.ts',
  'test/cli/serve.test.ts',
  'test/cli/serve-process.test.ts',
  'test/cli/store-commands.test.ts',
  'test/cli/shell.test.ts',
  'test/cli/run-refusals.test.ts',
  'test/cli/way-of-run.test.ts',
  'test/gateway/charts/chart-layout.test.ts',
  'test/persistence/allocation.test.ts',
  'test/persistence/retention.test.ts',
  'test/actors/world/mailbox/bounds.test.ts',
  'test/bench.test.ts',
  'test/package.test.ts',
  'test/supervisor/large-input.test.ts',
  'test/machines/agents/speed.test.ts',
  'test/machines/coordination/troubles.test.ts',
  'examples/correlated-failure/correlated-failure.test.ts',
  'test/machines/coordination/crew.property.test.ts',
  'test/workers/threads.test.ts',
  'test/workers/thread-deaths.test.ts',
  'test/workers/otp.test.ts',
  'test/workers/bounds.test.ts',
  'test/workers/bank.test.ts',
  'test/workers/hostile.test.ts',
  'test/actors/xstate/acceptance.property.test.ts',
  'test/cli/large-plan.test.ts',
  'test/cli/serve-workers.test.ts',
  'test/gateway/workers/conformance.test.ts',
  'test/gateway/workers/threads.test.ts',
  'test/cli/foreign-store.test.ts',
  'test/cli/main.test.ts',
  'test/cli/answer-desk-owners.test.ts',
  'test/cli/mcp.test.ts',
  'test/machines/coordination/whole-crew.test.ts',
  'test/machines/coordination/whole-debates.test.ts',
  'test/machines/coordination/wrong-ports.test.ts',
  'test/supervisor/otp/otp.test.ts',
  'test/gateway/protocol/conformance.test.ts',
  'test/actors/world/tracing/kept-on-disk.test.ts',
  'test/actors/loop/secrets-at-rest.test.ts',
  'test/gateway/network/attacks.test.ts',
  'test/actors/turn/hostile-values.test.ts',
  'test/ci-steps.test.ts',
  'test/spokes/worktrees.test.ts',
  'test/cli/answer-team.test.ts',
  'test/cli/questions.test.ts',
  'test/cli/hub-run.test.ts',
  'test/cli/hub-spokes.test.ts',
  'test/cli/hub-doers.test.ts',
  'test/cli/hub-worktrees.test.ts',
  'test/cli/delivery-verbs.test.ts',
  'test/cli/answers.test.ts',
  'test/cli/desk-checks.test.ts',
  'test/crew-hub-sessions.test.ts',
  'test/crew-hub-memory.test.ts',
  'examples/fix-and-verify/fix-and-verify.test.ts',
  'test/cli/mcp-hosts.test.ts',
  'test/crew-delivery.test.ts',
  'test/crew-delivery-checks.test.ts',
  'test/cli/agent-auto.test.ts',
  'test/cli/tickets.test.ts',
  'test/spokes/readers/reports.test.ts',
  'test/knowledge/hostile.test.ts',
  'test/spokes/outputs.test.ts',
];

/**
 * Time after which a test hangs. Not a measurement: the longest test takes ten seconds of a core with CI=true, and the
 * core may serve ten others. Tests of speed use processor time (processor-time.ts).
 */
export const PATIENCE_MS = byEffort({ quick: 120_000, ci: 300_000, soak: 60 * 60_000 });

/** Time-out of a test that takes a core for up to minutes: the fuzz, and processes that are killed again and again. */
export const LONG_PATIENCE_MS = byEffort({ quick: 10 * 60_000, ci: 40 * 60_000, soak: 2 * 60 * 60_000 });

/**
 * Seed of everything that a test draws (chance.ts). vitest.config.ts chooses it for each run, and BOSUN_SEED=7 repeats
 * one.
 */
export const SEED = seedIn(process.env['BOSUN_SEED'] ?? '2026');

/** Options of a single test that runs only with CI=true, in the soak, or when its file is named. */
export const LONG = { tags: ['long'] };

/** All rows of a table with CI=true; else the first row and one in `oneIn` of the others. */
export function sample<T>(rows: readonly T[], oneIn: number): readonly T[] {
  return EFFORT === 'quick' ? rows.filter((_, index) => index % oneIn === 0) : rows;
}

/** The value for the present effort. Default of `soak`: `ci`. */
export function byEffort<T>(choice: { readonly quick: T; readonly ci: T; readonly soak?: T }): T {
  if (EFFORT === 'quick') return choice.quick;
  return EFFORT === 'soak' && choice.soak !== undefined ? choice.soak : choice.ci;
}

function seedIn(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed <= 2 ** 31) return seed;
  throw new Error(`BOSUN_SEED must be a whole number from 0 to 2147483648, not "${text}"`);
}
