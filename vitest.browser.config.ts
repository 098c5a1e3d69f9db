import { defineConfig } from 'vitest/config';

/** The page in a browser: `npm run test:browser`, which builds first. One file after the other, because each has a browser and a server. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
