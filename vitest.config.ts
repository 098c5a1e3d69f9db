import { defineConfig } from 'vitest/config';

/** The fast suite: everything `npm test` runs. Long proofs live in vitest.soak.config.ts. */
export default defineConfig({
  resolve: { conditions: ['@bosun/source', 'module', 'node', 'default'] },
  ssr: { resolve: { conditions: ['@bosun/source', 'module', 'node', 'default'] } },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
  },
});
