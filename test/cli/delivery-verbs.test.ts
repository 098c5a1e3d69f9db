/** `bosun tasks` and `bosun org` with a real desk, killed and started again in between. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, type Process, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const served = () => work.spawn(['desk', 'shop', '--data', 'desk', '--port', '0', '--json']).serves();
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'desk']);

/** Lines of a verb with `--json`. */
async function records(...args: string[]): Promise<Record<string, unknown>[]> {
  return linesOf((await bosun(...args, '--json')).out) as unknown as Record<string, unknown>[];
}

/** The status of each task, once they are as is awaited. */
async function statuses(awaited: Readonly<Record<string, string>>): Promise<void> {
  const seen = (out: string) => Object.fromEntries(linesOf(out).map((line) => Object.values(pickOf(line))));
  const args = ['tasks', 'list', '--json', '--data', 'desk'];
  const { out } = await work.looks(args, (ended) => JSON.stringify(seen(ended.out)) === JSON.stringify(awaited));
  expect(seen(out)).toEqual(awaited);
}

function pickOf(line: object): { id: string; status: string } {
  const { id, status } = line as { id: string; status: string };
  return { id, status };
}

/** The next task of a coding session. */
const next = () => bosun('call', 'tasks.next', '{}');

let desk: Process;

beforeAll(async () => {
  mkdirSync(work.file('shop'));
  work.write(
    'plan.json',
    JSON.stringify({
      name: 'shop',
      owner: 'ada',
      tasks: [
        { key: 'schema', title: 'Table of users', minutes: 30, acceptance: ['a migration makes it'] },
        { title: 'Login form', minutes: 40, dependsOn: ['schema'], acceptance: ['a user can log in'] },
        {
          ...{ title: 'Reports', minutes: 90, acceptance: ['month and year'] },
          subtasks: [
            { title: 'Month', minutes: 40 },
            { title: 'Year', minutes: 40, dependsOn: ['Month'] },
          ],
        },
        { title: 'Colours', minutes: 20, priority: 3 },
      ],
    }),
  );
  desk = await served();
});

