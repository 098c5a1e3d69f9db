/** The memory tools of seed 004 at the doors: hand-offs, completion, lineage, work plans, and what roles may not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ABILITIES, ANTI_SPAWN } from '../src/machines/hub/prompt.ts';
import { type Role, ROLES } from '../src/machines/hub/roles.ts';
import { type Answer, HubDoors, OUTSIDE, type Seat, SOON } from './support/machines/hub-doors.ts';
import { COGNITION_TASKS } from './support/machines/hub-room.ts';

let doors: HubDoors;
let root: Seat;
beforeEach(async () => {
  doors = await HubDoors.open();
  root = await doors.start();
});
afterEach(() => doors.close());

const PLACE = { workspace_id: '/shop', plan_id: 'WP-1' };

/** A hand-off of a session in the words of the wire. */
function handoff({ role }: Seat, recommended: Role | null, more: object = {}): object {
  const to = { from_agent: role, to_agent: 'Coordinator', reason: 'it is so' };
  return { action: 'handoff', ...PLACE, ...to, ...(recommended !== null && { recommended }), ...more };
}

function completion({ role }: Seat, more: object = {}): object {
  return { action: 'complete', ...PLACE, agent_type: role, summary: 'it is done', ...more };
}

const agent = (seat: Seat, args: object): Promise<Answer> => seat.tool('memory_agent', args);
const problem = (answer: Answer): string => answer.error?.message ?? 'none';

const promptOf = async (seat: Seat) => (await agent(seat, { action: 'get_instructions' }))['prompt'] as string;

/** Hands off and completes a new session of a role, and returns it. */
async function goes(role: Role, recommended: Role, more: object = {}): Promise<Seat> {
  const seat = await doors.spawn(root, role);
  expect(await agent(seat, handoff(seat, recommended, more))).toMatchObject({ taken: true });
  expect(await agent(seat, completion(seat))).toMatchObject({ taken: true });
  return seat;
}

