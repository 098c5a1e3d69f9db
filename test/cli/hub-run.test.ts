/** `bosun hub`: runs to their end, over kill -9 and through questions to people, and the verbs that look at them. */
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineageOf } from '../../src/cli/hubs/hub-runs.ts';
import { hubCrew } from '../../src/crew-hub.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { type PlanLogEntry } from '../../src/machines/hub/plan-log.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { Shard } from '../../src/shard.ts';
import { overHttp, toldBy } from '../support/gateway/mcp-clients.ts';
import { CHAIN, HANDOFFS, handoffsIn, rolesRun, script, writeHub } from '../support/cli/hub-files.ts';
import { LONG, sample } from '../support/effort.ts';
import { type Call, type Ended, linesOf, type Process, Workspace } from '../support/cli/workspace.ts';
import { until } from '../support/until.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

const WAITS = script(
  'Reviewer',
  { outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode: 0 } },
  { waits: true },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The number of the process of a command that waits. */
async function pidOf(role: string): Promise<number> {
  await until(
    () => work.has(`pid-${role}`) && work.read(`pid-${role}`).endsWith('\n'),
    () => `the command of ${role}`,
  );
  return Number(work.read(`pid-${role}`));
}

/** A run whose Reviewer is at work, and the number of the process of its command. */
async function reviewing<R extends Call | Process>(
  begin: (args: readonly string[]) => R,
  ...options: string[]
): Promise<{ readonly running: R; readonly pid: number }> {
  writeHub(work, { ...CHAIN, Reviewer: WAITS });
  const running = begin(['hub', 'run', 'hub.json', '--json', ...options]);
  return { running, pid: await pidOf('Reviewer') };
}

const here = (args: readonly string[]) => work.start(args);
/** In a process of its own, which can be killed. */
const apart = (args: readonly string[]) => work.spawn(args);

