/** The decisions of planners and of the orchestrator in a whole crew: size, gates, order, stalls, tries. */
import { afterEach, describe, expect, it } from 'vitest';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { type PlannedTask } from '../../../src/machines/delivery/plans/plan-document.ts';
import { WORK_STATUSES } from '../../../src/machines/work/work-item.ts';
import { answering, PORT_QUESTION } from '../../support/machines/answer-room.ts';
import {
  DeliveryRoom,
  type DeliveryRoomOptions,
  MINUTE_MS,
  SECOND_MS,
  task,
} from '../../support/machines/delivery-room.ts';
import { type AlertDeskContext } from '../../../src/machines/people/alerts/alert-desk.ts';
import { openIn, recordsIn } from '../../../src/machines/rules/records.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

const open = async (delivery: DeliveryOptions = {}, more: DeliveryRoomOptions = {}) =>
  (room = await DeliveryRoom.start({ delivery, ...more }));
const passes = { ports: { verify: () => Promise.resolve({ failures: [] }) } };
const parts = (count: number, minutes = 30) =>
  Array.from({ length: count }, (_, at) => task(`Part ${at + 1}`, { minutes }));
const statuses = () => openIn(room.orchestrator).map(({ id, status }) => `${id} ${status}`);
const person = (type: string, id: string, more: object = {}) =>
  room.order<{ taken: boolean; problems: string[] }>('delivery/orchestrator', { type, task: id, by: 'ada', ...more });

describe('the Planning Team', () => {
  it('MX-044, MX-E02: enqueues a task of 45 minutes and one concern itself', async () => {
    await open();
    const login = task('Implement login form', { minutes: 35, concerns: ['ui'] });
    expect(await room.submit([login, task('At the bound', { minutes: 45 })])).toMatchObject({
      tasks: ['TASK-001', 'TASK-002'],
    });
    expect(await room.accepted()).toEqual(['3: TASK-001', '3: TASK-002']);
    expect(room.context<{ nextJob: number }>('delivery/decomposition')).toMatchObject({
      nextJob: 1,
    });
  });

  it('MX-045, MX-E03: delegates one that is longer or has several concerns, and enqueues all subtasks', async () => {
    await open();
    const concerns = ['database', 'api', 'ui', 'tests'];
    const subtasks = [35, 30, 25, 20].map((minutes, at) =>
      task(`Rebuild ${concerns[at]}`, { minutes, concerns: [concerns[at]!] }),
    );
    await room.submit([
      task('Rebuild authentication system', { minutes: 120, concerns, subtasks }),
      task('Two concerns', { minutes: 40, concerns: ['ui', 'api'], subtasks: parts(2, 20) }),
      task('Past the bound', { minutes: 46, subtasks: parts(2, 23) }),
    ]);
    const { queue } = room.orchestrator;
    expect([...queue.values()].map(({ id }) => id)).toEqual([
      'TASK-004',
      'TASK-005',
      'TASK-006',
      'TASK-007',
      'TASK-008',
      'TASK-009',
      'TASK-010',
      'TASK-011',
    ]);
    const rebuilt = openIn(room.orchestrator).filter(({ item }) => item.parent === 'TASK-001');
    expect(rebuilt.map(({ item }) => item.minutes)).toEqual([35, 30, 25, 20]);
    expect(['TASK-001', 'TASK-002', 'TASK-003'].map((id) => room.status(id))).toEqual([
      'decomposed',
      'decomposed',
      'decomposed',
    ]);
    expect(
      (await room.handoffs())
        .filter(({ row }) => row === 1)
        .map(({ decisions }) => decisions.find(({ isPassed }) => !isPassed)?.gate),
    ).toEqual(['size', 'concerns', 'size']);
  });

  it('refuses a plan without an estimate, with a cycle, or with an unknown or doubled dependency', async () => {
    await open();
    const problems = async (...tasks: Parameters<DeliveryRoom['submit']>[0]) => (await room.submit(tasks)).problems;
    expect(await problems({ title: 'A' })).toEqual(['"A" has no estimate: give its minutes']);
    expect(await problems(task('A', { dependsOn: ['B'] }), task('B', { dependsOn: ['A'] }))).toEqual([
      'tasks wait for each other: A -> B -> A',
    ]);
    expect(await problems(task('A', { dependsOn: ['C'] }))).toEqual(['"A" depends on "C", which is not beside it']);
    expect(await problems(task('A'), task('A'))).toEqual(['"A" is there twice: give one of them another key']);
    expect(openIn(room.orchestrator).length).toBe(0);
  });

  it('takes no plan while as many tasks are under way as may be, or with a task that is too long', async () => {
    await open({ tasksMax: 2 });
    await room.submit([task('A'), task('B')]);
    const { taken, problems } = await room.submit([task('C')]);
    expect([taken, problems]).toEqual([false, ['as many tasks are under way as may be: hand it in later']]);
    await person('tasks.fail', 'TASK-001', { reason: 'not needed' });
    expect((await room.submit([task('C')])).tasks).toEqual(['TASK-003']);
    await person('tasks.fail', 'TASK-003', { reason: 'not needed' });
    const long = task('D', { files: Array.from({ length: 50 }, (_, at) => `${at}${'x'.repeat(490)}`) });
    expect((await room.submit([long])).problems).toEqual([expect.stringContaining('"D" has more than 24576 bytes')]);
  });

  it('asks the port for estimates that the plan lacks, and the owner where it knows none', async () => {
    const estimate = ({ title }: PlannedTask) =>
      title === 'C' ? Promise.reject(new Error('no idea')) : Promise.resolve(title === 'A' ? 20 : null);
    await open({ ports: { estimate } });
    await room.submit([{ title: 'A', acceptance: ['a'] }, { title: 'B' }, { title: 'C' }]);
    await room.test.advance(SECOND_MS);
    expect(statuses()).toEqual(['TASK-001 ready', 'TASK-002 blocked', 'TASK-003 blocked']);
    expect(room.tickets().map(({ title, assignee }) => [title, assignee])).toEqual([
      ['TASK-002 has no size that fits: B', 'ada'],
      ['TASK-003 has no size that fits: C', 'ada'],
    ]);
    expect(await person('tasks.change', 'TASK-002', { minutes: 25 })).toMatchObject({ taken: true });
    expect([room.status('TASK-002'), room.tickets().length]).toEqual(['ready', 1]);
  });
});