describe('the flow of the specification', () => {
  it('HS-E01, HS-012, HS-016, HS-031: goes from the Executor to an archived plan, by tools alone', async () => {
    const spawn = async (role: Role) => {
      const reply = await root.tool('runSubagent', { agentName: role, prompt: `as ${role}`, wait: false });
      const session = reply['session'] as string;
      await expect.poll(() => doors.stateOf(session), SOON).toBe('working');
      const seat = await doors.seat(session, role);
      expect(await promptOf(seat)).toContain(ANTI_SPAWN);
      return seat;
    };
    const build = { build: { command: 'make', exitCode: 0 } };
    const chain: readonly [Role, Role, object][] = [
      ['Executor', 'Reviewer', {}],
      ['Reviewer', 'Tester', build],
      ['Tester', 'Archivist', { tests_pass: true }],
    ];
    for (const [role, recommended, more] of chain) {
      const seat = await spawn(role);
      await agent(seat, handoff(seat, recommended, more));
      const back = root.tool('runSubagent', { agentName: role, session_id: seat.session });
      await agent(seat, completion(seat));
      expect(await back).toMatchObject({ status: 'closed', outcome: 'done', handoff: { recommended } });
      const plan = await root.tool('memory_plan', { action: 'get', ...PLACE });
      expect(plan).toMatchObject({ recommended_next_agent: recommended, current_agent: 'Coordinator' });
    }
    const archivist = await spawn('Archivist');
    expect(await archivist.tool('memory_plan', { action: 'archive', ...PLACE })).toMatchObject({ taken: true });
    expect(await agent(archivist, completion(archivist))).toMatchObject({ taken: true });
    await expect.poll(() => doors.sessions('WP-1'), SOON).toEqual(['R-1']);
    expect(await agent(root, completion(root))).toMatchObject({ taken: true });
    expect((await doors.lineage()).map(({ from, to, recommended }) => `${from}->${to}(${recommended})`)).toEqual([
      ...['Executor->Coordinator(Reviewer)', 'Reviewer->Coordinator(Tester)', 'Tester->Coordinator(Archivist)'],
    ]);
    const shown = async () => (await doors.system.snapshot('work-plans/WP-1'))!.context;
    await expect.poll(shown, SOON).toMatchObject({ status: 'archived', currentAgent: null });
    await expect
      .poll(async () => (await doors.closed()).map(({ role, isForced }) => [role, isForced]), SOON)
      .toEqual([...[...chain.map(([role]) => role), 'Archivist', 'Coordinator'].map((role) => [role, false])]);
  });

  it('HS-013, HS-015, CN-015: a hand-off is one entry and a recommendation, and spawns nobody', async () => {
    const executor = await doors.spawn(root, 'Executor');
    expect(await agent(executor, handoff(executor, 'Reviewer'))).toMatchObject({ seq: 1, recommended: 'Reviewer' });
    expect(await agent(executor, handoff(executor, 'Reviewer'))).toMatchObject({ seq: 1 });
    const other = await agent(executor, handoff(executor, 'Revisionist', { outcome: 'blocked' }));
    expect(problem(other)).toContain('has handed off already');
    expect(await doors.lineage()).toMatchObject([{ seq: 1, from: 'Executor', recommended: 'Reviewer' }]);
    expect((await doors.sessions('WP-1')).sort()).toEqual(['R-1', 'R-1-1']);
  });

  it('HS-018, HS-019, HS-061, CN-015: an entry has what was said, and no order changes it', async () => {
    const data = {
      ...{ steps_completed: ['S1'], files_modified: ['a.ts'], blockers: [], next_steps: ['review it'] },
      ...{ budget_exceeded: false, scope_escalation: false, findings: { lines: 3 } },
    };
    const executor = await goes('Executor', 'Reviewer', { data });
    const [entry] = await doors.lineage();
    expect(entry).toMatchObject({ from: 'Executor', to: 'Coordinator', reason: 'it is so', session: 'R-1-1', data });
    expect(entry!.atMs).toBeGreaterThan(0);
    for (const order of [{ type: 'session.handoff', session: executor.session }, { type: 'plan.log' }])
      await expect(doors.system.ask('work-plans/WP-1', order)).rejects.toThrow();
    expect(await doors.lineage()).toEqual([entry]);
  });

  it('HS-020: a session is on record with its hub, its step, its summary and its artifacts', async () => {
    const seat = await doors.spawn(root, 'Executor');
    await agent(seat, handoff(seat, 'Reviewer'));
    await agent(seat, completion(seat, { summary: 'written', artifacts: ['a.patch'] }));
    await expect
      .poll(() => doors.closed(), SOON)
      .toMatchObject([
        { session: 'R-1-1', role: 'Executor', parent: 'R-1', summary: 'written', artifacts: ['a.patch'], handoff: 1 },
      ]);
  });

  it('HS-021: a recommendation is followed when that agent starts, and its role is at work then', async () => {
    await goes('Executor', 'Reviewer');
    const plan = () => root.tool('memory_plan', { action: 'get' });
    expect(await plan()).toMatchObject({ recommended_next_agent: 'Reviewer', current_agent: 'Coordinator' });
    await doors.spawn(root, 'Reviewer');
    expect(await plan()).toMatchObject({ recommended_next_agent: null, current_agent: 'Reviewer' });
  });

  it('HS-017: a session completes behind its hand-off only, and is told whom it may recommend', async () => {
    const executor = await doors.spawn(root, 'Executor');
    const refused = await agent(executor, completion(executor));
    expect(refused.error).toMatchObject({ code: 'INVALID_STATE' });
    expect(problem(refused)).toContain('recommends one of: Reviewer, Revisionist');
    const archivist = await doors.spawn(root, 'Archivist');
    expect(problem(await agent(archivist, completion(archivist)))).toContain('archives the work plan before');
    const still = await archivist.tool('memory_plan', { action: 'archive' });
    expect(problem(still)).toContain(`${executor.session}: still at work`);
    await agent(executor, handoff(executor, 'Reviewer'));
    await agent(executor, completion(executor));
    expect(await archivist.tool('memory_plan', { action: 'archive' })).toMatchObject({ taken: true });
    expect(await agent(archivist, completion(archivist))).toMatchObject({ taken: true });
    for (const tool of ['memory_plan', 'memory_steps'])
      expect(problem(await executor.tool(tool, { action: 'get' }))).toBe(`${executor.session} has closed`);
  });
});

