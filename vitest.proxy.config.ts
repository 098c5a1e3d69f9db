import { defineConfig } from 'vitest/config';
import { REPORTERS } from './test/support/reporters.ts';
import fast from './vitest.config.ts';

/** Page, client and command line behind nginx: `npm run proxy-check`, which builds first. As the fast suite. */
export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: ['test/proxy/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: [],
    reporters: [...REPORTERS],
  },
});
