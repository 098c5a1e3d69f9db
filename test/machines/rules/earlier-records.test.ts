/** Desks whose records an earlier build stored in tables of their own: the build of today reads them, and goes on. */
import { afterEach, expect, it } from 'vitest';
import { type BatchManagerContext, batchesIn } from '../../../src/machines/coordination/batches/batch-manager.ts';
import { debatesIn } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import { endedIn, openIn } from '../../../src/machines/rules/records.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { roomOf, roomOptions } from '../../support/machines/debate-room.ts';
import { type Desks, startDesks } from '../../support/machines/desks.ts';
import { startMachines } from '../../support/machines/machines-under-test.ts';
import { earlierAgents, goOn, keepApart } from '../../support/machines/records-apart.ts';

let running: TestSystem | undefined;
afterEach(async () => {
  await running?.shard.stop();
  running = undefined;
});

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** The desks of alerts and batches in the earlier build, and what brings them to the one of today. */
async function before(): Promise<{ readonly desks: Desks; migrate(address: string): Promise<void> }> {
  let today: Parameters<typeof earlierAgents>[0] = [];
  const desks = await startDesks({
    as: (agents) => earlierAgents((today = agents), { 'alert-desk': 1, 'batch-manager': 1 }),
  });
  running = desks.test;
  const migrate = async (address: string) => {
    await keepApart(desks.test, [address]);
    await desks.test.crash();
    await desks.test.restart({ agents: today });
    await goOn(desks.test, [address]);
  };
  return { desks, migrate };
}

it('the alert desk has its cards by priority, then those that are over', async () => {
  const { desks, migrate } = await before();
  for (const [item, priority] of [
    ['A', 'LOW'],
    ['B', 'LOW'],
    ['C', 'HIGH'],
    ['D', 'CRITICAL'],
    ['E', 'CRITICAL'],
  ] as const) {
    const texts = { kind: 'item.failed', title: `${item} failed`, detail: 'no ink', actions: [], data: {} };
    await desks.tell(DESKS.alerts, { type: 'alert.raise', item, priority, ...texts });
  }
  for (const id of ['alert-1', 'alert-4']) await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id });
  await migrate(DESKS.alerts);
  const context = desks.context<AlertDeskContext>(DESKS.alerts);
  expect(Object.keys(context)).not.toContain('open');
  expect(idsOf(openIn(context))).toEqual(['alert-5', 'alert-3', 'alert-2']);
  expect(idsOf(endedIn(context))).toEqual(['alert-4', 'alert-1']);
  await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-3' });
  const now = desks.context<AlertDeskContext>(DESKS.alerts);
  expect([idsOf(openIn(now)), idsOf(alertsIn(now)).length]).toEqual([['alert-5', 'alert-2'], 5]);
});

it('the batch manager has its batches the latest first', async () => {
  const { desks, migrate } = await before();
  for (const item of ['A', 'B', 'C']) {
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: [item], reason: 'no ink' });
    await desks.test.advance(1_000);
  }
  await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-2' });
  await desks.test.advance(60_000);
  await migrate(DESKS.batches);
  const context = desks.context<BatchManagerContext>(DESKS.batches);
  expect([idsOf(openIn(context)), idsOf(endedIn(context))]).toEqual([['batch-3', 'batch-1'], ['batch-2']]);
  expect(idsOf(batchesIn(context))).toEqual(['batch-1', 'batch-2', 'batch-3']);
  await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-3' });
  await desks.test.advance(60_000);
  const now = desks.context<BatchManagerContext>(DESKS.batches);
  expect([idsOf(openIn(now)), idsOf(endedIn(now))]).toEqual([['batch-1'], ['batch-3', 'batch-2']]);
});

it('the debate facilitator has its debates by urgency, and knows the ended ones', async () => {
  const options = roomOptions();
  const test = await startMachines({ ...options, agents: earlierAgents(options.agents, { 'debate-facilitator': 4 }) });
  running = test;
  const room = roomOf(test);
  for (const [id, priority] of [
    ['d-1', 'valuation'],
    ['d-2', 'supporting'],
    ['d-3', 'valuation'],
    ['d-4', 'critical-path'],
  ] as const)
    await room.challenge({ id, priority });
  await room.say('debate.accept', { debate: 'd-1', by: 'bob' });
  await keepApart(test, [DESKS.debates]);
  await test.crash();
  await test.restart({ agents: options.agents });
  await goOn(test, [DESKS.debates]);
  expect(idsOf(openIn(room.desk()))).toEqual(['d-4', 'd-3', 'd-2']);
  expect(idsOf(endedIn(room.desk()))).toEqual(['d-1']);
  expect(idsOf(debatesIn(room.desk()))).toEqual(['d-1', 'd-2', 'd-3', 'd-4']);
  await room.say('debate.accept', { debate: 'd-4', by: 'bob' });
  expect([idsOf(openIn(room.desk())), idsOf(endedIn(room.desk()))]).toEqual([
    ['d-3', 'd-2'],
    ['d-4', 'd-1'],
  ]);
});
