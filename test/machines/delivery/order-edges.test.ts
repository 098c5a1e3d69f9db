/** Orders about tasks at the edges: what is said twice, too late, or the other way round than usual. */
import { describe, expect, it } from 'vitest';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type NextReply } from '../../../src/machines/delivery/tasks/task-messages.ts';
import { DeliveryRoom, MINUTE_MS, task } from '../../support/machines/delivery-room.ts';
import { openIn } from '../../../src/machines/rules/records.ts';

const pass = (room: DeliveryRoom, ms: number) => room.test.clock.advance(ms, () => room.test.settle());
const started = () => DeliveryRoom.start({ delivery: { ports: { verify: () => Promise.resolve({ failures: [] }) } } });

describe('a task', () => {
  it('waits once for a dependency that is named twice', async () => {
    const room = await started();
    await room.submit([task('Login'), task('Logout', { dependsOn: ['Login', 'Login'] })]);
    await room.next('eve');
    await room.done('eve', 'TASK-001');
    await pass(room, 2 * MINUTE_MS);
    expect([room.status('TASK-001'), room.status('TASK-002')]).toEqual(['verified', 'ready']);
  });

  it.each(['partial', 'failed', 'blocked', 'done'])(
    'has work planned that was found on the way: %s',
    async (status) => {
      const room = await started();
      await room.submit([task('Login')]);
      await room.next('eve');
      await room.done('eve', 'TASK-001', { status, followUps: [{ title: 'Old form', minutes: 20 }] });
      expect(room.task('TASK-002')).toMatchObject({ status: 'ready', item: { title: 'Old form' } });
      expect(openIn(room.orchestrator).length).toBe(2);
    },
  );

  it('is given later if a person makes it less urgent', async () => {
    const room = await started();
    await room.submit([task('Login'), task('Logout')]);
    const order = { type: 'tasks.change', task: 'TASK-001', by: 'ada', priority: 3 };
    await room.order('delivery/orchestrator', order);
    expect(await room.next('eve')).toMatchObject({
      ...{ directive: { taskId: 'TASK-002' }, next: [{ id: 'TASK-001', priority: 3 }] },
    });
  });

  it('stays urgent as long as one needs it that is, and no longer', async () => {
    const room = await started();
    await room.submit([task('Menu'), task('Login'), task('Logout', { dependsOn: ['Login'], priority: 1 })]);
    const urgency = () => ['TASK-002', 'TASK-003'].map((id) => room.task(id).urgency);
    const change = (id: string, priority: number) =>
      room.order('delivery/orchestrator', { type: 'tasks.change', task: id, by: 'ada', priority });
    expect(urgency()).toEqual([1, 1]);
    await change('TASK-002', 3);
    expect(urgency()).toEqual([1, 1]);
    await change('TASK-003', 3);
    expect(urgency()).toEqual([3, 3]);
    expect(await room.next('eve')).toMatchObject({ directive: { taskId: 'TASK-001' } });
  });
});

describe('a coding session', () => {
  it('resumes no stuck task beside another one, but may finish it', async () => {
    const room = await started();
    await room.submit([task('Login'), task('Logout')]);
    await room.next('eve');
    await pass(room, 2 * MINUTE_MS);
    await room.next('eve');
    expect(await room.report('eve', 'TASK-001')).toMatchObject({ taken: false, code: 'conflict' });
    expect([...room.orchestrator.working.keys()]).toEqual(['TASK-002']);
    expect(await room.done('eve', 'TASK-001')).toMatchObject({ taken: true });
  });

  it('hears twice if it asks twice at once, and gets its task once', async () => {
    const room = await started();
    await room.submit([task('Login')]);
    const order = { type: 'tasks.next', coder: 'eve' };
    const ask = () => room.test.system.ask<NextReply>('delivery/orchestrator', order, { timeoutMs: MINUTE_MS });
    const both = Promise.all([ask(), ask()]);
    await room.test.settle();
    expect((await both).map(({ directive }) => directive?.taskId)).toEqual([undefined, 'TASK-001']);
  });
});

describe('people', () => {
  it('MX-049: hear that tasks wait and nobody asks, also if somebody was at work before', async () => {
    const room = await started();
    const cards = () => [...alertsIn(room.context<AlertDeskContext>('alerts'))];
    const alerts = () => cards().map(({ title }) => title);
    await room.submit([task('Login'), task('Logout')]);
    await room.next('eve');
    await room.report('eve', 'TASK-001', { status: 'paused' });
    await pass(room, 15 * MINUTE_MS);
    expect(alerts()).toEqual([]);
    await room.done('eve', 'TASK-001');
    await pass(room, 15 * MINUTE_MS);
    expect(alerts()).toEqual(['1 tasks wait, and no coding agent asks for one']);
    expect(cards()).toMatchObject([{ isOver: false }]);
    await room.next('eve');
    expect(cards()).toMatchObject([{ isOver: true, settledBecause: 'TASK-002 is given to a session' }]);
  });
});
