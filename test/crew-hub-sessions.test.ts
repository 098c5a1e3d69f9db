/** Sessions at the doors of a gateway: who may spawn, what their tools do, and what nobody may say for another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Role, ROLES } from '../src/machines/hub/roles.ts';
import { memoryStore } from '../src/persistence/store/memory-store.ts';
import { ANTI_SPAWN, ESCALATION } from '../src/machines/hub/prompt.ts';
import { type Answer, HubDoors, type Seat, SOON } from './support/machines/hub-doors.ts';

let doors: HubDoors;
beforeEach(async () => void (doors = await HubDoors.open()));
afterEach(() => doors.close());

const HUBS: readonly Role[] = ['Coordinator', 'Analyst', 'Runner', 'TDDDriver'];
const TDD: readonly Role[] = ['Tester', 'Executor', 'Reviewer'];

/** The matrix of the specification, written anew: why a role at a depth may not spawn another; undefined if it may. */
function refusalOf(role: Role, depth: number, target: Role): string | undefined {
  const isHub = HUBS.includes(role);
  if (!isHub && role !== 'Revisionist') return 'spoke';
  if (target === role || (role === 'TDDDriver' && !TDD.includes(target))) return 'not-spawnable';
  if (HUBS.includes(target) && (depth > 0 || !isHub)) return 'hub-in-hub';
  if (depth > 1) return 'hub-in-hub';
  return isHub ? undefined : 'pivot-reason-missing';
}

/** The reply of a door to a spawn: `taken`, or why not. */
function said({ error, ...answer }: Answer): string {
  if (error !== undefined) {
    const details = (error as { details?: { because?: string } }).details;
    return details?.because ?? error.code;
  }
  return (answer['because'] as string | undefined) ?? 'taken';
}

/** The replies when a session spawns each role: to an event to its actor, over HTTP, and over MCP. */
async function matrixOf(seat: Seat): Promise<Record<string, readonly string[]>> {
  const rows: [string, readonly string[]][] = [];
  for (const role of ROLES) {
    const spawn = (door: string) => ({ agentName: role, prompt: `${role} by ${door}`, wait: false });
    const answers = [
      await seat.order({ type: 'session.spawn', role, task: `${role} by event` }),
      await seat.post('session.spawn', spawn('HTTP')),
      await seat.tool('runSubagent', spawn('MCP')).catch(() => ({ because: 'absent' }) as Answer),
    ];
    rows.push([role, answers.map(said)]);
  }
  return Object.fromEntries(rows);
}

describe('the right to spawn, at every door', () => {
  it('HS-001, HS-002, HS-005, HS-007, HS-009, HS-054, CN-025: is decided by role and depth', async () => {
    for (const hub of HUBS) {
      const root = await doors.start(hub);
      await expectMatrix(root, 0);
      // Sessions of the Coordinator are at depth 1, those of a nested Analyst at depth 2.
      if (hub !== 'Coordinator') continue;
      for (const role of ROLES.filter((one) => one !== 'Coordinator'))
        await expectMatrix(await doors.spawn(root, role), 1);
      const analyst = await doors.spawn(root, 'Analyst', { task: 'once more' });
      for (const role of ROLES.filter((one) => !HUBS.includes(one)))
        await expectMatrix(await doors.spawn(analyst, role), 2);
    }
  });

  async function expectMatrix(seat: Seat, depth: number): Promise<void> {
    const isListed = HUBS.includes(seat.role) || seat.role === 'Revisionist';
    const matrix = await matrixOf(seat);
    for (const target of ROLES) {
      const why = refusalOf(seat.role, depth, target);
      const wanted = why === undefined ? ['taken', 'taken', 'taken'] : [why, ...(isListed ? [why, why] : CLOSED)];
      expect([seat.role, depth, target, matrix[target]]).toEqual([seat.role, depth, target, wanted]);
    }
  }

  /** The doors of a session whose role does not list the tool: refused over HTTP, and not there over MCP. */
  const CLOSED = ['BOSUN_FORBIDDEN', 'absent'];
});