describe('bosun hub run', () => {
  it('carries out commands to the end, a line for each thing that happened, and exits with 0', async () => {
    writeHub(work, CHAIN);
    const { code, out, err } = await work.bosun(['hub', 'run', 'hub.json']);
    expect({ code, out, roles: rolesRun(work) }).toEqual({
      code: 0,
      out:
        'mend (R-1): completed: the work plan is archived\n  1. Executor -> Reviewer: Executor says so\n' +
        '  2. Reviewer -> Tester: Reviewer says so\n  3. Tester -> Archivist: Tester says so\n',
      roles: Object.keys(CHAIN),
    });
    expect(err.split('\n').slice(1, -1)).toEqual([
      'started    R-1 Coordinator of mend',
      'spawned    R-1-1 Executor: the run begins',
      'handed off R-1-1 Executor -> Reviewer: Executor says so',
      'closed     R-1-1: done',
      'spawned    R-1-2 Reviewer: recommended by Executor',
      'handed off R-1-2 Reviewer -> Tester: Reviewer says so',
      'closed     R-1-2: done',
      'spawned    R-1-3 Tester: recommended by Reviewer',
      'handed off R-1-3 Tester -> Archivist: Tester says so',
      'closed     R-1-3: done',
      'spawned    R-1-4 Archivist: recommended by Tester',
      'archived   mend by R-1-4',
      'closed     R-1-4: done',
      'ended      R-1 completed: the work plan is archived',
    ]);
  });

  it('prints JSON lines with --json, and after the end the outcome and the lineage, until --fresh', async () => {
    writeHub(work, CHAIN);
    const run = (...options: string[]) => work.bosun(['hub', 'run', 'hub.json', '--json', ...options]);
    const first = await run();
    const types = linesOf(first.out).map(({ type }) => type);
    expect([types[0], types.at(-2), types.at(-1)]).toEqual(['hub.started', 'hub.closed', 'hub.report']);
    const second = await run();
    expect([second.code, linesOf(second.out), second.err]).toEqual([
      0,
      [linesOf(first.out).at(-1)],
      'mend: R-1 is over. To begin anew: the same command with --fresh, which removes the store in the directory.\n',
    ]);
    const fresh = await run('--fresh');
    expect([fresh.code, handoffsIn(fresh.out)]).toEqual([0, HANDOFFS]);
    expect(rolesRun(work)).toEqual([...Object.keys(CHAIN), ...Object.keys(CHAIN)]);
  });

  it('HS-011: has the functions of the module work, and reports what a spoke was refused', async () => {
    work.write(
      'agents.mjs',
      `export const write = async ({ prompt }, { spawn }) => {
        const { because } = await spawn({ role: 'Tester', task: 'try' });
        const isTold = prompt.includes('mend it') && prompt.includes('Do NOT call');
        const reason = isTold + ', ' + because;
        return { handoff: { outcome: 'done', recommended: 'Reviewer', reason } };
      };
      export const archive = () => ({ archives: true });`,
    );
    const functions = { Executor: { function: 'write' }, Archivist: { function: 'archive' } };
    writeHub(work, { ...CHAIN, ...functions }, { module: './agents.mjs' });
    const { code, out, err } = await work.bosun(['hub', 'run', 'hub.json']);
    expect(err).toContain('\nrefused    spawn of Tester: spoke\n');
    expect([code, out.split('\n')[1]]).toEqual([0, '  1. Executor -> Reviewer: true, spoke']);
    expect(err).toContain('\nspawned    R-1-2 Reviewer: recommended by Executor\n');
  });

  it('HS-035: decides on each spawn by the last hand-off, once the session before has closed', async () => {
    writeHub(work, CHAIN);
    await work.bosun(['hub', 'run', 'hub.json']);
    const { out } = await work.bosun(['records', 'work-plans/mend', 'log', '--json']);
    const log = linesOf(out).flatMap((line) => ('value' in line ? [line['value'] as PlanLogEntry] : []));
    // With the number of the hand-off that is the last one at that time.
    expect(log.filter(({ kind }) => kind === 'decided').map(({ session, seq, text }) => [session, seq, text])).toEqual([
      ['R-1', 0, 'Executor: the run begins'],
      ['R-1-1', 0, 'closed: done'],
      ['R-1', 1, 'Reviewer: recommended by Executor'],
      ['R-1-2', 1, 'closed: done'],
      ['R-1', 2, 'Tester: recommended by Reviewer'],
      ['R-1-3', 2, 'closed: done'],
      ['R-1', 3, 'Archivist: recommended by Tester'],
      ['R-1-4', 3, 'closed: done'],
      ['R-1', 3, 'the work plan is archived'],
    ]);
  });

  it('gives the same lineage after kill -9, and runs no session again that handed off', async () => {
    const { running, pid } = await reviewing(apart);
    await running.end('SIGKILL');
    await until(
      () => !isAlive(pid),
      () => 'the end of the command',
    );
    work.write('go-Reviewer', '');
    const { code, out, err } = await work.bosun(['hub', 'run', 'hub.json', '--json']);
    expect(err).toMatch(/^mend: R-1 goes on with R-1-2 \(Reviewer\), left at work\. /);
    expect({ code, handoffs: handoffsIn(out), roles: rolesRun(work) }).toEqual({
      code: 0,
      handoffs: HANDOFFS,
      roles: ['Executor', 'Reviewer', 'Reviewer', 'Tester', 'Archivist'],
    });
  });

  it('exits with 130 when interrupted, ends its commands, and goes on later', async () => {
    writeHub(work, { ...CHAIN, Reviewer: WAITS });
    const running = work.start(['hub', 'run', 'hub.json']);
    const pid = await pidOf('Reviewer');
    const { code, err } = await running.interrupt();
    expect({ code, isAlive: isAlive(pid) }).toEqual({ code: 130, isAlive: false });
    expect(err).toContain('interrupted; all hand-offs so far are kept. The same command continues from here.\n');
    work.write('go-Reviewer', '');
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(0);
  });

  it('says how to give more sessions, and goes on with them and with files that are allowed', LONG, async () => {
    writeHub(
      work,
      { ...CHAIN, Executor: { ...CHAIN.Executor, writes: { files: ['src/**'] }, isolation: 'none' } },
      { limits: { spawns: 2 } },
    );
    const first = await work.bosun(['hub', 'run', 'hub.json']);
    expect(first.err).toContain(
      'R-1-G1 asks: the run has spawned 2 sessions, its most.\n' +
        '  To give more and go on: bosun gates answer R-1-G1 choice=spawn role=Tester extraSpawns=1\n' +
        '  To stop: bosun gates answer R-1-G1 choice=stop\nThen run again.\n',
    );
    const refused = await work.bosun(['gates', 'answer', 'R-1-G1', 'choice=banana', '--by', 'ada']);
    expect(refused.err).toContain('expected "spawn", or choice: Invalid input: expected "stop"');
    const allow = ['choice=spawn', 'role=Executor', `allow=["it's.md"]`, 'extraSpawns=1', '--by', 'ada'];
    expect((await work.bosun(['gates', 'answer', 'R-1-G1', ...allow])).code).toBe(0);
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(3);
    const more = ['choice=spawn', 'role=Reviewer', 'extraSpawns=9', '--by', 'ada'];
    expect((await work.bosun(['gates', 'answer', 'R-1-G2', ...more])).code).toBe(0);
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(0);
    expect(rolesRun(work).slice(0, 3)).toEqual(['Executor', 'Reviewer', 'Executor']);
  });

  it('exits with 3 when people are asked, and goes on with an answer that is left in the store', async () => {
    const { Reviewer: _, ...others } = CHAIN;
    writeHub(work, others);
    const first = await work.bosun(['hub', 'run', 'hub.json']);
    expect(first.code).toBe(3);
    expect(first.err).toContain(
      'asks       R-1-G1: Reviewer is next, and no agent is given for it. Executor: Executor says so.\n',
    );
    expect(first.err).toContain(
      '  To answer: bosun gates answer R-1-G1 choice=spawn role=Executor\n' +
        '  To stop: bosun gates answer R-1-G1 choice=stop\nThen run again.\n',
    );
    const gate = await work.bosun(['gates', 'show', 'R-1-G1', '--json']);
    expect(gate.out).toContain('"suggested":{"choice":"spawn","role":"Executor"}');
    const shown = await work.bosun(['hub', 'show', 'hub.json', '--json']);
    expect(linesOf(shown.out)).toMatchObject([{ status: 'asking', questions: [{ gate: 'R-1-G1' }] }]);
    const answered = await work.bosun(['gates', 'answer', 'R-1-G1', 'choice=spawn', 'role=Tester', '--by', 'ada']);
    expect([answered.code, answered.err]).toEqual([0, expect.anything()]);
    const { code, err } = await work.bosun(['hub', 'run', 'hub.json']);
    expect(err).toContain('decided    R-1-G1: answered by ada\nspawned    R-1-2 Tester: people said so\n');
    expect([code, rolesRun(work)]).toEqual([0, ['Executor', 'Tester', 'Archivist']]);
  });

  it('keeps running with --wait while people are asked, and takes their answer at its gateway', async () => {
    writeHub(work, { Executor: CHAIN.Executor });
    const running = await work.start(['hub', 'run', 'hub.json', '--wait', '--serve', '--port', '0']).serves();
    await running.says('  To answer: bosun gates answer R-1-G1 choice=spawn role=Executor\n');
    await running.says('  To stop: bosun gates answer R-1-G1 choice=stop\n');
    const listed = await work.bosun(['call', 'hub.list', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject({ answer: { runs: [{ id: 'R-1', status: 'asking' }] } });
    expect((await work.bosun(['gates', 'answer', 'R-1-G1', 'choice=stop'])).code).toBe(0);
    expect((await running.ended).code).toBe(1);
  });

  it('asks again when it goes on with a run that paused because nobody answered', LONG, async () => {
    writeHub(work, { Executor: CHAIN.Executor }, { limits: { answerMs: 1 } });
    await work.bosun(['hub', 'run', 'hub.json']);
    // The end of the first run may come before the end of the time for an answer.
    const asksAgain = ({ err }: Ended) => err.includes('asks       R-1-G2: Reviewer is next');
    expect((await work.looks(['hub', 'run', 'hub.json'], asksAgain)).code).toBe(3);
  });

  it('exits with 1 for a run that people stop', LONG, async () => {
    writeHub(work, { Executor: CHAIN.Executor });
    await work.bosun(['hub', 'run', 'hub.json']);
    await work.bosun(['gates', 'answer', 'R-1-G1', 'choice=stop']);
    const { code, out } = await work.bosun(['hub', 'run', 'hub.json']);
    expect([code, out.split('\n')[0]]).toEqual([1, 'mend (R-1): failed: people said so']);
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(1);
  });
});

describe('bosun hub run, refused', () => {
  const refusal = async (...args: string[]) => {
    const { code, out, err } = await work.bosun(args);
    return { code, out, err: err.trimEnd() };
  };

  it(
    'exits with 2 for a file that has changed since its run began, and for the run of another file',
    LONG,
    async () => {
      writeHub(work, { Executor: CHAIN.Executor });
      await work.bosun(['hub', 'run', 'hub.json']);
      writeHub(work, CHAIN, { limits: { spawns: 200 } });
      expect(await refusal('hub', 'run', 'hub.json')).toEqual({
        ...{ code: 2, out: '' },
        err: 'hub.json has changed since R-1 began: agents, limits. Put it back, or begin anew with --fresh',
      });
      writeHub(work, CHAIN, { hub: 'other' });
      const { code, err } = await refusal('hub', 'run', 'hub.json');
      expect([code, err]).toEqual([2, expect.stringMatching(/holds the run R-1 of "mend", which is not over: /)]);
    },
  );

  it.each(['store', 'work', 'output', 'handoffs'])(
    'exits with 2, also with --fresh, and removes nothing where %s in the data directory is of somebody else',
    async (folder) => {
      writeHub(work, CHAIN);
      mkdirSync(work.file(`data/${folder}`), { recursive: true });
      work.write(`data/${folder}/mine.js`, 'mine');
      const { code, err } = await refusal('hub', 'run', 'hub.json', '--fresh');
      expect([code, err]).toEqual([2, expect.stringMatching(/was not made by Bosun.*--data/)]);
      expect(work.read(`data/${folder}/mine.js`)).toBe('mine');
    },
  );

  it('exits with 2 in the directory of a plan, as a plan does in that of a run', LONG, async () => {
    writeHub(work, CHAIN);
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    await work.bosun(['run', 'plan.yaml', '--data', 'of-plan']);
    await work.bosun(['hub', 'run', 'hub.json', '--data', 'of-hub']);
    for (const call of [
      ['hub', 'run', 'hub.json', '--data', 'of-plan'],
      ['run', 'plan.yaml', '--data', 'of-hub'],
    ])
      expect(await refusal(...call)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/holds actors of another system/),
      });
  });

  it('exits with 2 for a file with errors, and begins nothing', async () => {
    writeHub(work, {});
    expect(await refusal('hub', 'run', 'hub.json')).toMatchObject({
      ...{ code: 2, err: 'hub.json:1:1: start: no agent is given for Executor' },
    });
    expect(work.has('data')).toBe(false);
  });

  it.each([
    ['hub', 'run', 'hub.json'],
    ['run', 'plan.yaml'],
  ])('exits with 5 inside the session of a spoke: bosun %s %s', async (...args) => {
    writeHub(work, CHAIN);
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "touch began" }] }');
    const { code, err } = await work.bosun([...args.filter((arg) => arg !== undefined), '--json'], {
      BOSUN_SPOKE: '1',
    });
    expect([code, linesOf(err)]).toMatchObject([5, [{ code: 'BOSUN_SPAWN_REFUSED' }]]);
    expect([work.has('log'), work.has('began'), work.has('data')]).toEqual([false, false, false]);
  });

  it('exits with 5 for a command of a spoke that runs another hub', async () => {
    const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
    const call = `${process.execPath} "${main}" hub run hub.json --data other 2> said; echo $? >> said; false`;
    writeHub(
      work,
      {
        Executor: { run: call, attempts: 1 },
        Revisionist: script('Revisionist', { outcome: 'fixed', recommended: 'Executor' }),
      },
      { limits: { spawns: 1 } },
    );
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(3);
    expect(work.read('said')).toMatch(/^spokes never spawn, .*\n5\n$/);
  });
});

