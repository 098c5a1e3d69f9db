import { defineConfig } from 'vitest/config';

/** Tests import the package by its public name and run its sources. */
const conditions = ['@bosun/source', 'module', 'node', 'default'];

/** Where the counts go for whoever adds them up. */
const report = process.env['BOSUN_TEST_REPORT'];

/** The fast suite: everything `npm test` runs. Long proofs live in vitest.soak.config.ts. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // Modules are loaded once a worker: src keeps no state that one test could leave to another.
    isolate: false,
    // Vitest leaves one core free by default, which on two cores halves the speed.
    maxWorkers: '100%',
    ...(report !== undefined && { reporters: ['default', ['json', { outputFile: report }]] }),
  },
});