describe('the tools of a session', () => {
  const MEMORY = ['memory_agent', 'memory_context', 'memory_plan', 'memory_steps', 'show_lineage'];
  const SPAWN = ['memory_spawn_agent', 'runSubagent'];

  it('HS-003, HS-007, HS-040, CN-016: are the tools that its role may call, and no others', async () => {
    const root = await doors.start();
    const seats = [root];
    for (const role of ROLES.filter((one) => one !== 'Coordinator')) seats.push(await doors.spawn(root, role));
    for (const seat of seats) {
      const tools = (await (await seat.mcp()).tools()).map(({ name }) => name).sort();
      const spawns = HUBS.includes(seat.role) || seat.role === 'Revisionist';
      expect([seat.role, tools]).toEqual([seat.role, [...MEMORY, ...(spawns ? SPAWN : [])].sort()]);
    }
  });

  it('HS-009, HS-010, HS-011: is refused by what it does not list, on record where its actor is asked', async () => {
    const root = await doors.start();
    const executor = await doors.spawn(root, 'Executor');
    expect(await executor.tool('memory_agent', { action: 'get_instructions' })).toMatchObject({
      prompt: expect.stringContaining(ANTI_SPAWN) as string,
    });
    const spawn = { agentName: 'Tester', prompt: 'try it' };
    expect(await executor.post('session.spawn', spawn)).toMatchObject({ error: { code: 'BOSUN_FORBIDDEN' } });
    expect(await executor.post('actor.send', {})).toMatchObject({ error: {} });
    const reply = await executor.order({ type: 'session.spawn', role: 'Tester', task: 'try it' });
    expect(reply).toMatchObject({ taken: false, because: 'spoke', code: 'BOSUN_SPAWN_REFUSED' });
    const refused = async () => (await doors.log()).filter(({ kind }) => kind === 'refused');
    await expect.poll(refused, SOON).toMatchObject([
      {
        session: executor.session,
        role: 'Executor',
        code: 'spoke',
        text: expect.stringContaining('hand off') as string,
      },
    ]);
    // It hands off instead, and nobody begins until the hub decides.
    const said = { outcome: 'done', recommended: 'Reviewer', reason: 'to be tried' };
    expect(await executor.order({ type: 'session.handoff', said })).toMatchObject({ taken: true });
    await executor.order({ type: 'session.complete' });
    await expect.poll(() => doors.sessions('WP-1'), SOON).toEqual(['R-1']);
  });

  it('HS-005: a Revisionist spawns at a pivot that it gives the reason for', async () => {
    const root = await doors.start();
    const revisionist = await doors.spawn(root, 'Revisionist');
    const spawn = { agentName: 'Researcher', prompt: 'read it', wait: false };
    expect(said(await revisionist.tool('runSubagent', spawn))).toBe('pivot-reason-missing');
    const pivot = { ...spawn, pivot_reason: 'the port has another protocol' };
    expect(await revisionist.tool('runSubagent', pivot)).toMatchObject({ taken: true, status: 'open' });
    const pivots = async () => (await doors.log()).filter(({ code }) => code === 'pivot');
    await expect.poll(pivots, SOON).toMatchObject([{ role: 'Revisionist' }]);
  });

  it('belongs to a token that only an administrator issues, for a session that is open', async () => {
    const root = await doors.start();
    const executor = await doors.spawn(root, 'Executor');
    expect(await executor.post('hub.token', { plan: 'WP-1', session: 'R-1' })).toMatchObject({
      error: { code: 'BOSUN_FORBIDDEN' },
    });
    expect(await doors.post('hub.token', { plan: 'WP-1', session: 'R-1-7' })).toMatchObject({
      error: { message: 'p.session: R-1-7 is no open session' },
    });
    expect(await doors.post('hub.token', { plan: 'WP-1', session: executor.session })).toMatchObject({
      ...{ role: 'Executor', tools: ['memory_agent', 'memory_plan', 'memory_steps', 'memory_context'] },
    });
    await executor.order({ type: 'session.handoff', said: { outcome: 'done', recommended: 'Reviewer', reason: 'so' } });
    await executor.order({ type: 'session.complete' });
    await expect.poll(() => doors.stateOf(executor.session), SOON).not.toBe('working');
    expect(await executor.post('session.agent', { action: 'init' })).toMatchObject({ error: {} });
  });
});

