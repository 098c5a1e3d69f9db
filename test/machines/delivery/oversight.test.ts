/** The overseer and the auxiliary teams in a whole crew: bounds, halts, warnings, and what each team changes. */
import { enqueueActions, setup, type AnyActorRef } from 'xstate';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { type OverseerContext } from '../../../src/machines/delivery/oversight/overseer.ts';
import { type Warning } from '../../../src/machines/delivery/oversight/oversight-rules.ts';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import {
  DeliveryRoom,
  type DeliveryRoomOptions,
  MINUTE_MS,
  SECOND_MS,
  task,
} from '../../support/machines/delivery-room.ts';
import { openIn } from '../../../src/machines/rules/records.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** An actor of the test that sends what agents of the organisation send each other. */
const insider = defineAgent({
  name: 'insider',
  machine: setup({ types: {} as { events: { type: string; to: string; event: object } } }).createMachine({
    on: {
      say: {
        actions: enqueueActions(({ event, enqueue, system }) =>
          enqueue.sendTo(system.get(event.to) as AnyActorRef, event.event as never),
        ),
      },
    },
  }),
  events: { say: z.object({ to: z.string(), event: z.looseObject({}) }) },
});

const open = async (delivery: DeliveryOptions = {}, more: DeliveryRoomOptions = {}) => {
  const inside = { agents: [insider], children: [{ id: 'insider', agent: 'insider' }] };
  return (room = await DeliveryRoom.start({ delivery, ...inside, ...more }));
};
const say = async (to: string, event: object) => {
  await room.test.system.send('insider', { type: 'say', to, event } as never);
  await room.test.settle();
};

const overseer = () => room.context<OverseerContext>('delivery/overseer');
const cards = () => [...alertsIn(room.context<AlertDeskContext>('alerts'))];
const alerts = () => cards().map(({ title }) => title);
/** The text of a card, which its actor keeps. */
const cardOf = (title: string) => {
  const { id } = cards().find((one) => one.title === title)!;
  return JSON.stringify(room.context(`alert-cards/${id}`));
};
const tasks = (count: number, name = 'Task') => Array.from({ length: count }, (_, at) => task(`${name} ${at + 1}`));
const titles = () => openIn(room.orchestrator).map(({ item }) => item.title);
const tickets = () => room.tickets().map(({ title }) => title);
const next = () => room.test.advance(3 * SECOND_MS);
const follow = (count: number, of = 'TASK-001') => {
  const blank = {
    description: '',
    kind: 'feature',
    concerns: [],
    dependsOn: [],
    acceptance: [],
    files: [],
    subtasks: [],
  };
  const found = Array.from({ length: count }, (_, at) => ({ ...blank, title: `Found ${at + 1}`, minutes: 20 }));
  return say('planning', { type: 'task.followUp', of: room.task(of).item, tasks: found });
};
const fail = (id: string) =>
  room.order('delivery/orchestrator', { type: 'tasks.fail', task: id, by: 'ada', reason: 'not needed' });
const failsOnce = async (id: string, details: string) => {
  await room.next('cc');
  await room.done('cc', id, { status: 'failed', details });
  await room.test.advance(20 * SECOND_MS);
};