describe('the Decomposition Agent', () => {
  it('MX-105: takes two to eight subtasks of 15 to 45 minutes, three levels deep', async () => {
    await open();
    const deep = (levels: number): ReturnType<typeof task> =>
      task(`Level ${levels}`, {
        minutes: 90,
        subtasks: levels === 0 ? [] : [{ ...deep(levels - 1), key: 'a' }, task('Rest')],
      });
    await room.submit([
      task('Two', { minutes: 90, subtasks: parts(2, 15) }),
      task('Eight', { minutes: 90, subtasks: parts(8, 45) }),
      task('One', { minutes: 90, subtasks: parts(1) }),
      task('Short', { minutes: 90, subtasks: parts(2, 14) }),
      task('Long', { minutes: 120, subtasks: parts(2, 46) }),
      { ...deep(3), title: 'Three levels' },
      { ...deep(4), title: 'Four levels' },
    ]);
    const byTitle = (title: string) => openIn(room.orchestrator).find(({ item }) => item.title === title)!;
    const why = (title: string) => [byTitle(title).status, byTitle(title).because];
    expect(['Two', 'Eight'].map((title) => byTitle(title).status)).toEqual(['decomposed', 'decomposed']);
    expect(why('One')).toEqual(['blocked', '1 subtasks are too few: 2 are the least']);
    expect(why('Short')).toEqual([
      'blocked',
      '"Part 1" is shorter than 15 minutes; "Part 2" is shorter than 15 minutes',
    ]);
    expect(why('Long')).toEqual([
      'blocked',
      expect.stringContaining('"Part 1" is longer than 45 minutes and has no subtasks'),
    ]);
    expect(byTitle('Three levels').status).toBe('decomposed');
    expect(openIn(room.orchestrator).filter(({ item }) => item.depth > 3)).toEqual([]);
    expect(room.tickets().map(({ assignee }) => assignee)).toEqual(room.tickets().map(() => 'ada'));
  });

  it('MX-105: regroups more than eight subtasks, and keeps their order', async () => {
    await open(passes);
    const subtasks = Array.from({ length: 20 }, (_, at) =>
      task(`Step ${at}`, { minutes: 20, ...(at > 0 && { dependsOn: [`Step ${at - 1}`] }) }),
    );
    await room.submit([task('Many', { minutes: 400, subtasks })]);
    const rows = () => recordsIn(room.orchestrator);
    expect(rows().filter(({ item }) => item.parent === 'TASK-001').length).toBeLessThanOrEqual(8);
    const done: string[] = [];
    while (openIn(room.orchestrator).length > 0) {
      const { directive } = await room.next('cc');
      // A group that fits is one task.
      done.push(...directive!.title.split(', '));
      await room.done('cc', directive!.taskId);
      await room.test.advance(2 * MINUTE_MS);
    }
    expect(done).toEqual(subtasks.map(({ title }) => title));
    expect(rows().map(({ status }) => status)).toEqual(rows().map(() => 'verified'));
  });

  it('MX-105: returns what nobody can break down to its owner, and takes a port for it', async () => {
    await open();
    await room.submit([task('Large', { minutes: 200 })]);
    await room.test.advance(SECOND_MS);
    expect(room.task('TASK-001')).toMatchObject({
      status: 'blocked',
      because: 'nobody can break it down: it needs a manual breakdown',
    });
    await room.answer(room.tickets()[0]!.id, 'give up');
    expect(room.task('TASK-001')).toMatchObject({ status: 'failed', because: 'ada has given it up' });
    await room.test.system.stop();

    await open({ ports: { decompose: () => Promise.resolve(parts(3)) } });
    await room.submit([task('Large', { minutes: 200 })]);
    await room.test.advance(SECOND_MS);
    expect(statuses()).toEqual(['TASK-001 decomposed', 'TASK-002 ready', 'TASK-003 ready', 'TASK-004 ready']);
  });
});

