/** The rules of the pages of tasks: the order of the board, the reason of a status, and the orders of people. */
import { describe, expect, it } from 'vitest';
import {
  drainTeam,
  onBoard,
  setPlaces,
  standsOf,
  STATUSES,
  taskOrders,
  whyOf,
} from '../../src/inspector/delivery/delivery.ts';
import { type TaskShown, type TeamShown } from '../../src/inspector/delivery/delivery-shapes.ts';
import { WORK_STATUSES } from '../../src/machines/work/work-item.ts';

const task = (id: string, more: Partial<TaskShown> = {}) =>
  ({ id, status: 'ready', urgency: 2, priority: 2, minutes: 30, ...more }) as TaskShown;

describe('the board of tasks', () => {
  it('has a place for every status', () => {
    expect(STATUSES.toSorted()).toEqual(WORK_STATUSES.toSorted());
  });

  it('has the tasks that need somebody first, then those at work, and urgent ones first among equals', () => {
    const tasks = [
      task('TASK-001', { status: 'verified' }),
      task('TASK-002'),
      task('TASK-003', { urgency: 1 }),
      task('TASK-004', { status: 'in_progress', urgency: 3 }),
      task('TASK-005', { status: 'blocked', urgency: 3 }),
      task('TASK-006', { urgency: 1 }),
    ];
    expect(onBoard(tasks).map(({ id }) => id.slice(-1))).toEqual(['5', '4', '3', '6', '2', '1']);
  });

  it('says why a task waits: in words, or for how many others', () => {
    const waits = { because: null, waitsFor: 1, parts: 0, isOver: false };
    expect(whyOf({ ...waits, because: 'no key' })).toBe('no key');
    expect(whyOf(waits)).toBe('waits for 1 task');
    expect(whyOf({ ...waits, parts: 2 })).toBe('waits for 3 tasks');
    expect(whyOf({ ...waits, waitsFor: 0 })).toBe('');
    expect(whyOf({ ...waits, isOver: true })).toBe('');
  });
});

describe('the criteria of a task', () => {
  const context = { acceptance: ['logs in', 'says why not'] } as unknown as TaskShown['context'];

  it('stand as the last check has found them, with what else it has found', () => {
    expect(standsOf({ context, check: null })).toEqual(['logs in', 'says why not']);
    const found = { matches: ['logs in'], remaining: ['adds'], open: ['says why not'], visual: ['is blue'], match: 50 };
    const counts = { checks: 1, flawed: 1, cycles: 1, isTimedOut: false, investigations: ['TK-0001'] };
    expect(standsOf({ context, check: { ...found, ...counts } })).toEqual([
      ...['met: logs in', 'not met: adds', 'open: says why not', 'to look at: is blue'],
    ]);
  });
});

describe('orders about tasks and teams', () => {
  it('go to the orchestrator in the name of a person, without what was left out', () => {
    const { unblock, change, fail } = taskOrders('delivery/orchestrator', task('TASK-001', { minutes: null }));
    const about = { task: 'TASK-001', by: 'ada' };
    expect([unblock, change, fail].map(({ address }) => address)).toEqual(Array(3).fill('delivery/orchestrator'));
    expect(unblock.eventOf({ by: 'ada', note: '' }, 0)).toEqual({ type: 'tasks.unblock', ...about, note: '' });
    expect(change.eventOf({ by: 'ada', priority: '1', minutes: '' }, 0)).toEqual({
      ...{ type: 'tasks.change', ...about, priority: 1 },
    });
    expect(change.eventOf({ by: 'ada', priority: '2', minutes: '45' }, 0)).toMatchObject({ priority: 2, minutes: 45 });
    expect(change.fields.map(({ initial, hint }) => [initial, hint])[2]).toEqual(['', 'nobody has estimated it']);
    expect(fail.eventOf({ by: 'ada', reason: 'late' }, 0)).toEqual({ type: 'tasks.fail', ...about, reason: 'late' });
    const places = setPlaces('delivery/orchestrator', 3);
    expect(places.eventOf({ by: 'ada', places: '5' }, 0)).toEqual({ type: 'tasks.places', places: 5, by: 'ada' });
  });

  it('drain a team that works, and let a drained one go on', () => {
    const team = { id: 'planning', title: 'Planning Team', state: 'idle' } as TeamShown;
    const [drain, goOn] = [team, { ...team, state: 'drained' }].map((one) => drainTeam('delivery/organisation', one));
    expect([drain!.title, goOn!.title]).toEqual(['Drain: Planning Team', 'Go on: Planning Team']);
    const event = { type: 'org.set', team: 'planning', by: 'ada' };
    expect(drain!.eventOf({ by: 'ada' }, 0)).toEqual({ ...event, isDrained: true });
    expect(goOn!.eventOf({ by: 'ada' }, 0)).toEqual({ ...event, isDrained: false });
  });
});