describe('bosun tasks', () => {
  it('takes a plan, and shows its tasks after kill -9', async () => {
    const { code, out } = await bosun('tasks', 'add', 'plan.json', '--by', 'bob');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split('  ')[0])).toEqual([
      ...['TASK', 'TASK-001', 'TASK-002', 'TASK-003', 'TASK-004'],
      ...['next: bosun tasks list; agents get them by getNextTask of bosun mcp', ''],
    ]);
    const whole = {
      ...{ 'TASK-001': 'ready', 'TASK-002': 'pending', 'TASK-003': 'decomposed' },
      ...{ 'TASK-004': 'ready', 'TASK-005': 'ready', 'TASK-006': 'pending' },
    };
    await statuses(whole);
    expect((await desk.end('SIGKILL')).code).toBe(null);
    desk = await served();
    await statuses(whole);
    const listed = (await bosun('tasks', 'list')).out.split('\n');
    expect(listed[0]).toMatch(/^ID +STATE +P +MIN +WITH +TITLE +BECAUSE$/);
    expect(listed[2]).toMatch(/^TASK-002 +pending +2 +40 +Login form +waits for TASK-001$/);
    expect(listed[3]).toMatch(/^TASK-003 +decomposed +2 +90 +Reports +parts to go: 2$/);
    expect(listed[7]).toBe('2 pending, 3 ready, 1 decomposed, 3 queued, 0 of 3 sessions at work');
    expect(await records('tasks', 'list', '--status', 'decomposed')).toMatchObject([{ id: 'TASK-003' }]);
  });

  it('shows a task with its criteria, its session, its notes and its hand-offs', async () => {
    await next();
    const { out } = await work.looks(['tasks', 'show', 'TASK-001', '--data', 'desk'], (ended) =>
      ended.out.includes('in_progress'),
    );
    expect(out).toMatch(/^state +in_progress$/m);
    expect(out).toMatch(/^with +operator$/m);
    expect(out).toMatch(/^owner +ada$/m);
    expect(out).toMatch(/^criterion +a migration makes it$/m);
    expect(out).toMatch(/^hand-off +1 .* planned +planning +orchestrator +row 3\n^hand-off .* pulled .* row 4$/m);

    const blocked = { task_id: 'TASK-001', status: 'blocked', details: 'there is no database' };
    await bosun('call', 'tasks.report', JSON.stringify(blocked));
    const withTicket = await work.looks(['tasks', 'show', 'TASK-001', '--data', 'desk'], (ended) =>
      ended.out.includes('TK-0001'),
    );
    expect(withTicket.out).toMatch(/^because +there is no database$/m);
    expect((await bosun('tasks', 'list')).out).toMatch(/^TASK-001 +blocked .* there is no database$/m);
  });

  it('lets a blocked task go on with a note, whose ticket is closed', async () => {
    const unblocked = await bosun('tasks', 'unblock', 'TASK-001', '--note', 'use SQLite', '--by', 'ada');
    expect(unblocked).toMatchObject({ code: 0, out: 'unblock TASK-001: done, by ada\n' });
    await work.looks(['tickets', 'list', '--json', '--data', 'desk'], ({ out }) => out === '');
    expect((await records('tasks', 'show', 'TASK-001'))[0]).toMatchObject({
      ...{ status: 'ready', notes: ['ada: use SQLite'], tickets: [] },
      handoffs: [{ occasion: 'pulled', row: 4 }, { occasion: 'planned' }],
    });
    expect(await bosun('tasks', 'unblock', 'TASK-001')).toMatchObject({ code: 5, err: 'TASK-001 is ready\n' });
  });

  it('changes priority, estimate and places, and refuses a change of nothing', async () => {
    expect(await records('tasks', 'change', 'TASK-004', '--priority', '1', '--by', 'ada')).toEqual([
      { task_id: 'TASK-004', priority: 1, by: 'ada', taken: true, problems: [] },
    ]);
    await bosun('tasks', 'change', 'TASK-004', '--minutes', '25');
    expect((await records('tasks', 'show', 'TASK-004'))[0]).toMatchObject({ priority: 1, minutes: 25 });
    expect(await bosun('tasks', 'change', 'TASK-004')).toMatchObject({ code: 2, out: '' });
    expect(await bosun('tasks', 'places', '2')).toMatchObject({ code: 0 });
    expect((await bosun('tasks', 'list')).out).toContain('0 of 2 sessions at work');
    for (const count of ['0', 'many']) expect(await bosun('tasks', 'places', count)).toMatchObject({ code: 2 });
  });

  it('gives up a task with what needs it', async () => {
    expect(await bosun('tasks', 'fail', 'TASK-005')).toMatchObject({ code: 2 });
    expect(await bosun('tasks', 'fail', 'TASK-005', '--reason', 'no data', '--by', 'ada')).toMatchObject({ code: 0 });
    await statuses({
      ...{ 'TASK-001': 'ready', 'TASK-002': 'pending', 'TASK-003': 'failed' },
      ...{ 'TASK-004': 'ready', 'TASK-005': 'failed', 'TASK-006': 'failed' },
    });
    const listed = (await bosun('tasks', 'list')).out;
    expect(listed).toMatch(/^TASK-005 .* given up by ada: no data$/m);
    expect(listed).toMatch(/^TASK-003 .* needs TASK-005, which has failed$/m);
  });

  it('exits with 2 for a task that there is not', async () => {
    const { code, err } = await bosun('tasks', 'show', 'TASK-999');
    expect([code, err]).toEqual([2, 'no task "TASK-999"; bosun tasks list shows them\n']);
  });
});