describe('the overseer', () => {
  it('MX-018: halts generation beyond 20 pending tasks, and holds what is found until the halt ends', async () => {
    await open();
    await room.submit(tasks(20));
    expect(overseer().level).toBe('calm');
    await room.submit(tasks(2, 'More'));
    expect([overseer().level, overseer().pending]).toEqual(['halted', 22]);
    await next();
    expect(alerts()).toEqual(['too many tasks wait']);

    await room.next('cc');
    await room.done('cc', 'TASK-001', { followUps: [{ title: 'Found', minutes: 20 }] });
    await room.powerCut();
    expect([titles().includes('Found'), overseer().held]).toEqual([false, 1]);
    await room.next('cc');
    expect([titles().includes('Found'), overseer().held]).toEqual([true, 0]);
    expect(cards()).toMatchObject([{ kind: 'oversight.pending', isOver: true, settledBecause: '20, the bound is 20' }]);
  });

  it('MX-018: has plans of people, pulls, checks and fixes go on under a halt', async () => {
    const checks = [{ failures: [{ test: 'adds' }] }];
    await open({ ports: { verify: () => Promise.resolve(checks.shift() ?? { failures: [] }) } });
    await room.submit(tasks(25));
    expect(overseer().level).toBe('halted');
    expect(await room.submit(tasks(1, 'Plan'))).toMatchObject({ taken: true, tasks: ['TASK-026'] });
    await room.next('cc');
    await room.done('cc', 'TASK-001');
    await room.test.advance(2 * MINUTE_MS);
    expect(room.task('TASK-027').item).toMatchObject({ kind: 'fix', title: 'Fix: adds' });
    expect((await room.next('cc')).directive?.taskId).toBe('TASK-027');
    await room.done('cc', 'TASK-027');
    await room.test.advance(2 * MINUTE_MS);
    expect([room.status('TASK-001'), overseer().level]).toEqual(['verified', 'halted']);
  });

  it('MX-018: warns beyond three failed tasks of a day, with one ticket to investigate', async () => {
    await open();
    await room.submit(tasks(6));
    for (const id of ['TASK-001', 'TASK-002', 'TASK-003']) await fail(id);
    expect(overseer().level).toBe('calm');
    await room.test.advance(HOUR_MS);
    await fail('TASK-004');
    await room.powerCut();
    expect(overseer().level).toBe('warning');
    await fail('TASK-005');
    await next();
    expect(tickets()).toEqual(['too many tasks have failed within a day']);
    expect(room.tickets()[0]).toMatchObject({ kind: 'investigation', assignee: 'ada', isBlocking: false });
    await room.test.advance(DAY_MS - HOUR_MS - 5 * SECOND_MS);
    expect(overseer().level).toBe('warning');
    await room.test.advance(5 * SECOND_MS);
    expect([overseer().level, overseer().failedAtMs.length]).toEqual(['calm', 2]);
    for (const id of ['TASK-006']) await fail(id);
    expect(overseer().level).toBe('calm');
  });

  it('MX-018: warns beyond five tickets that are escalated at once', async () => {
    await open({ places: 9 });
    await room.submit(tasks(6));
    const asked: string[] = [];
    for (const at of [1, 2, 3, 4, 5, 6]) {
      await room.next(`c${at}`);
      await room.report(`c${at}`, `TASK-00${at}`, { status: 'blocked', details: 'no idea' });
      asked.push(room.task(`TASK-00${at}`).tickets[0]!);
    }
    const escalate = (ticket: string) =>
      room.order('tickets', { type: 'tickets.escalate', ticket, by: 'ada', reason: 'nobody knows' });
    for (const ticket of asked.slice(0, 5)) await escalate(ticket);
    expect([overseer().escalated.size, overseer().level]).toEqual([5, 'calm']);
    await escalate(asked[5]!);
    expect([overseer().escalated.size, overseer().level]).toEqual([6, 'warning']);
    await room.answer(asked[0]!, 'take the other one');
    expect([overseer().escalated.size, overseer().level]).toEqual([5, 'calm']);
  });

  it('MX-017, MX-018: halts beyond a drift of 0.2, and goes on when more is planned', async () => {
    await open();
    await room.submit(tasks(10));
    await follow(2);
    expect([overseer().found.size, overseer().level]).toEqual([2, 'calm']);
    await follow(1);
    expect([overseer().found.size, overseer().level]).toEqual([3, 'halted']);
    await next();
    expect(alerts()).toEqual(['much work is found beside what was planned']);
    await follow(1);
    expect(overseer()).toMatchObject({ held: 1, level: 'halted' });
    await room.submit(tasks(5, 'More'));
    await next();
    // What was held is planned as soon as the halt ends, and brings the next one.
    expect([overseer().found.size, overseer().held, overseer().level]).toEqual([4, 0, 'halted']);
  });

  it('takes back a warning whose cause is gone before it was shown, and no other one', async () => {
    await open({ oversight: { thresholds: { failed: 0 } } });
    await room.submit(tasks(10));
    await fail('TASK-010');
    const title = 'much found at TASK-001';
    const warning = { severity: 'info', about: 'TASK-001', kind: 'drift', title, detail: 'x' };
    await say('overseer', { type: 'oversight.warned', ...warning });
    await follow(3);
    expect(overseer().warnings.map(({ kind }) => kind)).toEqual(['failed', 'drift', 'drift']);
    await room.submit(tasks(6, 'More'));
    expect(overseer()).toMatchObject({ over: ['failed'], level: 'warning' });
    await next();
    const shown = cards().filter(({ kind }) => kind.startsWith('oversight.'));
    expect(shown.map((card) => card.title).toReversed()).toEqual(['too many tasks have failed within a day', title]);
    expect(overseer().suppressed).toBe(0);
  });

  it('MX-016, MX-018: opens a ticket when its Boss has restarted an agent', async () => {
    await open();
    await room.submit(tasks(1));
    await say('organisation', { type: 'handoff.offer', occasion: 'planned', from: 'planning', by: null, item: null });
    await room.test.advance(MINUTE_MS);
    await next();
    expect(tickets()).toEqual(['Incident: An agent of the delivery organisation was restarted']);
    expect(alerts()).toContain('An agent of the delivery organisation was restarted');
    await room.powerCut();
    await room.submit(tasks(1));
    await next();
    expect(room.tickets()).toHaveLength(1);
  });

  it.each([
    ['loose', 'warning'],
    ['balanced', 'halted'],
    ['strict', 'halted'],
  ] as const)('MX-017: has a level: under %s it is %s with too many tasks', async (level, stands) => {
    await open({ oversight: { level, thresholds: { pending: 2 } } });
    await room.submit(tasks(3));
    expect(overseer().level).toBe(stands);
    await next();
    expect(alerts()).toEqual(['too many tasks wait']);
    await follow(1);
    expect(titles().includes('Found 1')).toBe(level === 'loose');
  });

  it('MX-017: halts for warnings, too, under the level strict', async () => {
    await open({ oversight: { level: 'strict', thresholds: { failed: 0 } } });
    await room.submit(tasks(2));
    await fail('TASK-002');
    expect(overseer().level).toBe('halted');
  });

  it('MX-017: approves a batch of more than ten tasks by rule while they fit, and else asks the owner', async () => {
    await open();
    await room.submit(tasks(9));
    await follow(11);
    expect(titles()).toHaveLength(20);
    await room.test.system.stop();

    for (const [said, count] of [
      ['plan them', 21],
      ['drop them', 10],
    ] as const) {
      await open();
      await room.submit(tasks(10));
      await follow(11);
      await next();
      expect([titles().length, room.tickets()]).toMatchObject([10, [{ assignee: 'ada' }]]);
      expect(tickets()).toEqual(['May 11 tasks be added that were found on the way?']);
      await room.powerCut();
      await room.answer(room.tickets()[0]!.id, said);
      expect([titles().length, overseer().held]).toEqual([count, 0]);
      if (said === 'plan them') await room.test.system.stop();
    }
  });

  it('MX-017: opens so many tickets in a cycle, and the others in the next one', async () => {
    await open({ oversight: { decisionsMax: 1, thresholds: { failed: 0 } } });
    await room.submit(tasks(15));
    await follow(11);
    await fail('TASK-002');
    await room.test.advance(2 * SECOND_MS);
    expect(room.tickets()).toHaveLength(1);
    await room.test.advance(2 * SECOND_MS);
    expect(room.tickets()).toHaveLength(2);
  });

  it('MX-017: counts and tells that a check contradicts its session, and has it mended', async () => {
    const found = { failures: [], unmet: ['Task 1 works'] };
    await open({ ports: { verify: () => Promise.resolve(found) } });
    await room.submit(tasks(1));
    await room.next('cc');
    const said = { details: 'done', testing: 'by hand', criteria: [{ criterion: 'Task 1 works', isMet: true }] };
    await room.done('cc', 'TASK-001', said);
    await room.test.advance(2 * MINUTE_MS);
    expect(overseer().conflicts).toBe(1);
    expect(alerts()).toContain('The session of TASK-001 says that it is done, its check does not: Task 1');
    expect(room.task('TASK-002').item.kind).toBe('fix');
  });

  it('MX-019: shows the five gravest warnings of two seconds, and counts the others', async () => {
    await open();
    const severities: Warning['severity'][] = ['info', 'warning', 'critical', 'info', 'error', 'warning', 'warning'];
    for (const [at, severity] of severities.entries()) {
      const title = `${severity} ${at}`;
      await say('overseer', { type: 'oversight.warned', severity, about: title, kind: 'test', title, detail: 'x' });
    }
    await room.test.advance(2 * SECOND_MS - 1);
    expect(alerts()).toEqual([]);
    await room.powerCut();
    await room.test.advance(1);
    expect(alerts().toReversed()).toEqual(['critical 2', 'error 4', 'warning 1', 'warning 5', 'warning 6']);
    expect(overseer()).toMatchObject({ suppressed: 2, warnings: [] });
    expect(cardOf('critical 2')).toContain('2 more are not shown');
  });
});

