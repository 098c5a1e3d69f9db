/** Tasks that spokes of a hub do in the same system, three at once, and over a power cut. */
import { afterEach, expect, it } from 'vitest';
import { hubSessions } from '../src/crew-delivery-sessions.ts';
import { hubCrew, type SpokeFunction } from '../src/crew-hub.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS, task } from './support/machines/delivery-room.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

/** Starts a delivery whose tasks are done by a hub, with this function as its Executor. */
async function open(mend: SpokeFunction): Promise<void> {
  const build = { command: 'make', exitCode: 0 };
  const functions = {
    mend,
    review: () => ({ handoff: { outcome: 'approved', recommended: 'Tester', reason: 'it builds', build } }),
    test: () => ({ handoff: { outcome: 'passed', recommended: 'Archivist', reason: 'the tests pass' } }),
    archive: () => ({ archives: true }),
  };
  const does = (name: keyof typeof functions) => ({ does: { kind: 'function' as const, name } });
  const hub = hubCrew({ functions, hasGates: true });
  const agents = { Executor: does('mend'), Reviewer: does('review'), Tester: does('test'), Archivist: does('archive') };
  const code = hubSessions(() => room.test.system, { workspace: '/shop', agents });
  const verify = () => Promise.resolve({ failures: [] });
  const crew = { agents: hub.agents, children: hub.tree.children! };
  room = await DeliveryRoom.start({ delivery: { ports: { code, verify } }, ...crew });
}

const complete = (files: readonly string[]) => ({
  handoff: { outcome: 'done', recommended: 'Reviewer', reason: 'it works', data: { files_modified: [...files] } },
});

it('MX-106, MX-013: has spokes of a hub do the tasks, three at once, each told what its task is', async () => {
  const told: string[] = [];
  let [working, most] = [0, 0];
  await open(async ({ prompt }) => {
    told.push(prompt);
    most = Math.max(most, (working += 1));
    await new Promise<void>((resolve) => room.test.clock.setTimeout(resolve, MINUTE_MS));
    working -= 1;
    return complete(['src/a.ts']);
  });
  await room.submit(['A', 'B', 'C', 'D'].map((title) => task(title)));
  for (let round = 0; round < 6; round += 1) await room.test.advance(MINUTE_MS);
  expect(['TASK-001', 'TASK-002', 'TASK-003', 'TASK-004'].map((id) => room.status(id))).toEqual(
    Array(4).fill('verified'),
  );
  expect([most, told.length]).toEqual([3, 4]);
  expect(told[0]).toContain('acceptanceCriteria: A works');
});

it('goes on with the run of a task after a power cut, and does it once', async () => {
  const begun: string[] = [];
  await open(async ({ planId, session }) => {
    begun.push(session);
    await new Promise<void>((resolve) => room.test.clock.setTimeout(resolve, MINUTE_MS));
    return complete([`src/${planId}.ts`]);
  });
  await room.submit([task('A')]);
  await room.test.advance(30 * SECOND_MS);
  await room.powerCut();
  for (let round = 0; round < 4; round += 1) await room.test.advance(MINUTE_MS);
  expect(room.task('TASK-001')).toMatchObject({ status: 'verified', attempts: 1, coder: 'session-1' });
  expect(new Set(begun).size).toBe(1);
});

it('tries a task again whose run has failed or changed nothing, and then asks its owner', async () => {
  await open(() => complete([]));
  await room.submit([task('A')]);
  for (let round = 0; round < 5; round += 1) await room.test.advance(MINUTE_MS);
  expect(room.task('TASK-001')).toMatchObject({
    status: 'blocked',
    reason: 'failure',
    because: 'names no changed file',
    attempts: 4,
  });
  // Another one asks why the same failure comes again.
  expect(room.tickets().filter(({ assignee }) => assignee === 'ada')).toMatchObject([{ title: 'TASK-001 fails: A' }]);
});