describe('bosun tasks add', () => {
  const task = (fields: object) => JSON.stringify({ name: 'x', tasks: [{ title: 'a', minutes: 20, ...fields }] });

  it.each([
    ['an empty one', '', 'wrong.json:1:1: the file is empty'],
    ['one that is not JSON', '{ "name": ', 'wrong.json:1:11: flow map'],
    [
      'an unknown field',
      task({ minute: 1 }),
      'wrong.json:1:48: tasks[0]: unknown key "minute"; did you mean "minutes"?',
    ],
    ['an unknown priority', task({ priority: 'P1' }), 'tasks[0].priority: must be 1 or 2 or 3, not the text "P1"'],
    ['a long title', task({ title: 'a'.repeat(201) }), 'tasks[0].title: must have 200 characters or fewer'],
    ['no tasks', '{"name":"x","tasks":[]}', 'wrong.json:1:21: tasks: a plan has at least one task, or a feature'],
    [
      'the plan of a run',
      'name: x\ntasks:\n  a: { run: "true" }\n',
      'wrong.json:3:3: tasks: must be a list, not a map',
    ],
  ])('exits with 2 and the place for %s', async (_, text, said) => {
    work.write('wrong.json', text);
    const { code, out, err } = await bosun('tasks', 'add', 'wrong.json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(said);
    expect(err.split('\n')).toHaveLength(2);
  });

  it('exits with 2 for a missing file and a directory', async () => {
    mkdirSync(work.file('folder.json'));
    expect(await bosun('tasks', 'add', 'nowhere.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no such file') as string,
    });
    expect(await bosun('tasks', 'add', 'folder.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('it is a directory') as string,
    });
  });

  it.each([
    [
      'no estimate',
      '{"title":"a"},\n{"title":"b","minutes":9}',
      '1:22: tasks[0]: "a" has no estimate: give its minutes',
    ],
    [
      'no estimate of a subtask',
      '{"title":"a","minutes":90,"subtasks":[\n{"title":"b","minutes":40},\n{"title":"c"}]}',
      '3:1: tasks[0].subtasks[1]: "c" has no estimate: give its minutes',
    ],
    [
      'a dependency that is not there',
      '{"title":"a","minutes":9},\n{"title":"b","minutes":9,"dependsOn":["c"]}',
      '2:1: tasks[1]: "b" depends on "c", which is not beside it',
    ],
    [
      'a cycle',
      '{"title":"a","minutes":9,"dependsOn":["b"]},\n{"title":"b","minutes":9,"dependsOn":["a"]}',
      ': tasks wait for each other: ',
    ],
    [
      'twins',
      '{"title":"a","minutes":9},\n{"title":"a","minutes":9}',
      '2:1: tasks[1]: "a" is there twice: give one of them another key',
    ],
  ])('exits with 5 and the place where the Planning Team refuses it for %s', async (_, tasks, said) => {
    const before = await records('tasks', 'list');
    work.write('wrong.json', `{"name":"x","tasks":[${tasks}]}`);
    const { code, out, err } = await bosun('tasks', 'add', 'wrong.json');
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toContain(said);
    expect(err).toMatch(/^wrong\.json:\d+:\d+: .*\n$/);
    expect(await records('tasks', 'list')).toEqual(before);
    const told = linesOf((await bosun('tasks', 'add', 'wrong.json', '--json')).err);
    expect(told).toEqual([{ type: 'error', code: 'BOSUN_EVENT_REFUSED', message: err.trimEnd() }]);
  });
});

describe('a finished task', () => {
  it('is shown with its last check, its fix and its investigation', async () => {
    work.write(
      'check.json',
      JSON.stringify({
        name: 'check',
        owner: 'ada',
        tasks: [{ title: 'Search', minutes: 30, priority: 1, acceptance: ['finds words', 'is fast'] }],
      }),
    );
    const [added] = await records('tasks', 'add', 'check.json');
    const id = added!['task'] as string;
    await bosun('tasks', 'change', 'TASK-004', '--priority', '3');
    expect(JSON.parse((await next()).out)).toMatchObject({ task: { taskId: id } });
    await bosun('call', 'tasks.done', JSON.stringify({ task_id: id, files: ['src/search.ts'] }));
    await bosun('call', 'tasks.failure', JSON.stringify({ task_id: id, test: 'finds umlauts' }));
    const { out } = await work.looks(['tasks', 'show', id, '--data', 'desk'], (ended) => ended.out.includes('fixes'));
    expect(out).toMatch(/^checks +1, 100 % met at the last$/m);
    expect(out).toMatch(/^met +finds words$/m);
    expect(out).toMatch(/^not met +finds umlauts$/m);
    expect(out).toMatch(/^fixes +TASK-\d{3}$/m);
    expect(out).toMatch(/^investigations +TK-\d{4}$/m);
    await bosun('tasks', 'fail', id, '--reason', 'not needed');
    await bosun('tasks', 'change', 'TASK-004', '--priority', '1');
  });
});