describe('a prepared spawn', () => {
  const PROMPT = 'Analyze the authentication module for security vulnerabilities';
  const REQUEST = { agent_name: 'Cognition', workspace_id: '/shop', plan_id: 'WP-1', prompt: PROMPT };
  interface Config {
    readonly enriched_prompt: string;
    readonly session_id: string;
    readonly parent_session_id: string;
  }
  const configOf = (reply: Answer) => reply['prep_config'] as Config;

  it('HS-E02, HS-051, HS-052, HS-053: has its whole prompt, executes nothing, and is launched once', async () => {
    const root = await doors.start();
    const reply = await root.tool('memory_spawn_agent', { compat_mode: 'strict', ...REQUEST });
    expect(reply).toMatchObject({ mode: 'context-prep-only', execution: { spawn_executed: false } });
    expect(reply).not.toHaveProperty('spawn_config');
    const { enriched_prompt: prompt, session_id, parent_session_id } = configOf(reply);
    for (const part of [PROMPT, ANTI_SPAWN, ESCALATION, 'workspace_id: /shop', 'plan_id: WP-1', 'title: mend it'])
      expect(prompt).toContain(part);
    expect([session_id, parent_session_id]).toEqual(['R-1-1', 'R-1']);
    expect(await doors.sessions('WP-1')).toEqual(['R-1']);
    const launch = { agentName: 'Cognition', prompt, description: 'Analyze authentication module', wait: false };
    expect(await root.tool('runSubagent', launch)).toMatchObject({ session: 'R-1-1', status: 'open' });
    const cognition = await doors.seat('R-1-1', 'Cognition');
    await expect.poll(() => doors.stateOf('R-1-1'), SOON).toBe('working');
    expect(await cognition.tool('memory_agent', { action: 'get_instructions' })).toMatchObject({
      prompt,
      task: PROMPT,
    });
    // It is launched once: the same id is the same session.
    expect(await root.tool('runSubagent', launch)).toMatchObject({ session: 'R-1-1' });
    expect((await doors.sessions('WP-1')).sort()).toEqual(['R-1', 'R-1-1']);
  });

  it('HS-E03, HS-055: has the deprecated alias in legacy mode only, with its warning', async () => {
    const root = await doors.start();
    const legacy = {
      compat_mode: 'legacy',
      ...REQUEST,
      run_id: 'r',
      execution: {},
      lane_policy: 'x',
      orchestration: 1,
    };
    const reply = await root.tool('memory_spawn_agent', legacy);
    expect(reply['spawn_config']).toEqual(reply['prep_config']);
    expect(reply['codes']).toEqual([
      ...['SPAWN_PREP_ONLY', 'SPAWN_PREP_LEGACY_ALIAS', 'SPAWN_PREP_DEPRECATED_INPUT_IGNORED'],
    ]);
  });

  it.each(['execution', 'orchestration', 'lane_policy', 'run_id'])(
    'HS-055: refuses %s in strict mode',
    async (field) => {
      const root = await doors.start();
      const reply = await root.tool('memory_spawn_agent', { ...REQUEST, [field]: 'x' });
      expect(said(reply)).toBe('execution-field');
      expect(await doors.sessions('WP-1')).toEqual(['R-1']);
    },
  );

  it('HS-055: refuses unknown fields in strict mode, and takes no number for what it refuses', async () => {
    const root = await doors.start();
    const refused = await root.tool('memory_spawn_agent', { ...REQUEST, bananas: 3 });
    expect([said(refused), refused.error?.message]).toEqual(['unknown-field', expect.stringMatching(/^bananas: /)]);
    expect(said(await root.tool('memory_spawn_agent', { ...REQUEST, step: 'S9' }))).toBe('not-here');
    expect(configOf(await root.tool('memory_spawn_agent', REQUEST)).session_id).toBe('R-1-1');
  });

  it('HS-054: is prepared by hubs only, for roles that they may spawn, of their own plan and place', async () => {
    const root = await doors.start();
    expect(said(await root.tool('memory_spawn_agent', { ...REQUEST, plan_id: 'WP-2' }))).toBe('not-here');
    expect(said(await root.tool('memory_spawn_agent', { ...REQUEST, workspace_id: '/other' }))).toBe('not-here');
    expect(said(await root.tool('memory_spawn_agent', { ...REQUEST, agent_name: 'Coordinator' }))).toBe(
      'not-spawnable',
    );
    const scope = { files: ['keys.env'], newIn: [] };
    expect(said(await root.tool('memory_spawn_agent', { ...REQUEST, agent_name: 'Executor', scope }))).toBe('scope');
    const executor = await doors.spawn(root, 'Executor');
    const asked = { request: REQUEST, pivotReason: null };
    expect(said(await executor.order({ type: 'session.prepare', ...asked }))).toBe('spoke');
    const tdd = await doors.spawn(root, 'TDDDriver');
    const request = { ...REQUEST, agent_name: 'Analyst' };
    expect(said(await tdd.tool('memory_spawn_agent', request))).toBe('not-spawnable');
  });

  it('HS-049, HS-050: names the files and directories of its scope, which its hub only narrows', async () => {
    const writes = { files: ['src/**'], newIn: ['test'] };
    const agents = { Executor: { does: { kind: 'outside' }, writes }, Reviewer: { does: { kind: 'outside' } } };
    const root = await doors.start('Coordinator', { agents });
    const prepared = async (more: object) =>
      configOf(await root.tool('memory_spawn_agent', { ...REQUEST, agent_name: 'Executor', ...more })).enriched_prompt;
    const narrow = { files: ['src/parser.ts'], newIn: ['test/parser'] };
    for (const [prompt, files, newIn] of [
      [await prepared({}), '`src/**`', '`test`'],
      [await prepared({ scope: narrow }), '`src/parser.ts`', '`test/parser`'],
    ] as const) {
      expect(prompt).toContain(`You may change only these files: ${files}.`);
      expect(prompt).toContain(`You may make new files only in these directories: ${newIn}.`);
      expect(prompt).toContain('Do not refactor or rename anything else. Do not add dependencies.');
      expect(prompt).toContain('Do not change configuration.');
      expect(prompt).toMatch(/SCOPE ESCALATION: .*stop\. Do not make the change\..*hand-off.*complete\./s);
    }
    const reviewer = configOf(await root.tool('memory_spawn_agent', { ...REQUEST, agent_name: 'Reviewer' }));
    expect(reviewer.enriched_prompt).toContain('You may read everything and change nothing.');
  });

  it('HS-056, CN-006: is refused with the code of the specification while a writer is at work', async () => {
    const does = { kind: 'outside' };
    const writes = { files: ['src/**'], newIn: [] };
    const root = await doors.start('Coordinator', { agents: { Executor: { does, writes }, Tester: { does, writes } } });
    await doors.spawn(root, 'Executor');
    const spawn = { agentName: 'Tester', prompt: 'try it', wait: false };
    expect(said(await root.tool('runSubagent', spawn))).toBe('lane');
    const codes = async () => (await doors.log()).filter(({ kind }) => kind === 'refused').map(({ code }) => code);
    await expect.poll(codes, SOON).toEqual(['SPAWN_REJECT_ACTIVE_LANE']);
  });

  it('HS-008: tells a spoke not to spawn, and leaves a nested hub its right', async () => {
    const root = await doors.start();
    for (const role of ROLES.filter((one) => one !== 'Coordinator')) {
      const reply = await root.tool('memory_spawn_agent', { ...REQUEST, agent_name: role });
      const { enriched_prompt: prompt } = configOf(reply);
      expect([role, prompt.includes(ANTI_SPAWN)]).toEqual([role, !HUBS.includes(role)]);
      expect(prompt).toContain(ESCALATION);
    }
  });

  it('is one session for its role alone, also when it is waited for', async () => {
    const root = await doors.start();
    const executor = await doors.spawn(root, 'Executor');
    const wait = { prompt: '', session_id: executor.session, wait: false };
    expect(await root.tool('runSubagent', { ...wait, agentName: 'Executor' })).toMatchObject({ status: 'open' });
    expect(said(await root.tool('runSubagent', { ...wait, agentName: 'Tester' }))).toBe('not-prepared');
  });

  it('counts for the session that prepared it, and for its role', async () => {
    const root = await doors.start();
    const { session_id } = configOf(await root.tool('memory_spawn_agent', REQUEST));
    const launch = { prompt: 'x', session_id, wait: false };
    expect(said(await root.tool('runSubagent', { ...launch, agentName: 'Reviewer' }))).toBe('not-prepared');
    const analyst = await doors.spawn(root, 'Analyst');
    expect(said(await analyst.tool('runSubagent', { ...launch, agentName: 'Cognition' }))).toBe('not-prepared');
    expect(await root.tool('runSubagent', { ...launch, agentName: 'Cognition' })).toMatchObject({
      session: session_id,
    });
  });
});