describe('the Critic Team', () => {
  const patterns = () => alerts().filter((title) => title.startsWith('A failure comes again'));

  it('MX-021: finds a failure that comes three times within 24 h, not one that comes later', async () => {
    await open();
    await room.submit(tasks(1));
    await failsOnce('TASK-001', 'connection refused');
    await room.test.advance(DAY_MS);
    await failsOnce('TASK-001', 'connection refused at 10:00');
    await failsOnce('TASK-001', 'connection refused at 11:00');
    await next();
    expect(patterns()).toEqual([]);
    await room.powerCut();
    await failsOnce('TASK-001', 'connection refused at 12:00');
    await next();
    expect(patterns()).toEqual(['A failure comes again: network']);
  });

  it('MX-021: finds a test that fails in the checks of three tasks', async () => {
    await open({ ports: { verify: () => Promise.resolve({ failures: [{ test: 'adds' }] }) } });
    await room.submit(tasks(3));
    for (const id of ['TASK-001', 'TASK-002', 'TASK-003']) {
      await room.next(id);
      await room.done(id, id);
    }
    await room.test.advance(2 * MINUTE_MS);
    expect(patterns()).toEqual(['A failure comes again: adds']);
  });

  it('AT-047: asks once why a failure comes again, and proposes a task by what is answered', async () => {
    await open({ times: { retryMs: Array<number>(9).fill(1) } });
    await room.submit(tasks(1));
    for (let at = 0; at < 3; at += 1) await failsOnce('TASK-001', 'connection refused');
    await room.test.advance(MINUTE_MS);
    const whys = () =>
      room.tickets().filter(({ title }) => title.startsWith('Why does this pattern persist: "network"'));
    expect(whys()).toMatchObject([{ isBlocking: false }]);
    await room.answer(whys()[0]!.id, 'The proxy drops connections.');
    await next();
    const proposal = 'Proposed: an update task that removes the cause of "network"';
    expect(alerts()).toContain(proposal);
    expect(cardOf(proposal)).toContain('The proxy drops connections.');
    await failsOnce('TASK-001', 'connection refused');
    await next();
    expect([patterns().length, whys()]).toEqual([1, []]);
  });
});

describe('notes that do not fit', () => {
  it('AT-046: have the Answer Team asked once for a strategy, which becomes a note', async () => {
    await open({ times: { retryMs: Array<number>(30).fill(1) } });
    await room.submit(tasks(1));
    const whys = () => tickets().filter((title) => title.startsWith('Why did breaking fail?'));
    for (let at = 0; at < 20; at += 1) await failsOnce('TASK-001', `why ${String.fromCharCode(97 + at)}`);
    expect(whys()).toEqual([]);
    for (let at = 20; at < 22; at += 1) await failsOnce('TASK-001', `why ${String.fromCharCode(97 + at)}`);
    await room.test.advance(MINUTE_MS);
    expect(whys()).toHaveLength(1);
    const notes = (await room.next('cc')).directive?.notes ?? [];
    expect(notes.filter((note) => note.startsWith('The Answer Team, on its notes: Try '))).toHaveLength(1);
    expect([notes.length, room.status('TASK-001')]).toEqual([20, 'in_progress']);
  });
});