describe('bosun org', () => {
  it('shows the teams, the gates and the table of responsibilities', async () => {
    const { out } = await bosun('org', 'show');
    expect(out).toMatch(/^planning +2 +Planning Team +idle +0 +boss-ai, user$/m);
    expect(out).toMatch(/^size +at most 45 +fits +Task too large/m);
    const raci = await records('org', 'raci');
    expect(raci.map(({ row, accountable }) => [row, accountable])).toEqual([
      ...[
        [1, 'decomposition'],
        [2, 'planning'],
        [3, 'orchestrator'],
        [4, 'coding-ai'],
        [5, 'answers'],
      ],
      ...[
        [6, 'user'],
        [7, 'verification'],
        [8, 'orchestrator'],
        [9, 'user'],
        [10, 'orchestrator'],
      ],
    ]);
    expect((await bosun('org', 'raci')).out).toMatch(/^7 +done .* orchestrator, coding-ai +verification +planning /m);
  });

  it('drains a team, which gets nothing until it is resumed', async () => {
    expect(await bosun('org', 'set', 'coding-ai', '--drained', '--by', 'ada')).toMatchObject({ code: 0 });
    await work.looks(['tasks', 'list', '--data', 'desk'], ({ out }) => out.includes('at work, drained'));
    expect(JSON.parse((await next()).out)).toMatchObject({ success: false, task: null });
    expect(await bosun('org', 'set', 'coding-ai', '--resume')).toMatchObject({ code: 0 });
    await work.looks(['tasks', 'list', '--data', 'desk'], ({ out }) => !out.includes('drained'));
    for (const wrong of [[], ['--drained', '--resume']])
      expect(await bosun('org', 'set', 'coding-ai', ...wrong)).toMatchObject({ code: 2 });
    expect(await bosun('org', 'set', 'nobody', '--drained')).toMatchObject({ code: 2 });
    expect(await bosun('org', 'set', 'critic', '--drained')).toMatchObject({
      code: 5,
      err: expect.stringContaining('Critic Team') as string,
    });
  });

  it('shows the figures of tasks and hand-offs', async () => {
    const { out } = await bosun('org', 'metrics');
    expect(out).toMatch(/^tasks +verified: 0, failed: 5, open: 3$/m);
    expect(out).toMatch(/^done to verified ms +nothing to count yet$/m);
    expect(await records('org', 'metrics')).toMatchObject([{ tasks: { failed: 5 }, checks: 1, refused_handoffs: 0 }]);
  });

  it('lists hand-offs, refused ones with what each gate decided', async () => {
    // The most urgent one, which has no criteria.
    await next();
    const args = ['org', 'handoffs', '--task', 'TASK-004'];
    const { out } = await work.looks([...args, '--data', 'desk'], (ended) => ended.out.includes('refused'));
    expect(out).toMatch(
      / TASK-004 +pulled +orchestrator +refused .*size 25 \(at most 45\): fits; context 0 \(at least 1\): has no/,
    );
    const entries = await records(...args);
    expect(entries.map(({ occasion, isAccepted }) => [occasion, isAccepted])).toEqual([
      ['pulled', false],
      ['planned', true],
    ]);
    expect(await records('org', 'handoffs', '--limit', '1')).toHaveLength(1);
    expect(await bosun('org', 'handoffs', '--task', 'TASK-999')).toMatchObject({ code: 0, out: '' });
  });

  it('takes a feature without tasks of its own as a task, and what is decided does not wait for the rest', async () => {
    const features = [
      { id: 'F1', title: 'Sums', mandatory: true, minutes: 20, acceptance: ['it adds'] },
      { id: 'F2', title: 'Analytics Dashboard', mandatory: 'unknown', confidence: 30, minutes: 30 },
    ];
    const plan = { name: 'sums', projectType: 'web_app', goal: 'Sums for children', owner: 'ada', features };
    work.write('features.json', JSON.stringify(plan));
    const added = await records('tasks', 'add', 'features.json');
    expect(added).toMatchObject([{ title: 'Sums' }, { title: 'Analytics Dashboard' }]);
    const shown = async (at: number) => (await records('tasks', 'show', String(added[at]!['task'])))[0];
    await work.looks(['tasks', 'list', '--json', '--data', 'desk'], ({ out }) =>
      linesOf(out).some((one) => JSON.stringify(one).includes('"Sums"') && pickOf(one).status === 'ready'),
    );
    expect(await shown(1)).toMatchObject({ status: 'pending' });
    const tickets = await records('tickets', 'list');
    const { id } = tickets.find(({ title }) => String(title).includes('Analytics Dashboard'))!;
    expect(
      await bosun('tickets', 'resolve', String(id), 'post-launch', '--by', 'ada', '--reason', 'later'),
    ).toMatchObject({
      code: 0,
    });
    await work.looks(['tasks', 'show', String(added[1]!['task']), '--data', 'desk'], ({ out }) =>
      out.includes('Phase 2'),
    );
  });
});
