/** Procedures of the delivery organisation: coding agents by MCP and programs by HTTP, through a real gateway. */
import { describe, expect, it } from 'vitest';
import { answerProcedures, deliveryProcedures, ticketProcedures } from 'bosun/crew';
import { type Client } from '@modelcontextprotocol/client';
import { type DeliveryOptions } from '../src/machines/delivery/crew.ts';
import { TEAM_IDS } from '../src/machines/delivery/organisation/teams.ts';
import { type WrittenTask } from '../src/machines/delivery/plans/plan-document.ts';
import { type TaskContext } from '../src/machines/delivery/tasks/task-state.ts';
import { AGENT_TOKEN, DESK_TOKENS, deskByMcp, type DeskByMcp } from './support/gateway/desk-by-mcp.ts';
import { type Era, ERAS, errorOf, type McpClient, toldBy } from './support/gateway/mcp-clients.ts';
import { task } from './support/machines/delivery-room.ts';

const TOKENS = [...DESK_TOKENS, AGENT_TOKEN, { id: 'helper', token: 'a-long-random-secret-of-the-helper' }];

type Answer = Record<string, unknown>;

/** A delivery organisation behind a gateway. Its coding agents have listed the tools, and check results by them. */
class Delivery {
  readonly desk: DeskByMcp;

  constructor(desk: DeskByMcp) {
    this.desk = desk;
  }

  static async start(delivery: DeliveryOptions = {}): Promise<Delivery> {
    return new Delivery(await deskByMcp(deliveryProcedures, { delivery, tokens: TOKENS }));
  }

  async agent(era: Era = 'of 2026', id = 'coder'): Promise<McpClient> {
    const agent = await this.desk.client(era, id, 'coder,hub,runtime');
    await agent.tools();
    return agent;
  }

  /** Hands in a plan in the name of a person. */
  plan(tasks: readonly WrittenTask[], more: object = {}): Promise<Answer> {
    return this.order('tasks.submit', { plan: { name: 'shop', owner: 'ada', tasks, ...more }, by: 'ada' });
  }

  /** Calls a procedure by HTTP, as a person by default. */
  order(procedure: string, params: object, id = 'phone'): Promise<Answer> {
    return this.desk.order(procedure, params, id);
  }

  async task(task_id: string): Promise<Answer> {
    return (await this.order('tasks.show', { task_id }))['task'] as Answer;
  }

  async pass(ms: number): Promise<void> {
    await this.desk.test.clock.advance(ms, () => this.desk.test.settle());
  }

  actor<Context>(address: string): Context {
    return this.desk.test.shard.snapshot(address)!.context as Context;
  }
}

async function call(by: McpClient, tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const told = await by.call(tool, args);
  if (told.isError === true) throw new Error(JSON.stringify(errorOf(told)));
  return toldBy(told);
}

/** The error of a call that fails. */
async function failing(by: McpClient, tool: string, args: Record<string, unknown> = {}) {
  return errorOf(await by.call(tool, args));
}

const ID = 'TASK-001';
const NOTHING = { ticketsResolved: [], tasksUnblocked: [] };
const LOGIN = task('Login', {
  ...{ description: 'The form asks for a name.', files: ['src/login.tsx'], style: 'Material', priority: 1 },
});
const FILES = { task_id: ID, files: ['src/login.tsx'] };
const MINUTE_MS = 60_000;

