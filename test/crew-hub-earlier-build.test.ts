/**
 * The store of a hub that an earlier build has written, before others than rules decided in hubs: this build goes on
 * with its run. How the store was made is in test/support/fixtures/stores/README.md.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hubCrew, type SpokeFunction } from '../src/crew-hub.ts';
import { type LineageEntry } from '../src/machines/hub/handoff.ts';
import { type HubDeskContext } from '../src/machines/hub/hub-desk.ts';
import { type WorkPlanContext } from '../src/machines/hub/work-plan.ts';
import { levelStore } from '../src/persistence/store/level-store.ts';
import { createSystem } from '../src/system.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { endedIn } from '../src/machines/rules/records.ts';

it('a run of an earlier build goes on to its end, with the hand-offs so far', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-earlier-hub-'));
  cpSync(join(import.meta.dirname, 'support/fixtures/stores/94de0c0'), directory, { recursive: true });
  const functions: Record<string, SpokeFunction> = {
    review: () => ({
      handoff: { outcome: 'approved', recommended: 'Tester', reason: 'ok', build: { command: 'make', exitCode: 0 } },
    }),
    test: () => ({ handoff: { outcome: 'passed', recommended: 'Archivist', reason: 'ok' } }),
    archive: () => ({ archives: true }),
  };
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const system = createSystem({ ...hubCrew({ functions }), store: levelStore(directory), clock, log: () => {} });
  await system.start();
  const hubs = await system.actor('hubs');
  await hubs.waitFor(({ context }) => endedIn(context as HubDeskContext).length === 1);
  const plan = (await system.snapshot('work-plans/WP-1'))!.context as WorkPlanContext;
  expect(plan).toMatchObject({ status: 'archived', goals: ['no crash'], documents: expect.anything() as unknown });
  const { records } = await system.records.list('work-plans/WP-1', 'lineage');
  expect(records.map(({ value }) => (value as LineageEntry).from)).toEqual(['Executor', 'Reviewer', 'Tester']);
  await system.stop();
  rmSync(directory, { recursive: true });
});