describe('a Worker', () => {
  const writes = { files: ['src/parser.ts'], newIn: ['test/parser'] };

  it('HS-036: begins with its workspace, its plan, its task and its files', async () => {
    const hub = await doors.start('Coordinator', { agents: { Worker: { does: { kind: 'outside' }, writes } } });
    const worker = await doors.spawn(hub, 'Worker', { task: 'rename the parser' });
    const prompt = await promptOf(worker);
    for (const part of ['workspace_id: /shop', 'plan_id: WP-2', 'rename the parser', '`src/parser.ts`'])
      expect(prompt).toContain(part);
  });

  it.each([
    ['its task', 'task', { writes }, ''],
    ['its files', 'scope', {}, 'rename the parser'],
  ])('HS-036: is not begun without %s, which it hands off as missing', async (_, missing, more, prompt) => {
    const agents = { ...OUTSIDE, Worker: { does: { kind: 'outside' }, ...more } };
    const hub = await doors.start('Coordinator', { agents });
    const { session } = await hub.tool('runSubagent', { agentName: 'Worker', prompt });
    expect(await hub.tool('runSubagent', { agentName: 'Worker', session_id: session })).toMatchObject({
      ...{ status: 'closed', handoff: { outcome: 'blocked', recommended: null } },
    });
    const [entry] = await doors.lineage('WP-2');
    expect(entry).toMatchObject({ from: 'Worker', to: 'Coordinator' });
    expect(entry!.data.blockers).toEqual([expect.stringMatching(new RegExp(`^${missing}: `))]);
  });
});

describe('Cognition', () => {
  it.each(COGNITION_TASKS)(
    'HS-041: is asked to %s, and the next agent gets its findings from the hub',
    async (ability, task, analysis) => {
      const cognition = await doors.spawn(root, 'Cognition', { task });
      const prompt = await promptOf(cognition);
      for (const part of [ABILITIES, `${ability}: `, task]) expect(prompt).toContain(part);
      const data = { findings: { analysis } };
      await agent(cognition, handoff(cognition, 'Executor', { outcome: 'analysed', data }));
      await agent(cognition, completion(cognition));
      expect(await doors.lineage()).toMatchObject([{ from: 'Cognition', to: 'Coordinator', data }]);
      const executor = await doors.spawn(root, 'Executor');
      expect(await promptOf(executor)).toContain(JSON.stringify(data.findings));
    },
  );
});

/** The table of the specification, written anew: the row, the role, its outcome, and whom it recommends. */
const TABLE: readonly (readonly [string, Role, string, Role | null])[] = [
  ['HS-022', 'Researcher', 'complete', 'Architect'],
  ['HS-022', 'Researcher', 'continues', 'Analyst'],
  ['HS-023', 'Architect', 'ready', 'Executor'],
  ['HS-023', 'Architect', 'more-research', 'Researcher'],
  ['HS-024', 'Executor', 'done', 'Reviewer'],
  ['HS-024', 'Executor', 'blocked', 'Revisionist'],
  ['HS-024', 'Executor', 'build-failed', 'Revisionist'],
  ['HS-024', 'Executor', 'tests-failed', 'Revisionist'],
  ['HS-025', 'Reviewer', 'approved', 'Tester'],
  ['HS-025', 'Reviewer', 'build-failed', 'Revisionist'],
  ['HS-025', 'Reviewer', 'issues', 'Revisionist'],
  ['HS-026', 'Tester', 'tests-written', null],
  ['HS-026', 'Tester', 'passed', 'Archivist'],
  ['HS-026', 'Tester', 'failed', 'Revisionist'],
  ['HS-027', 'Revisionist', 'fixed', 'Executor'],
  ['HS-027', 'Revisionist', 're-analysis', 'Analyst'],
  ['HS-028', 'Worker', 'complete', null],
  ['HS-028', 'Worker', 'scope-exceeded', null],
  ['HS-028', 'Worker', 'budget-exceeded', null],
  ['HS-029', 'Cognition', 'analysed', 'Architect'],
  ['HS-030', 'TDDDriver', 'complete', 'Reviewer'],
  ['HS-030', 'TDDDriver', 'blocked', 'Revisionist'],
  ['HS-032', 'Analyst', 'steps', 'Executor'],
  ['HS-032', 'Analyst', 'docs', 'Researcher'],
  ['HS-032', 'Analyst', 'explore', 'Brainstorm'],
  ['HS-033', 'Brainstorm', 'ready', 'Architect'],
  ['HS-033', 'Brainstorm', 'context-missing', 'Researcher'],
  ['HS-034', 'Runner', 'complex', 'Coordinator'],
  ['HS-034', 'Runner', 'investigation', 'Analyst'],
];