describe('bosun hub list, show and lineage', () => {
  it('say the same of a run in a running system and in its stopped store', LONG, async () => {
    const { running, pid } = await reviewing(apart, '--serve', '--port', '0');
    await running.serves();
    const look = async () => {
      const [list, show, ofRun, ofPlan] = [
        // One after the other: each opens the store if no system runs.
        await work.bosun(['hub', 'list', '--json']),
        await work.bosun(['hub', 'show', 'R-1', '--json']),
        await work.bosun(['hub', 'lineage', 'R-1', '--json']),
        await work.bosun(['hub', 'lineage', 'mend', '--json']),
      ];
      expect(ofRun).toEqual(ofPlan);
      const codes = [list, show, ofRun].map((ended) => ended.code);
      return { codes, list: linesOf(list.out), show: linesOf(show.out), handoffs: handoffsIn(ofRun.out) };
    };
    const live = await look();
    expect(live).toMatchObject({
      codes: [0, 0, 0],
      list: [{ id: 'R-1', plan: 'mend', hub: 'Coordinator', status: 'running', title: 'mend it' }],
      show: [{ id: 'R-1', open: [{ session: 'R-1-2', role: 'Reviewer' }], questions: [] }],
      handoffs: HANDOFFS.slice(0, 1),
    });
    await running.end('SIGKILL');
    await until(
      () => !isAlive(pid),
      () => 'the end of the command',
    );
    expect(await look()).toEqual(live);
    const table = await work.bosun(['hub', 'list']);
    expect(table.out.split('\n')[1]).toMatch(
      /^R-1 {2}mend {2}Coordinator {2}running {2}\S+Z {2}recommended by Executor {2}mend it$/,
    );
    expect((await work.bosun(['hub', 'show', 'R-1'])).out).toMatch(/^at work +Reviewer \(R-1-2\)$/m);
    expect((await work.bosun(['hub', 'lineage', 'R-1'])).out).toMatch(/^1\. \S+Z {2}R-1-1 {2}Executor -> Reviewer: /);
  });

  it('know a run that has no hand-offs yet, and one whose process ended before its work plan began', async () => {
    const system = new Shard({ ...hubCrew(), store: levelStore(work.file('data/store')) });
    await system.start();
    await system.ask(DESKS.hubs, {
      ...{
        type: 'hub.start',
        plan: 'mend',
        about: { title: 'mend it' },
        workspace: '/shop',
        decides: { kind: 'rules' },
      },
      agents: { Executor: { does: { kind: 'function', name: 'work' } } },
    });
    expect(await lineageOf('another', (...which) => system.records.list(...which))).toEqual([]);
    await system.stop();
    expect(await work.bosun(['hub', 'show', 'R-1'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^run +R-1$/m),
    });
    expect(await work.bosun(['hub', 'lineage', 'R-1'])).toMatchObject({ code: 0, err: 'no hand-offs\n' });
  });

  it('show the session of a hub that a function leads, which has the id of its run', LONG, async () => {
    work.write('lead.mjs', `export const lead = (_, { run }) => run({ key: 'a', role: 'Executor', task: 'mend' });`);
    writeHub(work, { Executor: CHAIN.Executor! }, { module: './lead.mjs', decides: { function: 'lead' } });
    await work.bosun(['hub', 'run', 'hub.json']);
    for (const [id, role] of [
      ['R-1', 'Coordinator'],
      ['R-1-1', 'Executor'],
    ])
      expect((await work.bosun(['hub', 'session', id!])).out).toMatch(new RegExp(`^session +${id}\\nrole +${role}\\n`));
  });

  it('exit with 2 for a run that is not there', LONG, async () => {
    writeHub(work, CHAIN);
    await work.bosun(['hub', 'run', 'hub.json']);
    expect((await work.bosun(['hub', 'show', 'R-1'])).out).toMatch(/^R-1-1 +Executor, done\nR-1-2 +Reviewer, done\n/m);
    expect((await work.bosun(['hub', 'session', 'R-1-9'])).err).toBe(
      'no session "R-1-9"; bosun hub show R-1 shows those of its run\n',
    );
    for (const verb of ['show', 'lineage', 'session'])
      expect(await work.bosun(['hub', verb, 'R-7'])).toMatchObject({
        ...{ code: 2, err: expect.stringMatching(/^no run (or work plan )?"R-7"; bosun hub list shows them\n$/) },
      });
  });
});