describe.each(ERAS)('a coding agent %s', (era) => {
  it('MX-110: gets its next task with everything that it needs, and the same one again', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN, task('Logout'), task('Profile', { priority: 3 })]);
    const agent = await delivery.agent(era);
    const given = {
      ...{ success: true, because: null, queueLength: 2 },
      task: {
        ...{ taskId: ID, title: 'Login', description: 'The form asks for a name.', priority: 1, minutes: 30 },
        ...{ acceptanceCriteria: ['Login works'], relatedFiles: ['src/login.tsx'], style: 'Material' },
        ...{ plan: 'shop', notes: [], attempt: 1 },
      },
      nextTasksPreview: [
        { id: 'TASK-002', title: 'Logout', priority: 2 },
        { id: 'TASK-003', title: 'Profile', priority: 3 },
      ],
    };
    expect(await call(agent, 'getNextTask')).toEqual(given);
    expect(await call(agent, 'getNextTask', { filter: 'ready', priority: 2 })).toEqual(given);
  });

  it('MX-113: reports a task, and hears what to do next', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent(era);
    await call(agent, 'getNextTask');
    const metrics = { tokens_used: 1_200, time_seconds: 90, coverage_added: 2.5 };
    const said = { task_id: ID, progress_percent: 40, details: 'the form is there', metrics };
    const heard = { acknowledged: true, next_action: 'continue', cascaded: NOTHING };
    expect(await call(agent, 'reportTaskStatus', said)).toEqual(heard);
    expect(await call(agent, 'reportTaskStatus', said)).toEqual(heard);
    expect(await delivery.task(ID)).toMatchObject({ status: 'in_progress', percent: 40, coder: 'mcp:coder' });
    expect(delivery.actor<TaskContext>(`delivery/tasks/${ID}`).tokens).toBe(2_400);
  });

  it('MX-114: ends a task, which is then checked with all that was reported', async () => {
    const reports: unknown[] = [];
    const delivery = await Delivery.start({
      ports: { verify: ({ report }) => (reports.push(report), Promise.resolve({ failures: [] })) },
    });
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent(era);
    await call(agent, 'getNextTask');
    const report = {
      ...{ status: 'done', files: ['src/login.tsx'], testing: 'npm test passes' },
      criteria: [{ criterion: 'Login works', isMet: true }],
      observations: ['the old form is dead code'],
    };
    const followUpTasks = [{ title: 'Remove the old form', minutes: 20, details: 'Nothing uses it.' }];
    const said = { ...report, task_id: ID, statusDetails: 'as planned', followUpTasks };
    expect(await call(agent, 'reportTaskDone', said)).toEqual({
      ...{ taken: true, problems: [], next_action: 'get_next_task' },
    });
    expect(await delivery.task(ID)).toMatchObject({ status: 'in_verification', percent: 100 });
    await delivery.pass(MINUTE_MS);
    expect(reports).toEqual([{ ...report, details: 'as planned', followUps: expect.anything() as unknown }]);
    expect(await delivery.task(ID)).toMatchObject({ status: 'verified' });
    expect(await delivery.order('tasks.list', { after: 1 })).toMatchObject({
      tasks: [{ id: 'TASK-002', title: 'Remove the old form', description: 'Nothing uses it.', status: 'ready' }],
      counts: { verified: 1, ready: 1 },
    });
  });

  it('MX-114: is told by codes that a task is unknown, has no changed file, or is done already', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent(era);
    await call(agent, 'getNextTask');
    const done = (args: object) => failing(agent, 'reportTaskDone', { ...FILES, ...args });
    expect(await done({ task_id: 'TASK-099' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'no task "TASK-099"',
    });
    expect(await done({ files: [] })).toMatchObject({ code: 'INVALID_PARAM', retryable: false });
    await call(agent, 'reportTaskDone', FILES);
    expect(await done({})).toMatchObject({
      ...{ code: 'INVALID_STATE', bosun_code: 'BOSUN_ORDER_REFUSED', retryable: false },
      message: `${ID} is in_verification: waits until its files are quiet`,
    });
  });

  it('MX-109: reports a failed test, of its task as a note, and of a finished one as a failed check', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent(era);
    await call(agent, 'getNextTask');
    const failure = { task_id: ID, test: 'logs in', message: 'no such page', expected: '200', actual: '404' };
    expect(await call(agent, 'reportTestFailure', failure)).toMatchObject({ taken: true, next_action: 'continue' });
    const { notes } = delivery.actor<TaskContext>(`delivery/tasks/${ID}`);
    expect(notes).toEqual(['mcp:coder: the test "logs in" fails: no such page']);
    await call(agent, 'reportTaskDone', FILES);
    expect(await call(agent, 'reportTestFailure', failure)).toMatchObject({ next_action: 'get_next_task' });
    expect(await delivery.task(ID)).toMatchObject({
      ...{ status: 'in_verification', reason: 'fix', because: 'logs in', fixes: ['TASK-002'] },
      check: { remaining: ['logs in'], investigations: ['TK-0001'] },
    });
    expect(await call(agent, 'getNextTask')).toMatchObject({
      task: { title: 'Fix: logs in', description: expect.stringContaining('expected 200, actual 404') as string },
    });
    expect(await failing(agent, 'reportTestFailure', { ...failure, task_id: 'TASK-099' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  it('MX-109: reports what its check of a task has found that another has done', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const [agent, helper] = [await delivery.agent(era), await delivery.agent(era, 'helper')];
    const said = { task_id: ID, unmet: ['Login works'] };
    await call(agent, 'getNextTask');
    expect(await failing(helper, 'reportVerificationResult', said)).toMatchObject({ code: 'INVALID_STATE' });
    await call(agent, 'reportTaskDone', FILES);
    expect(await failing(agent, 'reportVerificationResult', said)).toMatchObject({
      ...{ code: 'INVALID_STATE', message: `mcp:coder has done ${ID}: somebody else checks it` },
    });
    const heard = { taken: true, next_action: 'get_next_task' };
    expect(await call(helper, 'reportVerificationResult', said)).toMatchObject(heard);
    expect(await delivery.task(ID)).toMatchObject({ reason: 'fix', because: 'Login works' });
    await call(agent, 'getNextTask');
    await call(agent, 'reportTaskDone', { ...FILES, task_id: 'TASK-002' });
    await call(helper, 'reportVerificationResult', { task_id: ID });
    expect(await delivery.task(ID)).toMatchObject({ status: 'verified', check: { checks: 2, flawed: 1 } });
    expect(await delivery.task('TASK-002')).toMatchObject({ status: 'verified' });
  });

  it('reads who is responsible: ten rows, and nine core teams', async () => {
    const shown = await call(await (await Delivery.start()).agent(era), 'getResponsibility');
    const { teams, raci } = shown as { teams: { id: string; number: number | null }[]; raci: { row: number }[] };
    expect(raci.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(teams.map(({ id }) => id)).toEqual([...TEAM_IDS]);
    expect(teams.flatMap(({ number }) => number ?? [])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('the tools', () => {
  const listed = async (profile: string) => {
    const delivery = new Delivery(
      await deskByMcp(
        { ...answerProcedures, ...ticketProcedures, ...deliveryProcedures },
        { delivery: {}, tokens: TOKENS },
      ),
    );
    return (await (await delivery.desk.client('of 2026', 'coder', profile)).tools()).map(({ name }) => name);
  };

  it('MX-109: have the eleven names', async () => {
    expect(await listed('coder,hub')).toEqual(
      expect.arrayContaining([
        ...['askQuestion', 'reportIssue', 'getNextTask', 'reportTaskDone', 'reportTaskStatus', 'reportTaskCompleted'],
        ...['reportObservation', 'reportTestFailure', 'reportVerificationResult', 'getImmediateAnswer', 'createTicket'],
      ]),
    );
  });

  it('MX-109: let a coding agent report a failed test, and only a hub what a check has found', async () => {
    const coder = await listed('coder');
    expect(coder).toContain('reportTestFailure');
    expect(coder).not.toContain('reportVerificationResult');
  });
});

describe('getNextTask', () => {
  it.each([
    ['includeContext', ['acceptanceCriteria', 'style', 'notes']],
    ['includeDetailedPrompt', ['description']],
    ['includeRelatedFiles', ['relatedFiles']],
  ])('MX-110: leaves out what belongs to %s if it is false', async (flag, fields) => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    const whole = (await call(agent, 'getNextTask'))['task'] as Answer;
    const part = (await call(agent, 'getNextTask', { [flag]: false }))['task'] as Answer;
    expect(part).toEqual(Object.fromEntries(Object.entries(whole).filter(([name]) => !fields.includes(name))));
  });

  it('MX-110: gives only a task of the priority that is asked for', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([task('Logout'), task('Profile', { priority: 3 })]);
    const agent = await delivery.agent();
    expect(await call(agent, 'getNextTask', { priority: 1 })).toMatchObject({ success: false, task: null });
    expect(await call(agent, 'getNextTask', { priority: 3 })).toMatchObject({ task: { title: 'Profile' } });
  });

  it('MX-110: lists five tasks by the filters blocked and all, and gives none', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([1, 2, 3, 4, 5, 6, 7].map((number) => task(`Page ${number}`)));
    const [agent, helper] = [await delivery.agent(), await delivery.agent('of 2026', 'helper')];
    await call(agent, 'getNextTask');
    await call(agent, 'reportTaskStatus', { task_id: ID, status: 'blocked', details: 'which colour?' });
    const looked = { success: false, task: null, because: expect.stringContaining('only looks') as string };
    expect(await call(helper, 'getNextTask', { filter: 'blocked' })).toEqual({
      ...looked,
      ...{ queueLength: 6, nextTasksPreview: [{ id: ID, title: 'Page 1', priority: 2 }] },
    });
    const all = await call(helper, 'getNextTask', { filter: 'all' });
    expect(all).toMatchObject(looked);
    expect(all['nextTasksPreview']).toHaveLength(5);
    expect(await delivery.order('tasks.list', {})).toMatchObject({ working: 0, queued: 6 });
  });

  it('MX-110: says why there is no task', async () => {
    const delivery = await Delivery.start({ places: 1 });
    const [agent, helper] = [await delivery.agent(), await delivery.agent('of 2026', 'helper')];
    const none = { success: false, task: null, nextTasksPreview: [], queueLength: 0 };
    expect(await call(agent, 'getNextTask')).toEqual({ ...none, because: 'no task is ready' });
    await delivery.plan([LOGIN, task('Logout')]);
    await call(agent, 'getNextTask');
    expect(await call(helper, 'getNextTask')).toMatchObject({
      ...{ success: false, task: null, because: 'as many sessions work as may', queueLength: 1 },
      nextTasksPreview: [{ title: 'Logout' }],
    });
  });

  it.each([
    [{ filter: 'mine' }, 'p.filter'],
    [{ priority: 4 }, 'p.priority'],
    [{ includeContext: 'yes' }, 'p.includeContext'],
    [{ includeDetailedPrompt: 1 }, 'p.includeDetailedPrompt'],
    [{ includeRelatedFiles: null }, 'p.includeRelatedFiles'],
  ])('MX-110: refuses %o', async (args, place) => {
    const agent = await (await Delivery.start()).agent();
    expect(await failing(agent, 'getNextTask', args)).toMatchObject({
      ...{ code: 'INVALID_PARAM', message: expect.stringContaining(place) as string },
    });
  });
});

describe('reportTaskStatus', () => {
  it.each([
    ['in_progress', 'continue', 'in_progress'],
    ['paused', 'continue', 'in_progress'],
    ['blocked', 'get_next_task', 'blocked'],
    ['failed', 'get_next_task', 'blocked'],
  ])('MX-113: answers the status %s by %s', async (status, next_action, stands) => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    const said = { task_id: ID, status, details: 'the index is away' };
    expect(await call(agent, 'reportTaskStatus', said)).toEqual({
      ...{ acknowledged: true, next_action, cascaded: NOTHING },
    });
    // Only what stands still has a reason.
    const because = said.details;
    expect(await delivery.task(ID)).toMatchObject({ status: stands, because });
    await delivery.pass(5_000);
    const { status: later, tickets } = await delivery.task(ID);
    // A failure is tried again; the owner of what is blocked is asked.
    expect([later, tickets]).toEqual([status === 'failed' ? 'ready' : stands, status === 'blocked' ? ['TK-0001'] : []]);
  });

  it('MX-113: settles the ticket of a stalled task that goes on, and unblocks the task', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    await delivery.pass(MINUTE_MS);
    expect(await delivery.task(ID)).toMatchObject({ status: 'blocked', reason: 'stall', tickets: ['TK-0001'] });
    expect(await call(agent, 'reportTaskStatus', { task_id: ID })).toEqual({
      ...{ acknowledged: true, next_action: 'continue' },
      cascaded: { ticketsResolved: ['TK-0001'], tasksUnblocked: [ID] },
    });
    expect(await delivery.task(ID)).toMatchObject({ status: 'in_progress', reason: null, tickets: [], attempts: 1 });
    expect(await delivery.order('tasks.list', {})).toMatchObject({ working: 1 });
  });

  it('MX-113: changes the priority of the task', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([task('Logout')]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    await call(agent, 'reportTaskStatus', { task_id: ID, priority: 1 });
    expect(await delivery.task(ID)).toMatchObject({ priority: 1 });
  });

  it.each([
    ['details of 601 characters', { details: 'x'.repeat(601) }, 'p.details'],
    ['101 percent', { progress_percent: 101 }, 'p.progress_percent'],
    ['an unknown status', { status: 'verified' }, 'p.status'],
    ['a priority of 4', { priority: 4 }, 'p.priority'],
    ['an id of no task', { task_id: 'the login' }, 'a task id is TASK-'],
    ['a task that is done, whose files it cannot name', { status: 'done' }, 'reportTaskDone'],
  ])('MX-113: refuses %s', async (_, args, problem) => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    await call(agent, 'reportTaskStatus', { task_id: ID, details: 'x'.repeat(600) });
    expect(await failing(agent, 'reportTaskStatus', { task_id: ID, ...args })).toMatchObject({
      ...{ code: 'INVALID_PARAM', message: expect.stringContaining(problem) as string },
    });
  });

  it('MX-113: refuses a task that is unknown, or of another session', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    await call(await delivery.agent(), 'getNextTask');
    const helper = await delivery.agent('of 2026', 'helper');
    expect(await failing(helper, 'reportTaskStatus', { task_id: 'TASK-099' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    expect(await failing(helper, 'reportTaskStatus', { task_id: ID, priority: 3 })).toMatchObject({
      ...{ code: 'INVALID_STATE', message: `${ID} is not with mcp:helper: mcp:coder has it, or had it last` },
    });
    expect(await delivery.task(ID)).toMatchObject({ priority: 1 });
  });
});

describe('reportTaskDone', () => {
  it.each([
    ['reportTaskDone', 'done', 'in_verification'],
    ['reportTaskDone', 'failed', 'blocked'],
    ['reportTaskDone', 'blocked', 'blocked'],
    ['reportTaskDone', 'partial', 'partial'],
    ['reportTaskCompleted', 'done', 'in_verification'],
  ])('MX-114: ends a task by %s with the status %s', async (tool, status, stands) => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    const said = { ...FILES, status, statusDetails: 'half of it is there' };
    expect(await call(agent, tool, said)).toMatchObject({ taken: true, next_action: 'get_next_task' });
    expect(await delivery.task(ID)).toMatchObject({ status: stands });
    expect(await delivery.order('tasks.list', {})).toMatchObject({ working: 0, queued: status === 'partial' ? 1 : 0 });
    if (status === 'partial')
      expect(await call(agent, 'getNextTask')).toMatchObject({
        task: { attempt: 2, notes: ['Done in part: half of it is there'] },
      });
  });

  it('MX-114: counts once with a key, however often it is called', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    const followUpTasks = [{ title: 'Remove the old form', minutes: 20 }];
    const said = { ...FILES, followUpTasks, idempotencyKey: 'end-1' };
    const first = await call(agent, 'reportTaskDone', said);
    expect(await call(agent, 'reportTaskDone', said)).toEqual(first);
    expect((await delivery.order('tasks.list', {}))['tasks']).toHaveLength(2);
  });

  it.each([
    ['an unknown status', { status: 'verified' }],
    ['details of 2,001 characters', { statusDetails: 'x'.repeat(2_001) }],
    ['101 files', { files: Array.from({ length: 101 }, (_, number) => `src/${number}.ts`) }],
    ['a criterion of which nobody knows whether it is met', { criteria: [{ criterion: 'Login works' }] }],
    ['a task found on the way without an estimate', { followUpTasks: [{ title: 'Remove the old form' }] }],
    ['an observation of 501 characters', { observations: ['x'.repeat(501)] }],
  ])('MX-114: refuses %s', async (_, args) => {
    const agent = await (await Delivery.start()).agent();
    expect(await failing(agent, 'reportTaskDone', { ...FILES, ...args })).toMatchObject({
      ...{ code: 'INVALID_PARAM', message: expect.stringMatching(/^p\./) as string },
    });
  });
});

describe('askQuestion', () => {
  it('MX-107: refuses the ninth question about one task', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN, task('Logout')]);
    const [agent, helper] = [await delivery.agent(), await delivery.agent('of 2026', 'helper')];
    for (const one of [agent, helper]) await call(one, 'getNextTask');
    const ask = (by: McpClient, task_id: string, number: number) =>
      call(by, 'askQuestion', { question: `Does gate${number} listen on 80 or 81?`, task_id, max_wait_seconds: 0 });
    for (let number = 1; number <= 8; number++)
      expect(await ask(agent, ID, number)).toMatchObject({ status: 'waiting', question_id: `Q-${number}` });
    for (const by of [agent, helper])
      expect(await ask(by, ID, 9)).toMatchObject({
        ...{ status: 'refused', question_id: null },
        problems: [expect.stringContaining(`8 questions about ${ID} were asked: report it as blocked`)],
      });
    // One that was asked before is no further question, and other tasks have their own eight.
    expect(await ask(agent, ID, 8)).toMatchObject({ question_id: 'Q-8' });
    expect(await ask(helper, 'TASK-002', 10)).toMatchObject({ status: 'waiting', question_id: 'Q-9' });
  });
});

