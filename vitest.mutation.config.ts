import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const conditions = ['@bosun/source', 'node', 'default'];

/** The tests of what stryker.config.json mutates. They go first: a mutant is dead with the first test that fails. */
const OWN = [
  'test/supervisor/exit-rules.test.ts',
  'test/supervisor/intensity.test.ts',
  'test/supervisor/backoff.test.ts',
  'test/machines/coordination/schedule.test.ts',
  'test/machines/coordination/resume-plan.test.ts',
  'test/machines/coordination/correlation.test.ts',
  'test/machines/coordination/debate-verdict.test.ts',
  'test/machines/coordination/dispatcher.test.ts',
  'test/machines/coordination/batches.test.ts',
  'test/machines/coordination/gate.test.ts',
  'test/persistence/fold.test.ts',
  'test/actors/sessions.test.ts',
  'test/actors/turn.test.ts',
  'test/actors/outputs.test.ts',
];

/** Those that notice as well where one of these goes wrong. Nothing slow: what survives is tried with all of them. */
const NEXT = [
  'test/supervisor/!(costs|trees.property).test.ts',
  'test/actors/{admission,arrived,ask,bad-values,caution,children,dead-letters,deferral,durable-actions}.test.ts',
  'test/actors/{effects,event-timeouts,failed-birth,intake,odd-configuration,poison-policy,priorities}.test.ts',
  'test/actors/{reception,residency,restart-keeps,stillborn,system,timers,timers-restore,turn-time}.test.ts',
  'test/actors/{unreadable,waking}.test.ts',
  'test/persistence/{damage,epoch-format,erasure,journal,journal.property,recover-to,upgrade,verify}.test.ts',
  'test/gateway/sessions.test.ts',
  'test/system-durability.test.ts',
  'test/versions/suspect.test.ts',
];

/** In the order above, and then the smaller first. */
class OwnFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = OWN.indexOf(relative(import.meta.dirname, moduleId));
      return place === -1 ? OWN.length + statSync(moduleId).size : place;
    };
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

/**
 * What `npm run mutate` runs, as vitest.config.ts has it, but in threads of one process, and nothing built: no test
 * here starts a process. A test that hangs under a mutant is given up early.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [...OWN, ...NEXT],
    setupFiles: ['test/setup.ts'],
    tags: [{ name: 'long', description: 'Run where CI=true, and by the name of its file.' }],
    // A known option that is not in the types.
    ...{ tagsFilter: ['!long'] },
    sequence: { sequencer: OwnFirst },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'threads',
    isolate: false,
  },
});
