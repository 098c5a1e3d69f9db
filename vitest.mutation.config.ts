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
  'test/machines/coordination/plan/schedule.test.ts',
  'test/machines/coordination/pauses/resume-plan.test.ts',
  'test/machines/work/correlation.test.ts',
  'test/machines/coordination/debates/debate-verdict.test.ts',
  'test/machines/coordination/plan/dispatcher.test.ts',
  'test/machines/coordination/batches/batches.test.ts',
  'test/machines/people/gates/gate.test.ts',
  'test/persistence/fold.test.ts',
  'test/actors/loop/inbound/sessions.test.ts',
  'test/actors/turn/turn.test.ts',
  'test/actors/loop/outputs.test.ts',
];

/** Those that notice as well where one of these goes wrong. Nothing slow: what survives is tried with all of them. */
const NEXT = [
  'test/supervisor/!(costs|trees.property).test.ts',
  'test/actors/model/value-check.test.ts',
  'test/actors/world/mailbox/arrived.test.ts',
  'test/actors/world/talk/ask.test.ts',
  'test/actors/turn/bad-values.test.ts',
  'test/actors/loop/crash-loop-guard.test.ts',
  'test/actors/turn/children.test.ts',
  'test/actors/world/mailbox/dead-letters.test.ts',
  'test/actors/world/mailbox/deferral.test.ts',
  'test/actors/turn/durable-actions.test.ts',
  'test/actors/world/effects/effects.test.ts',
  'test/actors/world/time/event-timeouts.test.ts',
  'test/actors/turn/failed-birth.test.ts',
  'test/actors/loop/inbound/admission-control.test.ts',
  'test/actors/xstate/odd-configuration.test.ts',
  'test/actors/turn/poison-policy.test.ts',
  'test/actors/world/mailbox/priorities.test.ts',
  'test/actors/api/client-api.test.ts',
  'test/actors/loop/residency/residency.test.ts',
  'test/actors/loop/restart-keeps.test.ts',
  'test/actors/turn/stillborn.test.ts',
  'test/actors/api/handle.test.ts',
  'test/actors/api/system.test.ts',
  'test/actors/world/talk/monitors.test.ts',
  'test/actors/world/effects/effect-retry.test.ts',
  'test/gateway/calls/if-sequence.test.ts',
  'test/actors/world/time/timers.test.ts',
  'test/actors/world/time/timers-restore.test.ts',
  'test/actors/world/time/turn-time.test.ts',
  'test/actors/loop/unreadable.test.ts',
  'test/actors/loop/waking.test.ts',
  'test/persistence/damage.test.ts',
  'test/persistence/epoch-format.test.ts',
  'test/persistence/erasure.test.ts',
  'test/persistence/journal.test.ts',
  'test/persistence/journal.property.test.ts',
  'test/persistence/recover-to.test.ts',
  'test/persistence/upgrade.test.ts',
  'test/persistence/verify.test.ts',
  'test/gateway/client/sessions.test.ts',
  'test/system-durability.test.ts',
  'test/actors/loop/versions/suspect.test.ts',
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
    setupFiles: ['test/support/setup.ts'],
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