describe('a plan', () => {
  it('is handed in over HTTP, and says which tasks it has', async () => {
    const delivery = await Delivery.start();
    const large = task('Shop', { minutes: 90, subtasks: [task('Cart'), task('Till')] });
    expect(await delivery.plan([LOGIN, large])).toEqual({
      ...{ taken: true, problems: [], plan: 'PLAN-1', tasks: [ID, 'TASK-002'] },
    });
    expect(await delivery.order('tasks.list', {})).toMatchObject({
      tasks: [
        { id: ID, status: 'ready', owner: 'ada', context: { plan: 'shop' } },
        { status: 'decomposed' },
        { parent: 'TASK-002', title: 'Cart', status: 'ready' },
        { parent: 'TASK-002', title: 'Till', status: 'ready' },
      ],
      ...{ next: null, places: 3, working: 0, queued: 3 },
    });
  });

  it('is refused with its flaws', async () => {
    const delivery = await Delivery.start();
    const flawed = [task('Cart', { dependsOn: ['Till'] }), task('Till', { dependsOn: ['Cart'] })];
    expect(await delivery.plan(flawed)).toEqual({
      ...{ taken: false, plan: null, tasks: [], problems: [expect.stringContaining('tasks wait for each other')] },
    });
    expect(await delivery.order('tasks.list', {})).toMatchObject({ tasks: [] });
  });

  it('is listed page by page and by status, and each task is a resource', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN, task('Logout', { dependsOn: ['Login'] }), task('Profile')]);
    expect(await delivery.order('tasks.list', { limit: 2 })).toMatchObject({ tasks: [{ id: ID }, {}], next: 2 });
    expect(await delivery.order('tasks.list', { after: 2, limit: 2 })).toMatchObject({
      ...{ tasks: [{ id: 'TASK-003' }], next: null },
    });
    expect(await delivery.order('tasks.list', { status: 'pending' })).toMatchObject({ tasks: [{ title: 'Logout' }] });
    expect(await delivery.order('tasks.show', { task_id: 'TASK-099' })).toEqual({ task: null });
    const client = (await delivery.agent()).client as Client;
    const { contents } = await client.readResource({ uri: `task://${ID}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ task: { id: ID, title: 'Login' } });
    await expect(client.readResource({ uri: 'task://TASK-099' })).rejects.toThrow('there is no task TASK-099');
  });
});

describe('the organisation', () => {
  interface Shown {
    readonly teams: readonly { readonly id: string; readonly state: string; readonly load: number }[];
    readonly raci: readonly { readonly row: number; readonly handoffs: number }[];
    readonly decisions: readonly object[];
    readonly gates: readonly { readonly gate: string; readonly threshold: number }[];
  }

  it('is shown with the load of its teams, and the hand-offs of each row', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN, task('Logout'), task('Profile')]);
    const [agent, helper] = [await delivery.agent(), await delivery.agent('of 2026', 'helper')];
    for (const one of [agent, helper]) await call(one, 'getNextTask');
    await call(agent, 'reportTaskDone', FILES);
    const org = (await delivery.order('org.show', {})) as unknown as Shown;
    const loads = org.teams.flatMap(({ id, state, load }) => (load > 0 ? [[id, state, load]] : []));
    expect(loads).toEqual([
      ['orchestrator', 'working', 1],
      ['verification', 'working', 1],
      ['coding-ai', 'working', 1],
    ]);
    const rows = org.raci.flatMap(({ row, handoffs }) => (handoffs > 0 ? [[row, handoffs]] : []));
    expect(rows).toEqual([
      [3, 3],
      [4, 2],
      [7, 1],
    ]);
    expect(org.decisions).toHaveLength(5);
    expect(org.gates).toContainEqual(expect.objectContaining({ gate: 'size', threshold: 45 }));
  });

  it('keeps its hand-offs, the latest first, of all tasks and of one', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN, task('Logout')]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    const rows = async (params: object) => {
      const { handoffs, next } = await delivery.order('org.handoffs', params);
      return { rows: (handoffs as { row: number; item: string }[]).map(({ row, item }) => `${row}: ${item}`), next };
    };
    const { next } = await rows({ limit: 2 });
    expect(await rows({ limit: 2 })).toMatchObject({ rows: [`4: ${ID}`, '3: TASK-002'] });
    expect(await rows({ limit: 2, before: next })).toEqual({ rows: [`3: ${ID}`], next: null });
    expect(await rows({ task_id: ID })).toMatchObject({ rows: [`4: ${ID}`, `3: ${ID}`] });
  });

  it('drains a team by the word of a person, and lets it go on', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    const set = (is_drained: boolean) => delivery.order('org.set', { team: 'coding-ai', is_drained, by: 'ada' });
    expect(await set(true)).toEqual({ taken: true, problems: [] });
    const { teams } = (await delivery.order('org.show', {})) as unknown as Shown;
    expect(teams.find(({ id }) => id === 'coding-ai')).toMatchObject({ state: 'drained' });
    expect(await call(agent, 'getNextTask')).toMatchObject({ task: null, because: expect.stringContaining('for now') });
    await set(false);
    expect(await call(agent, 'getNextTask')).toMatchObject({ task: { taskId: ID } });
    expect(await delivery.order('org.set', { team: 'scraper', is_drained: true, by: 'ada' })).toMatchObject({
      taken: false,
    });
  });
});

/** Orders that people give, each with parameters that are taken. */
const BY_PEOPLE: readonly (readonly [procedure: string, params: object])[] = [
  ['tasks.submit', { plan: { name: 'shop', tasks: [task('Till')] } }],
  ['tasks.unblock', { task_id: ID }],
  ['tasks.change', { task_id: ID, priority: 1, minutes: 20 }],
  ['tasks.places', { places: 2 }],
  ['org.set', { team: 'planning', is_drained: true }],
  ['tasks.fail', { task_id: ID, reason: 'not needed any more' }],
];

describe('an order that only people give', () => {
  const FORBIDDEN = { error: { code: 'BOSUN_FORBIDDEN' } };

  it.each(BY_PEOPLE)('is refused to a program, and given by a person in no other name: %s', async (name, params) => {
    const delivery = await Delivery.start();
    await delivery.plan([task('Logout')]);
    const agent = await delivery.agent();
    await call(agent, 'getNextTask');
    await call(agent, 'reportTaskStatus', { task_id: ID, status: 'blocked' });
    const before = await delivery.order('tasks.list', {});
    for (const by of ['ada', 'mcp:coder', 'bot'])
      expect(await delivery.order(name, { ...params, by }, 'bot'), by).toMatchObject(FORBIDDEN);
    expect(await delivery.order(name, { ...params, by: 'eve' })).toMatchObject(FORBIDDEN);
    expect(await delivery.order('tasks.list', {})).toEqual(before);
    expect(await delivery.order(name, { ...params, by: 'ada' })).toMatchObject({ taken: true });
  });

  it('is refused to a coding agent that sends the event itself, as is the name of another session', async () => {
    const delivery = await Delivery.start();
    await delivery.plan([LOGIN]);
    const agent = await delivery.agent();
    const ask = (event: object) => failing(agent, 'ask_actor', { address: 'delivery/orchestrator', event });
    for (const event of [
      { type: 'tasks.fail', task: ID, by: 'ada', reason: 'not needed' },
      { type: 'tasks.places', places: 9, by: 'ada' },
      { type: 'tasks.next', coder: 'mcp:helper' },
      { type: 'tasks.done', coder: 'mcp:helper', task: ID, files: ['a'] },
    ])
      expect(await ask(event), event.type).toMatchObject({ bosun_code: 'BOSUN_FORBIDDEN' });
    const inside = { type: 'task.checked', task: ID };
    expect(await ask(inside)).toMatchObject({ bosun_code: 'BOSUN_EVENT_REFUSED' });
  });
});

describe('wrong input', () => {
  const WRONG: Readonly<Record<keyof typeof deliveryProcedures, object>> = {
    'tasks.next': { filter: 'mine' },
    'tasks.report': { task_id: ID, status: 'lost' },
    'tasks.done': { task_id: 'the login' },
    'tasks.completed': {},
    'tasks.failure': { task_id: ID, test: ' ' },
    'tasks.checked': { task_id: ID, unmet: [''] },
    'tasks.submit': { plan: { name: 'shop', tasks: [] }, by: 'ada' },
    'tasks.list': { limit: 0 },
    'tasks.show': { task_id: 'TASK-1' },
    'tasks.unblock': { task_id: ID },
    'tasks.fail': { task_id: ID, by: 'ada', reason: ' ' },
    'tasks.change': { task_id: ID, by: 'ada', priority: 4 },
    'tasks.places': { places: 0, by: 'ada' },
    'org.show': [] as object,
    'org.handoffs': { limit: 501 },
    'org.metrics': [] as object,
    'org.set': { team: 'sales', is_drained: true, by: 'ada' },
  };

  it.each(Object.entries(WRONG))('makes %s refuse by a code', async (procedure, params) => {
    expect(await (await Delivery.start()).order(procedure, params)).toMatchObject({
      error: { code: 'BOSUN_CALL_INVALID', retryable: false },
    });
  });
});

describe('the example of a procedure', () => {
  it.each(Object.entries(deliveryProcedures))('fits its schemas: %s', (_, row) => {
    expect(row.params.safeParse(row.example.p).error).toBeUndefined();
    expect(row.result.safeParse(row.example.r).error).toBeUndefined();
  });
});