/** Others that an outcome may recommend beside the one of its row. */
const ALSO: Readonly<Record<string, readonly (Role | null)[]>> = {
  'Cognition analysed': ROLES.filter((role) => !['Archivist', 'Worker', 'Cognition', 'Coordinator'].includes(role)),
  'Runner complex': [null],
};

describe('the table of hand-offs, over HTTP', () => {
  it.each(TABLE)('%s: %s at %s recommends %s, and nobody else', async (_, role, outcome, recommended) => {
    const seat = await doors.spawn(root, role);
    const build = { build: { command: 'make', exitCode: 0 } };
    const say = (whom: Role | null) => seat.post('session.agent', handoff(seat, whom, { outcome, ...build }));
    const allowed = [recommended, ...(ALSO[`${role} ${outcome}`] ?? [])];
    for (const other of [...ROLES, null].filter((one) => !allowed.includes(one))) {
      const refused = await say(other);
      expect([other, refused.error?.code]).toEqual([other, 'BOSUN_ORDER_REFUSED']);
      expect(problem(refused)).toContain(recommended ?? 'nobody');
    }
    expect(await say(recommended)).toMatchObject({ taken: true, recommended });
  });

  it('HS-025: a Reviewer entered from an Executor names the build that it checked', async () => {
    await goes('Executor', 'Reviewer');
    await expect.poll(async () => (await doors.sessions('WP-1')).length, SOON).toBe(1);
    const reviewer = await doors.spawn(root, 'Reviewer');
    const bare = await reviewer.post('session.agent', handoff(reviewer, 'Tester', { outcome: 'approved' }));
    expect(problem(bare)).toMatch(/^build:/);
    const failed = { outcome: 'approved', build: { command: 'make', exitCode: 2 } };
    expect(problem(await reviewer.post('session.agent', handoff(reviewer, 'Tester', failed)))).toContain('exit code 2');
  });

  it.each(['Coordinator', 'Analyst', 'Runner', 'TDDDriver'] as const)(
    'HS-028: a %s gets back the sessions that it has spawned',
    async (hub) => {
      const seat = await doors.start(hub);
      const role = hub === 'TDDDriver' ? 'Tester' : 'Worker';
      const spoke = await doors.spawn(seat, role);
      const { reason } = { reason: 'it is so' };
      const place = { workspace_id: '/shop', plan_id: 'WP-2', from_agent: role, reason };
      const other = hub === 'Coordinator' ? 'Analyst' : 'Coordinator';
      const said = { action: 'handoff', ...place, outcome: role === 'Worker' ? 'complete' : 'tests-written' };
      expect(problem(await spoke.post('session.agent', { ...said, to_agent: other }))).toContain(`hands off to ${hub}`);
      expect(await spoke.post('session.agent', { ...said, to_agent: hub })).toMatchObject({ taken: true });
    },
  );

  it('HS-031: an Archivist hands nothing off', async () => {
    const archivist = await doors.spawn(root, 'Archivist');
    expect(problem(await archivist.post('session.agent', handoff(archivist, 'Executor')))).toContain(
      'hands nothing off',
    );
  });

  it('HS-015: a receiver that is no hub is what the session recommends', async () => {
    const executor = await doors.spawn(root, 'Executor');
    const said = { ...handoff(executor, null), to_agent: 'Reviewer' };
    expect(await executor.post('session.agent', said)).toMatchObject({ taken: true, recommended: 'Reviewer' });
    expect(await doors.lineage()).toMatchObject([{ to: 'Coordinator', recommended: 'Reviewer' }]);
  });
});

