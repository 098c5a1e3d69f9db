import { defineConfig } from 'vitest/config';
import { REPORTERS } from './test/support/reporters.ts';
import fast from './vitest.config.ts';

/**
 * Page, client, command line and MCP behind nginx: `npm run proxy-check`, which builds first. As the fast suite, with a
 * certificate for the proxy.
 */
export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    // With the cache, vitest cannot print what a global setup throws.
    experimental: { fsModuleCache: false },
    include: ['test/proxy/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/support/proxy/certificate.ts'],
    reporters: [...REPORTERS],
  },
});
