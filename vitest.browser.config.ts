import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/effort.ts';
import { REPORTERS } from './test/support/reporters.ts';

/**
 * The page in a browser: `npm run test:browser`, which builds first. One file after the other, because each has a
 * browser and a server.
 */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    pool: 'forks',
    fileParallelism: false,
    reporters: [...REPORTERS],
  },
});