describe('a pull from the queue', () => {
  it('MX-046: gives only tasks that the Planning Team has planned', async () => {
    await open();
    await room.submit([task('A')]);
    await room.next('cc');
    const [, pulled] = await room.handoffs();
    expect(pulled!.decisions.map(({ gate, value, threshold, isPassed }) => [gate, value, threshold, isPassed])).toEqual(
      [
        ['origin', 1, 1, true],
        ['size', 30, 45, true],
        ['context', 1, 1, true],
        ['places', 3, 1, true],
      ],
    );
  });

  it('MX-047, MX-074: sends a task that has become too large back to the Planning Team', async () => {
    await open();
    await room.submit([task('A'), task('B')]);
    await person('tasks.change', 'TASK-001', { minutes: 46 });
    expect((await room.next('cc')).directive?.taskId).toBe('TASK-002');
    await room.test.advance(SECOND_MS);
    const refused = (await room.handoffs()).find(({ isAccepted }) => !isAccepted);
    expect(refused).toMatchObject({ item: 'TASK-001', because: 'Task too large. Needs decomposition first. (size)' });
    expect((await room.accepted()).filter((one) => one.startsWith('1: '))).toEqual(['1: TASK-001']);
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', reason: 'size', coder: null, attempts: 0 });
    await person('tasks.change', 'TASK-001', { minutes: 45 });
    expect((await room.next('dd')).directive?.taskId).toBe('TASK-001');
  });

  it('MX-048: asks for the context of a task that has none, and takes the answer as its criterion', async () => {
    await open();
    await room.submit([task('A', { acceptance: [] })]);
    expect(await room.next('cc')).toMatchObject({ directive: null, because: 'no task is ready' });
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', reason: 'context' });
    expect(room.tickets()).toMatchObject([{ title: 'When is TASK-001 done? A', assignee: 'ada' }]);
    await room.answer(room.tickets()[0]!.id, 'The form rejects short passwords.');
    expect((await room.next('cc')).directive?.acceptanceCriteria).toEqual(['The form rejects short passwords.']);
  });

  it('MX-049: waits for a free session, and tells people when nobody asks for tasks', async () => {
    await open({ places: 1 });
    await room.submit([task('A'), task('B')]);
    await room.test.advance(11 * MINUTE_MS);
    const alerts = openIn(room.context<AlertDeskContext>('alerts'));
    expect(alerts.map(({ title }) => title)).toEqual(['2 tasks wait, and no coding agent asks for one']);
    await room.next('cc');
    expect(await room.next('dd')).toMatchObject({
      directive: null,
      because: 'as many sessions work as may',
      queueLength: 1,
    });
  });

  it('MX-050: gives a directive with the task, its criteria, its files and its guide of style', async () => {
    await open();
    const more = { description: 'With e-mail.', files: ['src/login.tsx'], style: 'docs/design-system.md' };
    await room.submit([task('Login form', more)]);
    expect((await room.next('cc')).directive).toEqual({
      ...{ taskId: 'TASK-001', title: 'Login form', description: 'With e-mail.', relatedFiles: ['src/login.tsx'] },
      ...{ acceptanceCriteria: ['Login form works'], style: 'docs/design-system.md', plan: 'shop', priority: 2 },
      ...{ minutes: 30, notes: [], attempt: 1 },
    });
  });

  it('gives a session that asks again the task that it has, also after a power cut', async () => {
    await open();
    await room.submit([task('A'), task('B')]);
    const first = await room.next('cc');
    await room.powerCut();
    expect((await room.next('cc')).directive).toEqual(first.directive);
    expect(room.orchestrator.working.size).toBe(1);
  });

  it('CN-004: keeps of each work item its kind, estimate, needs, priority, origin, parent and context', async () => {
    await open();
    await room.submit([
      task('A', { minutes: 90, concerns: ['ui'], priority: 1, subtasks: [task('B'), task('C', { dependsOn: ['B'] })] }),
    ]);
    expect(room.task('TASK-003').item).toEqual({
      ...{ id: 'TASK-003', kind: 'feature', title: 'C', description: '', minutes: 30, concerns: ['backend'] },
      ...{ dependencies: ['TASK-002'], priority: 1, origin: 'planning', parent: 'TASK-001', depth: 1, owner: 'ada' },
      context: { plan: 'shop', acceptance: ['C works'], files: [], style: null },
    });
    expect(room.task('TASK-003').status).toBe('pending');
  });
});

