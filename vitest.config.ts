import { defineConfig } from 'vitest/config';

/** Tests import the package by its public name and run its sources. Not `module`: what packages have under it is for bundlers. */
const conditions = ['@bosun/source', 'node', 'default'];

/** Where the counts go for whoever adds them up. */
const report = process.env['BOSUN_TEST_REPORT'];

/** What takes its time even in its short form, for the processes or the full tables that it needs: run where CI=true, by name, and in the soak. */
const LONG = [
  'test/crash/{every-write,failed-write,flips,full-disk,host-killers}.test.ts',
  'test/fuzz/**',
  'test/xstate/{page,event-types}.test.ts',
  'test/cli/{serve-process,shell,run-refusals}.test.ts',
  'test/gateway/chart-layout.test.ts',
  'test/persistence/retention.test.ts',
  'test/actors/bounds.test.ts',
  'test/bench.test.ts',
];

const isNamed = process.argv.slice(2).some((argument) => argument.includes('test/') || argument.endsWith('.test.ts'));

/** `npm test` without further words. How much each test tries is chosen in test/effort.ts. */
const isQuick = process.env['CI'] !== 'true' && !isNamed;

/** The fast suite: everything `npm test` runs. Long proofs live in vitest.soak.config.ts. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/browser/**', ...(isQuick ? LONG : [])],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // As the launcher has it: a worker makes much that is soon garbage.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=32'],
    // Modules are loaded once a worker: src keeps no state that one test could leave to another.
    isolate: false,
    // Vitest leaves one core free by default, which on two cores halves the speed.
    maxWorkers: '100%',
    reporters: ['default', './test/requirements-reporter.ts', ...(report === undefined ? [] : [['json', { outputFile: report }] as ['json', { outputFile: string }]])],
  },
});
