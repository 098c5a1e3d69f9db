import { randomInt } from 'node:crypto';
import { defineConfig, mergeConfig } from 'vitest/config';
import fast from './vitest.config.ts';

/** Suites that measure wall time against a limit. They run first, one at a time, with nothing of ours beside them. */
const MEASURED = [
  'test/crash/commands.test.ts',
  'test/crash/flooded-disk.test.ts',
  'test/gateway/network/half-open.test.ts',
];

// Each soak draws anew.
process.env['BOSUN_SEED'] ??= String(randomInt(1_000_000));

const soak = mergeConfig(
  fast,
  defineConfig({ test: { testTimeout: 60 * 60_000, hookTimeout: 60 * 60_000, env: { BOSUN_SOAK: '1' } } }),
);
const { include, exclude, reporters, globalSetup, ...test } = soak.test!;

/** The long proofs: the same tests with the full number of kills, cuts and steps. */
export default defineConfig({
  ...soak,
  test: {
    reporters,
    globalSetup,
    projects: [
      { ...soak, test: { ...test, name: 'measured', include: MEASURED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      {
        ...soak,
        test: { ...test, name: 'proofs', include, exclude: [...exclude!, ...MEASURED], sequence: { groupOrder: 2 } },
      },
    ],
  },
});