describe('the queue', () => {
  const pulled = async (coders: readonly string[]) => {
    const given: (string | null)[] = [];
    for (const coder of coders) given.push((await room.next(coder)).directive?.title ?? null);
    return given;
  };

  it('MX-103, CN-006: gives the most urgent first, in the order of arrival, and mending before new work', async () => {
    await open({ places: 9 });
    const plan = [task('third', { priority: 3 }), task('second'), task('fix', { kind: 'fix' }), task('also second')];
    await room.submit([...plan, task('first', { priority: 1 })]);
    expect(await pulled(['a', 'b', 'c', 'd', 'e'])).toEqual(['first', 'fix', 'second', 'also second', 'third']);
  });

  it('MX-103: has one task of priority 1 in progress, and nothing less urgent begin while another waits', async () => {
    await open({ ...passes, places: 3 });
    await room.submit([task('one', { priority: 1 }), task('two', { priority: 1 }), task('less')]);
    expect(await pulled(['a', 'b'])).toEqual(['one', null]);
    expect((await room.next('b')).because).toBe('a more urgent task has to be done first');
    await room.done('a', 'TASK-001');
    expect(await pulled(['a', 'b'])).toEqual(['two', 'less']);
  });

  it('MX-103: has what a task of priority 1 waits for begin first', async () => {
    await open({ places: 3 });
    await room.submit([
      task('less'),
      task('base', { priority: 3 }),
      task('urgent', { priority: 1, dependsOn: ['base'] }),
    ]);
    expect(await pulled(['a', 'b'])).toEqual(['base', 'less']);
  });

  it('MX-106: has three sessions at once, and more when a person says so', async () => {
    await open();
    await room.submit(['A', 'B', 'C', 'D'].map((title) => task(title)));
    expect(await pulled(['a', 'b', 'c', 'd'])).toEqual(['A', 'B', 'C', null]);
    await room.order('delivery/orchestrator', { type: 'tasks.places', places: 4, by: 'ada' });
    expect(await pulled(['d'])).toEqual(['D']);
  });

  it('MX-104: holds tasks in the box of 15 to 45 minutes, of one concern, and closes them by a check', async () => {
    await open(passes);
    await room.submit([task('A', { minutes: 400, subtasks: parts(9, 45) })]);
    const queued = [...room.orchestrator.queue.values()].map(({ id }) => room.task(id).item);
    expect(queued.length).toBe(9);
    for (const { minutes, concerns, context } of queued) {
      expect(minutes).toBeGreaterThanOrEqual(15);
      expect(minutes).toBeLessThanOrEqual(45);
      expect([concerns.length, context.acceptance.length]).toEqual([1, 1]);
    }
  });
});