describe('a host that begins again', () => {
  it('HS-E01: takes the same tokens, and does not run again what has handed off', async () => {
    const store = memoryStore();
    const ran: string[] = [];
    const executor = ({ session }: { session: string }) => (ran.push(session), new Promise<never>(() => {}));
    const open = () => HubDoors.open({ functions: { executor } }, store);
    const agents = {
      Executor: { does: { kind: 'function', name: 'executor' } },
      Reviewer: { does: { kind: 'outside' } },
    };
    await doors.close();
    doors = await open();
    const root = await doors.start('Coordinator', { agents });
    const one = await doors.spawn(root, 'Executor');
    await one.order({ type: 'session.handoff', said: { outcome: 'done', recommended: 'Reviewer', reason: 'written' } });
    const other = await doors.spawn(root, 'Executor', { task: 'another one' });
    await expect.poll(() => ran, SOON).toEqual([one.session, other.session]);
    await doors.close();
    doors = await open();
    await expect.poll(() => ran, SOON).toEqual([one.session, other.session, other.session]);
    await expect
      .poll(() => doors.closed(), SOON)
      .toMatchObject([{ session: one.session, outcome: 'done', handoff: 1 }]);
    const again = doors.with(root);
    expect(await again.tool('runSubagent', { agentName: 'Reviewer', prompt: 'look', wait: false })).toMatchObject({
      status: 'open',
    });
  });
});