describe('the tool memory_agent', () => {
  it('HS-057, HS-060: introduces a session with its role, its limits, its plan and its prompt', async () => {
    const worker = await doors.spawn(root, 'Worker');
    expect(await agent(worker, { action: 'init' })).toMatchObject({
      ...{ session: 'R-1-1', role: 'Worker', kind: 'spoke', hub: 'Coordinator', plan: 'WP-1', stepsMax: 5 },
      ...{ mayChangePlan: false, mayArchive: false, contextTokensMax: 50_000, handoff: null },
    });
    const { prompt } = await agent(worker, { action: 'get_instructions' });
    expect(prompt).toContain('You are the Worker of this work plan.');
    expect(await agent(worker, { action: 'list' })).toMatchObject({
      sessions: [{ session: 'R-1' }, { session: 'R-1-1' }],
    });
    expect(await agent(worker, { action: 'get_briefing' })).toMatchObject({
      currentAgent: 'Worker',
      lastHandoff: null,
    });
  });

  it('HS-060: says whether a session is to continue, or who is', async () => {
    await root.tool('memory_steps', { action: 'add', steps: [{ task: 'write', assignee: 'Executor' }] });
    const executor = await doors.spawn(root, 'Executor');
    expect(await agent(executor, { action: 'validate' })).toMatchObject({
      action: 'continue',
      todo: [{ task: 'write' }],
    });
    await agent(executor, handoff(executor, 'Reviewer'));
    await agent(executor, completion(executor));
    await expect.poll(async () => (await doors.sessions('WP-1')).length, SOON).toBe(1);
    await doors.spawn(root, 'Reviewer');
    expect(await agent(executor, { action: 'validate' })).toMatchObject({ action: 'switch', switch_to: 'Reviewer' });
  });

  it.each(['workspace_id', 'plan_id', 'from_agent', 'to_agent', 'reason'])(
    'HS-058: refuses a hand-off without %s',
    async (field) => {
      const executor = await doors.spawn(root, 'Executor');
      const { [field]: _, ...said } = handoff(executor, 'Reviewer') as Record<string, unknown>;
      expect(problem(await agent(executor, said))).toBe(`p.${field}: the action handoff needs it`);
    },
  );

  it.each(['workspace_id', 'plan_id', 'agent_type', 'summary'])(
    'HS-059: refuses a completion without %s',
    async (field) => {
      const executor = await doors.spawn(root, 'Executor');
      const { [field]: _, ...said } = completion(executor) as Record<string, unknown>;
      expect(problem(await agent(executor, said))).toBe(`p.${field}: the action complete needs it`);
    },
  );

  it('HS-009: lets nobody speak for another role, another plan, or without a session', async () => {
    const executor = await doors.spawn(root, 'Executor');
    const asCoordinator = { ...handoff(executor, 'Reviewer'), from_agent: 'Coordinator' };
    expect(await executor.post('session.agent', asCoordinator)).toMatchObject({ error: { code: 'BOSUN_FORBIDDEN' } });
    const away = { ...handoff(executor, 'Reviewer'), workspace_id: '/other' };
    expect(problem(await executor.post('session.agent', away))).toBe('workspace_id: this session works in /shop');
    const elsewhere = { ...handoff(executor, 'Reviewer'), plan_id: 'WP-9' };
    expect(await executor.post('session.agent', elsewhere)).toMatchObject({ error: { code: 'BOSUN_FORBIDDEN' } });
    const nobody = await fetch(`${doors.url}/v1/procedures/session.agent`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(handoff(executor, 'Reviewer')),
    });
    expect(nobody.status).toBe(403);
    expect(await doors.lineage()).toEqual([]);
  });
});

