import { defineConfig, mergeConfig } from 'vitest/config';
import fast from './vitest.config.ts';

/** The long proofs: the same tests with the full number of kills, cuts and steps. */
export default mergeConfig(
  fast,
  defineConfig({ test: { testTimeout: 60 * 60_000, hookTimeout: 60 * 60_000, env: { BOSUN_SOAK: '1' } } }),
);
