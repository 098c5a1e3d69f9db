import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { LONG_FILES, PATIENCE_MS } from './test/support/effort.ts';
import { REPORTERS, REQUIREMENTS_REPORTER } from './test/support/reporters.ts';

/**
 * Tests import the package by its public name and run its sources. Not `module`: what packages have under it is for
 * bundlers.
 */
const conditions = ['@bosun/source', 'node', 'default'];

const isNamed = process.argv.slice(2).some((argument) => argument.includes('test/') || argument.endsWith('.test.ts'));

/** `npm test` without further words. How much each test tries is chosen in test/effort.ts. */
const isQuick = process.env['CI'] !== 'true' && !isNamed;

// A run by name draws anew; the whole suite draws the same each time (test/support/effort.ts), `.ci/run` by its
// sources.
if (isNamed) process.env['BOSUN_SEED'] ??= String(randomInt(1_000_000));

/** The fast suite: everything `npm test` runs. Long proofs live in vitest.soak.config.ts. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/browser/**', 'test/proxy/**', ...(isQuick ? LONG_FILES : [])],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    tags: [{ name: 'long', description: 'Run where CI=true, and by the name of its file.' }],
    ...(isQuick ? { tagsFilter: ['!long'] } : {}),
    // What was transformed before is not transformed again: a file that has changed is another.
    experimental: {
      fsModuleCache: process.env['CI'] !== 'true',
      fsModuleCachePath: 'node_modules/.cache/vitest-modules',
    },
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    teardownTimeout: PATIENCE_MS,
    pool: 'forks',
    // As the launcher has it: a worker makes much that is soon garbage. And most code runs a few times only: compiled
    // at once and simply, a sixth of the processor time is saved.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=32', '--always-sparkplug'],
    // Modules are loaded once a worker: src keeps no state that one test could leave to another.
    isolate: false,
    // Vitest leaves one core free by default, which on two cores halves the speed.
    maxWorkers: '100%',
    reporters: [...REPORTERS, REQUIREMENTS_REPORTER],
  },
});