describe('the tools of the work plan', () => {
  const GOOD: readonly [tool: string, args: object][] = [
    ['memory_plan', { action: 'add_note', note: 'mind the gap' }],
    ['memory_plan', { action: 'set_goals', goals: ['no crash'], success_criteria: ['tests pass'] }],
    ['memory_plan', { action: 'update', priority: 'high' }],
    ['memory_steps', { action: 'add', steps: [{ task: 'a' }, { task: 'b' }] }],
    ['memory_steps', { action: 'update', id: 'S1', set: { status: 'done' }, note: 'quick' }],
    ['memory_steps', { action: 'batch_update', changes: [{ id: 'S2', set: { status: 'blocked' } }] }],
    ['memory_steps', { action: 'insert', index: 1, step: { task: 'c' } }],
    ['memory_steps', { action: 'move', id: 'S3', index: 3 }],
    ['memory_steps', { action: 'reorder', ids: ['S2', 'S1', 'S3'] }],
    ['memory_steps', { action: 'delete', id: 'S3' }],
    ['memory_context', { action: 'store', name: 'design', text: 'one loop' }],
  ];

  it('HS-061, HS-062, HS-063: change it for a role that may, and show it whole', async () => {
    for (const [tool, args] of GOOD) expect([args, await root.tool(tool, args)]).toMatchObject([args, { taken: true }]);
    expect(await root.tool('memory_plan', { action: 'get' })).toMatchObject({
      ...{ title: 'mend it', description: '', category: 'feature', priority: 'high', status: 'active' },
      ...{ goals: ['no crash'], success_criteria: ['tests pass'], notes: [{ text: 'mind the gap', by: 'R-1' }] },
      steps: [
        { index: 1, id: 'S2', status: 'blocked' },
        { index: 2, id: 'S1', status: 'done', notes: ['quick'] },
      ],
      documents: [{ name: 'design', by: 'R-1' }],
    });
    expect(await root.tool('memory_steps', { action: 'get' })).toMatchObject({ steps: [{ id: 'S2' }, { id: 'S1' }] });
    expect(await root.tool('memory_context', { action: 'list' })).toMatchObject({ documents: [{ name: 'design' }] });
    expect(await root.tool('memory_context', { action: 'get', name: 'design' })).toMatchObject({
      document: { text: 'one loop', by: 'R-1' },
    });
  });

  it.each([
    ['memory_plan', 'add_note', 'note'],
    ['memory_plan', 'set_goals', 'goals'],
    ['memory_steps', 'add', 'steps'],
    ['memory_steps', 'update', 'id'],
    ['memory_steps', 'batch_update', 'changes'],
    ['memory_steps', 'insert', 'index'],
    ['memory_steps', 'delete', 'id'],
    ['memory_steps', 'reorder', 'ids'],
    ['memory_steps', 'move', 'id'],
    ['memory_context', 'get', 'name'],
    ['memory_context', 'store', 'name'],
  ])('HS-061, HS-063: %s refuses %s without %s', async (tool, action, field) => {
    expect(problem(await root.tool(tool, { action }))).toBe(`p.${field}: the action ${action} needs it`);
  });

  it.each(['Worker', 'Cognition'] as const)(
    'HS-003, HS-004, HS-037: let a %s read, and change nothing',
    async (role) => {
      const seat = await doors.spawn(root, role);
      for (const [tool, args] of GOOD) expect((await seat.tool(tool, args)).error?.code).toBe('INVALID_STATE');
      const archived = await seat.tool('memory_plan', { action: 'archive' });
      expect(archived.error?.code).toBe('INVALID_STATE');
      const created = await seat.tool('memory_plan', { action: 'create', title: 'mine' });
      expect(created.error?.code).toBe('INVALID_PARAM');
      const spawned = await seat.post('session.spawn', { agentName: 'Executor', prompt: 'do it' });
      expect(spawned.error?.code).toBe('BOSUN_FORBIDDEN');
      expect(await seat.tool('memory_plan', { action: 'get' })).toMatchObject({ notes: [], steps: [], documents: [] });
      const refused = async () => (await doors.log()).filter(({ kind, role: by }) => kind === 'refused' && by === role);
      await expect.poll(refused, SOON).toHaveLength(GOOD.length + 1);
    },
  );

  it.each(ROLES.filter((role) => role !== 'Coordinator'))(
    'HS-006, HS-031: archive for an Archivist only: %s',
    async (role) => {
      const seat = await doors.spawn(root, role);
      const reply = await seat.tool('memory_plan', { action: 'archive' });
      const { status } = (await doors.system.snapshot('work-plans/WP-1'))!.context as { status: string };
      expect([reply['taken'] === true, status]).toEqual(role === 'Archivist' ? [true, 'archived'] : [false, 'active']);
    },
  );
});