describe('bosun hub stop', () => {
  it.each(sample(['immediate', 'graceful', 'terminated'], 3))('stops a running run: %s', async (level) => {
    const { running, pid } = await reviewing(here, '--serve', '--port', '0');
    await running.serves();
    const { code, out } = await work.bosun(['hub', 'stop', 'R-1', '--level', level, '--by', 'ada']);
    expect({ code, out }).toEqual({ code: 0, out: `R-1: ${level} stop ordered by ada\n` });
    // A session may finish when the stop is graceful, and only then.
    if (level === 'graceful') {
      expect(isAlive(pid)).toBe(true);
      work.write('go-Reviewer', '');
    }
    const ended = await running.ended;
    // A process that was killed is there until its parent has heard of it.
    await until(
      () => !isAlive(pid),
      () => 'the end of the command',
    );
    const handedOff = HANDOFFS.slice(0, level === 'graceful' ? 2 : 1);
    expect([ended.code, handoffsIn(ended.out)]).toEqual([1, handedOff]);
    expect(linesOf(ended.out).at(-1)).toMatchObject({ status: 'stopped', because: 'stopped by ada' });
  });

  it('exits with 7 where no system runs', async () => {
    writeHub(work, CHAIN);
    await work.bosun(['hub', 'run', 'hub.json']);
    expect(await work.bosun(['hub', 'stop', 'R-1'])).toMatchObject({
      ...{ code: 7, err: expect.stringContaining('start one with bosun hub run FILE --serve') },
    });
  });
});