describe('a session', () => {
  it('MX-106: is pinged after 30 s of silence, three times, and then its owner is asked', async () => {
    await open();
    await room.submit([task('A')]);
    await room.next('cc');
    await room.test.advance(29 * SECOND_MS);
    expect(room.task('TASK-001').pings).toBe(0);
    await room.report('cc', 'TASK-001', { percent: 10 });
    await room.test.advance(30 * SECOND_MS);
    expect(room.task('TASK-001')).toMatchObject({ status: 'in_progress', pings: 1 });
    await room.powerCut();
    await room.test.advance(20 * SECOND_MS);
    expect(room.task('TASK-001').pings).toBe(3);
    await room.test.advance(10 * SECOND_MS);
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', reason: 'stall' });
    expect(room.tickets()).toMatchObject([{ title: 'TASK-001 stands still: A', assignee: 'ada', task: 'TASK-001' }]);
    expect(room.orchestrator.working.size).toBe(0);
  });

  it('MX-106: goes on after all, which settles the ticket, or another one takes over', async () => {
    await open();
    await room.submit([task('A')]);
    await room.next('cc');
    await room.test.advance(2 * MINUTE_MS);
    expect(await room.report('cc', 'TASK-001')).toMatchObject({
      cascaded: { ticketsResolved: ['TK-0001'], tasksUnblocked: ['TASK-001'] },
    });
    expect([room.status('TASK-001'), room.tickets().length]).toEqual(['in_progress', 0]);
    await room.test.advance(2 * MINUTE_MS);
    await room.answer('TK-0002', 'try again');
    expect((await room.next('dd')).directive).toMatchObject({ taskId: 'TASK-001', attempt: 2 });
    expect(await room.report('cc', 'TASK-001')).toMatchObject({ taken: false, code: 'conflict' });
    expect(await room.done('cc', 'TASK-001')).toMatchObject({
      taken: false,
      problems: ['TASK-001 is not with cc: dd has it, or had it last'],
    });
  });

  it('MX-106: has a failed task tried again after 5, 10 and 20 s, and then asks its owner', async () => {
    await open();
    await room.submit([task('A')]);
    for (const seconds of [5, 10, 20]) {
      await room.next('cc');
      await room.done('cc', 'TASK-001', { status: 'failed', details: 'the compiler crashes' });
      await room.test.advance(seconds * SECOND_MS - 1);
      expect(room.status('TASK-001')).toBe('blocked');
      await room.test.advance(1);
      expect(room.status('TASK-001')).toBe('ready');
    }
    expect((await room.next('cc')).directive?.notes).toEqual(Array(3).fill('Failed: the compiler crashes'));
    await room.report('cc', 'TASK-001', { status: 'failed', details: 'again' });
    const [ticket] = room.task('TASK-001').tickets;
    const asked = room.tickets().find(({ id }) => id === ticket);
    expect(asked).toMatchObject({ title: 'TASK-001 fails: A', assignee: 'ada' });
    await room.answer(ticket!, 'Use node 22.');
    expect((await room.next('cc')).directive?.notes.at(-1)).toBe('ada: Use node 22.');
  });

  it('MX-102: moves its task through its statuses', async () => {
    await open({ ports: { verify: () => Promise.resolve({ failures: [] }) } });
    await room.submit([task('A'), task('B', { dependsOn: ['A'] }), task('C', { minutes: 60, subtasks: parts(2) })]);
    await room.next('cc');
    await room.done('cc', 'TASK-001', { status: 'partial', details: 'half' });
    await room.next('cc');
    await room.report('cc', 'TASK-001', { status: 'blocked', details: 'no database' });
    await room.order('delivery/orchestrator', {
      type: 'tasks.unblock',
      task: 'TASK-001',
      by: 'ada',
      note: 'There is one now.',
    });
    await room.next('cc');
    await room.done('cc', 'TASK-001');
    await person('tasks.fail', 'TASK-002', { reason: 'not needed' });
    await room.test.advance(2 * MINUTE_MS);
    const seen = room.emitted.filter(({ type }) => type === 'task.stands').map(({ status }) => status as string);
    expect([...new Set(seen)].sort()).toEqual([...WORK_STATUSES].sort());
    const first = room.emitted.filter(({ type, task: id }) => type === 'task.stands' && id === 'TASK-001');
    const changes = first.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1]);
    expect(changes).toEqual([
      ...['pending', 'ready', 'in_progress', 'partial', 'in_progress', 'blocked'],
      ...['ready', 'in_progress', 'in_verification', 'verified'],
    ]);
  });

  it('MX-107: asks at most eight questions about its task, and no person by itself', async () => {
    await open({}, { answers: answering(93) });
    await room.submit([task('A')]);
    await room.next('cc');
    const ask = (question: string) =>
      room.test.system.ask<{ status: string; problems: string[] }>('answers', {
        ...{ type: 'answers.ask', asker: 'cc', maxWaitMs: 5_000 },
        bundle: { question, confidence_level: 50, current_task_id: 'TASK-001' },
      });
    for (let at = 0; at < 8; at += 1) {
      const asked = ask(`${PORT_QUESTION.replace('service', `service ${at}`)}`);
      await room.test.advance(SECOND_MS);
      expect((await asked).status).toBe('answered');
    }
    const ninth = ask('Which queue has the mail service to read, in or out?');
    await room.test.advance(SECOND_MS);
    expect(await ninth).toMatchObject({
      status: 'refused',
      problems: [expect.stringContaining('8 questions about TASK-001')],
    });
    expect(room.task('TASK-001').questions).toBe(8);
    expect(room.tickets()).toEqual([]);
  });
});

