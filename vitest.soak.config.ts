import { randomInt } from 'node:crypto';
import { defineConfig, mergeConfig } from 'vitest/config';
import fast from './vitest.config.ts';

const HOUR_MS = 60 * 60_000;

// Each soak draws anew.
process.env['BOSUN_SEED'] ??= String(randomInt(1_000_000));

/** The long proofs: the same tests with the full number of kills, cuts and steps. */
export default mergeConfig(
  fast,
  defineConfig({ test: { testTimeout: HOUR_MS, hookTimeout: HOUR_MS, env: { BOSUN_SOAK: '1' } } }),
);