describe('a hub that a coding agent decides in', () => {
  it('HS-E01: gives it the tools of its role by a token, which counts over kill -9', LONG, async () => {
    const outside = { outside: true };
    writeHub(work, { Executor: outside, Archivist: { run: 'true' } }, { decides: 'outside' });
    const begin = () => work.spawn(['hub', 'run', 'hub.json', '--json', '--port', '0']);
    const told = async (running: Process) => {
      await running.says('"hub.token"');
      const held = linesOf(running.out).find(({ type }) => type === 'hub.token') as unknown as Held;
      return { ...held, mcp: (token = held.token) => overHttp('of 2026', `${held.url}/mcp`, token) };
    };
    const running = begin();
    const hub = await told(running);
    const root = await hub.mcp();
    expect((await root.tools()).map(({ name }) => name)).toContain('runSubagent');
    const place = { workspace_id: work.path, plan_id: 'mend' };
    const spawn = { agentName: 'Executor', prompt: 'write it' };
    const session = toldBy(await root.call('runSubagent', spawn)) as { session: string; session_token: string };
    const executor = await hub.mcp(session.session_token);
    expect((await executor.tools()).map(({ name }) => name)).not.toContain('runSubagent');
    const handoff = { action: 'handoff', ...place, from_agent: 'Executor', to_agent: 'Coordinator', reason: 'written' };
    await executor.call('memory_agent', { ...handoff, recommended: 'Reviewer' });
    await running.end('SIGKILL');
    const again = begin();
    const back = await told(again);
    const rest = await back.mcp(session.session_token);
    await rest.call('memory_agent', { action: 'complete', ...place, agent_type: 'Executor', summary: 'done' });
    const lead = await back.mcp(hub.token);
    const waited = await lead.call('runSubagent', { ...spawn, session_id: session.session });
    expect(toldBy(waited)).toMatchObject({ status: 'closed', handoff: { recommended: 'Reviewer', reason: 'written' } });
    await lead.call('memory_agent', { action: 'complete', ...place, agent_type: 'Coordinator', summary: 'enough' });
    const { code } = await again.ended;
    expect([code, handoffsIn(again.out)]).toEqual([0, ['Executor -> Reviewer']]);
  });
});