describe('a chain of tasks', () => {
  it('MX-073, MX-E15, MX-087: goes from the plan to the dashboard: broken down, pulled, done, checked', async () => {
    await open(passes);
    const subtasks = [
      task('Schema', { minutes: 30 }),
      task('Routes', { minutes: 25, dependsOn: ['Schema'] }),
      task('Form', { minutes: 20, dependsOn: ['Routes'] }),
    ];
    await room.submit([task('Accounts', { minutes: 75, subtasks })]);
    for (const id of ['TASK-002', 'TASK-003', 'TASK-004']) {
      expect((await room.next('cc')).directive?.taskId).toBe(id);
      expect(await room.next('dd')).toMatchObject({ directive: null });
      await room.done('cc', id);
      await room.test.advance(59 * SECOND_MS);
      expect(room.status(id)).toBe('in_verification');
      await room.test.advance(2 * SECOND_MS);
      expect(room.status(id)).toBe('verified');
    }
    expect(room.status('TASK-001')).toBe('verified');
    expect(await room.accepted()).toEqual([
      ...['1: TASK-001', '2: TASK-001', '3: TASK-002', '3: TASK-003', '3: TASK-004'],
      ...['4: TASK-002', '7: TASK-002', '4: TASK-003', '7: TASK-003', '4: TASK-004', '7: TASK-004'],
    ]);
    expect(room.dashboard.checks.get('TASK-004')).toMatchObject({ matches: ['Form works'], remaining: [] });
  });

  it('MX-E04: asks in the middle, has the answer, and goes on to its check', async () => {
    await open(passes, { answers: answering(93) });
    await room.submit([task('Create POST /auth/register endpoint', { minutes: 40 })]);
    await room.next('cc');
    const asked = room.test.system.ask<{ status: string; answer: string }>('answers', {
      ...{ type: 'answers.ask', asker: 'cc', maxWaitMs: 15_000 },
      bundle: { question: PORT_QUESTION, confidence_level: 60, current_task_id: 'TASK-001' },
    });
    await room.test.advance(10 * SECOND_MS);
    expect(await asked).toMatchObject({ status: 'answered', answer: expect.stringContaining('north') });
    expect(room.status('TASK-001')).toBe('in_progress');
    await room.done('cc', 'TASK-001');
    expect(await room.accepted()).toEqual(['3: TASK-001', '4: TASK-001', '5: TASK-001', '7: TASK-001']);
  });

  it('MX-087: has a check that fails mended before its task is complete, at most three times', async () => {
    await open({
      ports: { verify: () => Promise.resolve({ failures: [{ test: 'adds' }] }) },
    });
    await room.submit([task('A'), task('B', { dependsOn: ['A'] })]);
    await room.next('cc');
    await room.done('cc', 'TASK-001');
    for (const fix of ['TASK-003', 'TASK-004', 'TASK-005']) {
      await room.test.advance(2 * MINUTE_MS);
      expect(room.task('TASK-001')).toMatchObject({ status: 'in_verification', reason: 'fix' });
      expect((await room.next('cc')).directive).toMatchObject({ taskId: fix, title: 'Fix: adds' });
      await room.done('cc', fix);
    }
    await room.test.advance(3 * MINUTE_MS);
    expect(room.task('TASK-001')).toMatchObject({
      status: 'blocked',
      reason: 'checks',
      because: '3 fixes have not mended it: still: adds',
    });
    await room.answer(room.task('TASK-001').tickets[0]!, 'give up');
    expect([room.status('TASK-001'), room.task('TASK-002').because]).toEqual([
      'failed',
      'needs TASK-001, which has failed',
    ]);
  });
});