describe('the gateway of a run', () => {
  it('does nothing for a program of this machine that shows no token', LONG, async () => {
    const { running } = await reviewing(here, '--port', '0');
    await running.serves();
    const url = /http:[^#\s]+/.exec(running.err)![0].replace(/\/$/, '');
    const token = /#token=(\S+)/.exec(running.err)![1]!;
    const ask = (headers: object) =>
      fetch(`${url}/v1/procedures/hub.list`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{}' },
      });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(200);
    await running.interrupt();
  });

  it('takes no token of before --fresh', LONG, async () => {
    writeHub(work, { Executor: { outside: true } }, { decides: 'outside' });
    const begin = async (...more: string[]) => {
      const running = work.start(['hub', 'run', 'hub.json', '--json', '--port', '0', ...more]);
      await running.says('"hub.token"');
      return { running, ...(linesOf(running.out).find(({ type }) => type === 'hub.token') as unknown as Held) };
    };
    const first = await begin();
    await first.running.interrupt();
    const { running, url } = await begin('--fresh');
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${first.token}` };
    const body = JSON.stringify({ action: 'get' });
    expect((await fetch(`${url}/v1/procedures/session.plan`, { method: 'POST', headers, body })).status).toBe(401);
    await running.interrupt();
  });
});

/** The line by which a run tells its token. */
interface Held {
  readonly url: string;
  readonly token: string;
}
