/** Hub, spokes and work plan in a test system on virtual time: the chain, refusals, recovery, and crashes anywhere. */
import { afterEach, describe, expect, it } from 'vitest';
import { SAME_OUTCOME_MAX } from '../../../src/machines/hub/loop-guard.ts';
import { ANTI_SPAWN, ESCALATION } from '../../../src/machines/hub/prompt.ts';
import { RESET_NOTE } from '../../../src/machines/hub/plan-steps.ts';
import { GOOD_WORK, handoff, HubRoom, type HubRoomOptions, type TestWork } from '../../support/machines/hub-room.ts';

const MINUTE_MS = 60_000;
const CHAIN = ['Executor->Coordinator(Reviewer)', 'Reviewer->Coordinator(Tester)', 'Tester->Coordinator(Archivist)'];

let room: HubRoom;
afterEach(() => room.test.system.stop());

async function start(options: Partial<HubRoomOptions> = {}): Promise<HubRoom> {
  return (room = await HubRoom.start({ work: GOOD_WORK, ...options }));
}

const never: TestWork = () => new Promise(() => {});

describe('a whole run', () => {
  it('HS-E01, HS-016, HS-031: goes from the Executor to an archived plan', async () => {
    await start();
    expect(await room.chain()).toEqual(CHAIN);
    expect(room.plan().status).toBe('archived');
    expect((await room.sessions()).map(({ role, handoff: seq, isForced }) => [role, seq, isForced])).toEqual([
      ['Executor', 1, false],
      ['Reviewer', 2, false],
      ['Tester', 3, false],
      ['Archivist', null, false],
    ]);
    expect(room.run()).toMatchObject({ status: 'completed', sessions: 4 });
  });

  it('HS-020: each session is on record with its parent, its times, its usage and its summary', async () => {
    await start({
      work: {
        ...GOOD_WORK,
        Executor: () => ({ ...handoff('done', 'Reviewer'), summary: 'mended', artifacts: ['a.patch'] }),
      },
    });
    expect((await room.sessions())[0]).toMatchObject({
      ...{ session: 'R-1-1', run: 'R-1', plan: 'WP-1', role: 'Executor', parent: 'R-1', depth: 1, outcome: 'done' },
      ...{ summary: 'mended', artifacts: ['a.patch'], usage: { steps: 0, costUsd: 0 } },
    });
  });

  it('CN-015: entries of lineage are found by who handed off, over all plans', async () => {
    await start();
    const { records } = await room.test.system.records.find('work-plan', 'lineage', ['from', 'Tester']);
    expect(records.map(({ address, number }) => [address, number])).toEqual([['work-plans/WP-1', 3]]);
  });

  it('HS-061, HS-062: a work plan can be read with all that it has, by anybody', async () => {
    const about = { title: 'mend it', priority: 'high', goals: ['no crash'], success_criteria: ['tests pass'] };
    await start({ work: { ...GOOD_WORK, Reviewer: never }, order: { about, steps: [{ task: 'write' }] } });
    expect(await room.order({ type: 'plan.get' }, 'work-plans/WP-1')).toMatchObject({
      ...{ ...about, category: 'feature', status: 'active', recommended: null, currentAgent: 'Reviewer' },
      ...{ steps: [{ index: 1, task: 'write' }], sessions: [{ role: 'Reviewer' }], lastHandoff: { from: 'Executor' } },
    });
    const { status } = room.plan();
    expect(status).toBe('active');
  });

  it('HS-063: steps are changed by orders, and an order about none is refused', async () => {
    await start({ work: { Executor: never } });
    const order = (event: object) => room.order(event, 'work-plans/WP-1');
    expect(await order({ type: 'step.add', steps: [{ task: 'a' }, { task: 'b' }] })).toMatchObject({ taken: true });
    expect(await order({ type: 'step.delete', id: 'S1' })).toMatchObject({ taken: true });
    expect(await order({ type: 'step.update', id: 'S1' })).toEqual({ taken: false, problems: ['no step "S1"'] });
    expect([...room.plan().steps.values()]).toMatchObject([{ id: 'S2', index: 1, task: 'b' }]);
  });

  it('HS-021: the current agent comes back to the hub and is nobody once the plan is archived', async () => {
    await start({ work: { ...GOOD_WORK, Reviewer: never } });
    expect(room.plan()).toMatchObject({ currentAgent: 'Reviewer', recommended: null });
    await room.test.system.stop();
    await start();
    expect(room.plan().currentAgent).toBe(null);
  });

  it('HS-012, HS-035: every decision was made on the last hand-off of that time', async () => {
    await start();
    const decided = (await room.log()).filter(({ kind, code }) => kind === 'decided' && code === 'spawn');
    expect(decided.map(({ seq, text }) => [seq, text.split(':')[0]])).toEqual([
      [0, 'Executor'],
      [1, 'Reviewer'],
      [2, 'Tester'],
      [3, 'Archivist'],
    ]);
  });

  it('HS-013, HS-015: a hand-off alone spawns nobody, and control is back at the hub', async () => {
    await start();
    const log = await room.log();
    for (const { session, startedAtMs, endedAtMs } of await room.sessions())
      expect([session, endedAtMs]).toEqual([session, startedAtMs]);
    const spawned = log.flatMap(({ kind, session }, index) => (kind === 'spawned' ? [{ session, index }] : []));
    const closed = log.flatMap(({ text, session }, index) => (text.startsWith('closed:') ? [{ session, index }] : []));
    for (const [at, { session, index }] of closed.slice(0, -1).entries()) {
      expect(session).toBe(spawned[at]!.session);
      expect(index).toBeLessThan(spawned[at + 1]!.index);
    }
  });

  it('HS-008, HS-049: every prompt has its scope and tells spokes not to spawn', async () => {
    await start();
    expect(room.prompts).toHaveLength(4);
    for (const { prompt } of room.prompts) {
      expect(prompt).toContain(ANTI_SPAWN);
      expect(prompt).toContain(ESCALATION);
    }
  });

  it('HS-014: a plan has one run at a time', async () => {
    await start({ work: { ...GOOD_WORK, Executor: never }, order: { plan: 'shop' } });
    const agents = { Executor: { does: { kind: 'function', name: 'x' } } };
    const again = { type: 'hub.start', about: { title: 'again' }, workspace: '/shop', agents, plan: 'shop' };
    expect(await room.order(again)).toMatchObject({ taken: false, problems: [expect.stringContaining('R-1 has')] });
  });

  it('refuses a spoke as hub, a missing agent, and files for a role that writes none', async () => {
    await start({ isIdle: true });
    const does = { kind: 'function', name: 'x' };
    const agents = { Reviewer: { does, writes: { files: ['a'] } } };
    const asked = { type: 'hub.start', hub: 'Executor', about: { title: 'x' }, workspace: '/shop', agents };
    const { problems } = await room.order(asked);
    expect(problems).toEqual([
      expect.stringMatching(/^hub: Executor/),
      expect.stringMatching(/^agents\.Reviewer\.writes/),
      expect.stringMatching(/^start: no agent is given for Executor/),
    ]);
  });
});

describe('a power cut at any epoch', () => {
  it('HS-E01: gives the same lineage, with no entry twice and no session lost', async () => {
    // The store is cut after each number of writes until a run gets through without one.
    for (let cut = 1; ; cut++) {
      const run = await HubRoom.startCut({ work: GOOD_WORK }, cut);
      room = run.room;
      expect([cut, await room.chain()]).toEqual([cut, CHAIN]);
      expect((await room.sessions()).map(({ session }) => session)).toEqual(['R-1-1', 'R-1-2', 'R-1-3', 'R-1-4']);
      expect(room.run().status).toBe('completed');
      await room.test.system.stop();
      if (!run.isCut) break;
      expect(cut).toBeLessThan(500);
    }
    await start();
  });
});

describe('the right to spawn', () => {
  const spawns =
    (asked: object): TestWork =>
    async (_, facts) => {
      const reply = await facts.ask({
        to: facts.parent!,
        event: { type: 'session.spawn', pivotReason: null, task: 'look', ...asked },
      });
      return handoff('blocked', 'Revisionist', { data: { findings: reply } });
    };

  it('HS-007, HS-009, HS-010, HS-011: a spoke that asks to spawn is refused, on record, and goes on', async () => {
    await start({
      work: { ...GOOD_WORK, Executor: spawns({ role: 'Tester', from_agent: 'Coordinator' }), Revisionist: never },
    });
    expect((await room.lineage())[0]!.data.findings).toMatchObject({
      taken: false,
      because: 'spoke',
      code: 'BOSUN_SPAWN_REFUSED',
    });
    expect((await room.log()).filter(({ kind }) => kind === 'refused')).toMatchObject([
      { session: 'R-1-1', role: 'Executor', code: 'spoke' },
    ]);
    expect(room.begun).toEqual(['R-1-1', 'R-1-2']);
  });

  it('HS-005: a Revisionist spawns at a pivot with its reason, and not without', async () => {
    const pivot: TestWork = async (_, facts) => {
      const to = facts.parent!;
      const ask = (pivotReason: string | null) =>
        facts.ask({ to, event: { type: 'session.spawn', role: 'Researcher', task: 'read it', pivotReason } });
      const [bare, good] = [await ask(null), await ask('the port has another protocol')];
      return handoff('fixed', 'Executor', { data: { findings: { bare, good } } });
    };
    await start({
      work: { ...GOOD_WORK, Revisionist: pivot, Researcher: () => handoff('complete', 'Architect') },
      order: { start: 'Revisionist' },
    });
    const sessions = await room.sessions();
    expect(sessions.find(({ role }) => role === 'Researcher')).toMatchObject({ parent: 'R-1-1', depth: 2 });
    const refused = (await room.log()).filter(({ kind }) => kind === 'refused');
    expect(refused).toMatchObject([{ role: 'Revisionist', code: 'pivot-reason-missing' }]);
    expect((await room.log()).filter(({ code }) => code === 'pivot')).toHaveLength(1);
  });

  it.each(['Worker', 'Cognition'] as const)('HS-003, HS-004, HS-037: a %s may not change the plan', async (role) => {
    const change: TestWork = async (_, facts) => {
      const order = { type: 'step.add', steps: [{ task: 'mine' }] };
      const said = await facts.ask({ to: facts.parent!, event: { type: 'session.change', order } });
      return handoff(null, role === 'Worker' ? null : 'Executor', { data: { findings: said } });
    };
    await start({
      work: { ...GOOD_WORK, Executor: never, [role]: change },
      agents: { Worker: { writes: { files: ['a.ts'], newIn: [] } } },
      order: { start: role, task: 'look at it' },
    });
    expect((await room.lineage())[0]!.data.findings).toMatchObject({ taken: false });
    expect(room.plan().steps.size).toBe(0);
    expect((await room.log()).filter(({ kind }) => kind === 'refused')).toMatchObject([{ role }]);
  });
});

describe('a hand-off', () => {
  it('HS-017: a session that says nothing is told once, and then closed by force with what it lacked', async () => {
    await start({ work: { ...GOOD_WORK, Executor: () => ({ handoff: null }) } });
    expect(room.begun).toEqual(['R-1-1', 'R-1-1']);
    expect(room.prompts[1]!.problems[0]).toMatch(/nothing was handed off/);
    expect(await room.sessions()).toMatchObject([{ outcome: 'refused', isForced: true, handoff: null }]);
    expect(room.run().status).toBe('asking');
  });

  it('HS-031: an Archivist that has not archived has failed', async () => {
    await start({ work: { ...GOOD_WORK, Archivist: () => ({ archives: false }) } });
    expect((await room.sessions()).at(-1)).toMatchObject({ role: 'Archivist', outcome: 'failed', isForced: true });
    expect(room.run()).toMatchObject({ status: 'asking', because: expect.stringContaining('archives the work plan') });
  });

  it('HS-024: one outside the table is told with the list of what is inside', async () => {
    await start({
      work: {
        ...GOOD_WORK,
        Executor: ({ round }) => (round === 1 ? handoff('done', 'Archivist') : handoff('done', 'Reviewer')),
      },
    });
    expect(room.prompts[1]!.problems).toEqual(['recommended: Executor recommends Reviewer at done']);
    expect(await room.chain()).toEqual(CHAIN);
  });

  it('HS-025: a review behind an implementation names the command that verified the build', async () => {
    await start({ work: { ...GOOD_WORK, Reviewer: () => handoff('approved', 'Tester') } });
    expect(room.prompts.at(-1)!.problems[0]).toMatch(/^build:/);
    expect((await room.sessions()).at(-1)).toMatchObject({ role: 'Reviewer', outcome: 'refused' });
  });

  it('HS-038: changes outside the scope are not applied, whatever was said', async () => {
    const touched: string[] = [];
    const files = [
      { path: 'src/a.ts', isNew: false, lines: 1 },
      { path: 'keys.env', isNew: true, lines: 1 },
    ];
    await start({
      work: {
        ...GOOD_WORK,
        Executor: () => ({
          ...handoff('done', 'Reviewer', { data: { files_modified: ['src/a.ts'] } }),
          changed: files,
          isHeld: true,
        }),
      },
      agents: { Executor: { writes: { files: ['src/**'], newIn: ['src'] } } },
      apply: ({ session }) => (touched.push(session), { conflict: null }),
    });
    expect(touched).toEqual([]);
    expect((await room.lineage())[0]).toMatchObject({
      data: { scope_escalation: true, files_modified: ['src/a.ts'] },
      verified: { files: ['src/a.ts', 'keys.env'], outOfScope: ['keys.env'] },
    });
    expect(room.run()).toMatchObject({ status: 'asking' });
  });

  it('HS-038: changes of a session are not applied before its hand-off fits', async () => {
    const applied: string[] = [];
    const changed = [{ path: 'src/a.ts', isNew: false, lines: 1 }];
    await start({
      work: {
        ...GOOD_WORK,
        Executor: ({ round }) => ({
          ...handoff(round === 1 ? 'splendid' : 'done', 'Reviewer'),
          ...{ changed, isHeld: true },
        }),
      },
      agents: { Executor: { writes: { files: ['src/**'], newIn: [] } } },
      apply: ({ session }) => (applied.push(session), { conflict: null }),
    });
    expect(room.begun.slice(0, 2)).toEqual(['R-1-1', 'R-1-1']);
    expect(applied).toHaveLength(1);
    expect(await room.chain()).toEqual(CHAIN);
  });

  const changed = [{ path: 'src/a.ts', isNew: false, lines: 1 }];
  const failed = 'the changes could not be applied: git apply: no space left';

  it.each<readonly [what: string, apply: HubRoomOptions['apply'], why: string]>([
    ['conflict', () => ({ conflict: 'src/a.ts: changed by another' }), 'src/a.ts: changed by another'],
    [
      'cannot be applied',
      () => {
        throw new Error('git apply: no space left\nfatal: src/a.ts');
      },
      failed,
    ],
  ])('changes that %s block the session, which says why, and people are told', async (_, apply, why) => {
    const Executor = () => ({ ...handoff('done', 'Reviewer'), changed, isHeld: true });
    const agents = { Executor: { writes: { files: ['src/**'], newIn: [] } } };
    await start({ work: { Executor }, agents, ...(apply && { apply }) });
    expect(await room.lineage()).toMatchObject([
      { outcome: 'blocked', recommended: 'Revisionist', reason: why, data: { blockers: [why] } },
    ]);
    expect(await room.sessions()).toMatchObject([{ outcome: 'blocked', summary: why }]);
    expect(room.run().because).toBe(`Revisionist is next, and no agent is given for it. Executor: ${why}.`);
  });
});

describe('a Worker', () => {
  const agents = { Worker: { writes: { files: ['a.ts'], newIn: [] } } };

  it('HS-036: is not begun without its task and scope, and hands off what it lacks', async () => {
    await start({ work: { ...GOOD_WORK, Worker: never }, order: { start: 'Worker' } });
    expect(room.begun).toEqual([]);
    expect((await room.lineage())[0]!.data.blockers.map((one) => one.split(':')[0])).toEqual(['task', 'scope']);
  });

  it('HS-003, HS-038, HS-028: hands off at its sixth step, and the hub asks instead of spawning it again', async () => {
    const steps: TestWork = async (_, facts) => {
      for (let step = 0; step < 6; step++) await facts.tellParent({ type: 'session.step' });
      return handoff('complete', null);
    };
    await start({ work: { ...GOOD_WORK, Worker: steps }, agents, order: { start: 'Worker', task: 'rename it' } });
    expect(await room.lineage()).toMatchObject([
      { from: 'Worker', to: 'Coordinator', data: { budget_exceeded: true } },
    ]);
    const why = 'it has taken more steps than the 5 that it may';
    expect(room.run()).toMatchObject({
      ...{ status: 'asking', because: `Worker has used up its budget: ${why}. Is the work to be divided?` },
    });
    expect(room.begun).toHaveLength(1);
  });

  it('HS-039: has five steps', async () => {
    const steps: TestWork = async (_, facts) => {
      for (let step = 0; step < 5; step++) await facts.tellParent({ type: 'session.step' });
      return handoff('complete', null);
    };
    await start({ work: { ...GOOD_WORK, Worker: steps }, agents, order: { start: 'Worker', task: 'rename it' } });
    expect(await room.sessions()).toMatchObject([{ outcome: 'done', usage: { steps: 5 } }]);
  });
});

describe('failing work', () => {
  it('DC-012: is tried again after 5 and 10 s, three times in all, and then people are asked', async () => {
    await start({ work: { ...GOOD_WORK, Executor: () => Promise.reject(new Error('no compiler')) } });
    await room.test.advance(4_999);
    expect(room.begun).toHaveLength(1);
    await room.test.advance(1);
    expect(room.begun).toHaveLength(2);
    await room.test.advance(9_999);
    expect(room.begun).toHaveLength(2);
    await room.test.advance(1);
    expect(room.begun).toHaveLength(3);
    await room.test.advance(MINUTE_MS);
    expect(room.begun).toHaveLength(3);
    expect(await room.sessions()).toMatchObject([{ outcome: 'failed', summary: 'no compiler' }]);
    expect(room.run().status).toBe('asking');
  });

  it('is asked about with the beginning of its reason, which says that it is cut', async () => {
    const Executor = () => Promise.reject(new Error(`${'no compiler, '.repeat(20)}`));
    await start({ work: { Executor }, agents: { Executor: { attempts: 1 } } });
    expect(room.run().because).toMatch(/^Executor has failed: no compiler, .{180,190}…\. Who is to do its work\?$/);
  });

  it('DC-012: goes to the other agent that is named for it', async () => {
    const agents = {
      Executor: { attempts: 1, fallback: 'Worker' as const },
      Worker: { writes: { files: ['a'], newIn: [] }, task: 'do it' },
    };
    await start({ work: { ...GOOD_WORK, Executor: () => Promise.reject(new Error('no')), Worker: never }, agents });
    expect(room.begun).toEqual(['R-1-1', 'R-1-2']);
  });

  it('CN-019: is not tried again where its error is of the third tier', async () => {
    const error = Object.assign(new Error('bad key'), { errorType: 'configuration_error' });
    await start({ work: { ...GOOD_WORK, Executor: () => Promise.reject(error) } });
    await room.test.advance(MINUTE_MS);
    expect(room.begun).toHaveLength(1);
  });

  it('a circle of equal outcomes ends with a question to people', async () => {
    await start({
      work: {
        ...GOOD_WORK,
        Executor: () => handoff('blocked', 'Revisionist'),
        Revisionist: () => handoff('fixed', 'Executor'),
      },
    });
    expect(room.run().status).toBe('asking');
    const blocked = (await room.sessions()).filter(({ role }) => role === 'Executor');
    expect(blocked).toHaveLength(SAME_OUTCOME_MAX);
    await room.answer({ choice: 'spawn', role: 'Archivist' });
    expect(room.plan().status).toBe('archived');
  });

  it('X-60: silence of people pauses the run and changes nothing', async () => {
    await start({ work: { Executor: () => handoff('done', 'Reviewer') }, order: { limits: { answerMs: MINUTE_MS } } });
    expect(room.run().status).toBe('asking');
    await room.test.advance(MINUTE_MS);
    expect(room.run().status).toBe('paused');
    expect(room.begun).toHaveLength(1);
    expect(await room.order({ type: 'hub.resume', run: 'R-1', by: 'ada' })).toMatchObject({ taken: true });
    expect(room.run().status).toBe('asking');
  });
});

describe('an interruption', () => {
  const steps = [{ task: 'write it', assignee: 'Executor' }];

  it('HS-014, HS-044, HS-046: 20 silent minutes, over a power cut, are recovered from in order', async () => {
    let isMute = true;
    await start({
      work: {
        ...GOOD_WORK,
        Executor: (work, facts, signal) => (isMute ? never(work, facts, signal) : handoff('done', 'Reviewer')),
      },
      order: { steps },
      survey: () => ['src/half.ts'],
    });
    expect([...room.plan().steps.values()][0]!.status).toBe('active');
    await room.test.advance(19 * MINUTE_MS);
    await room.powerCut();
    expect(room.run().status).toBe('running');
    await room.test.advance(MINUTE_MS);
    expect(room.run().status).toBe('recovering');
    const moves = (await room.log()).filter(({ kind }) => kind === 'recovery').map(({ code }) => code);
    expect(moves).toEqual(['survey', 'steps', 'errors', 'ask']);
    expect((await room.log()).some(({ code }) => code === 'SPAWN_STALE_RECOVERY')).toBe(true);
    expect(room.settled).toEqual([]);
    isMute = false;
    await room.answer({ choice: 'revert all' });
    expect(room.settled).toMatchObject([{ session: 'R-1-1', move: { kind: 'discard all' } }]);
    const last = (await room.log()).filter(({ kind }) => kind === 'recovery').at(-1)!;
    expect(last.code).toBe('correct');
    expect([...room.plan().steps.values()][0]!.notes).toEqual([RESET_NOTE]);
    expect(await room.chain()).toEqual(CHAIN);
  });

  it.each([
    [{ choice: 'keep' }, { kind: 'keep' }],
    [
      { choice: 'revert files', files: ['b.ts'] },
      { kind: 'discard', files: ['b.ts'] },
    ],
    [{ choice: 'off script' }, { kind: 'discard all' }],
  ])('HS-045: %j', async (answer, move) => {
    await start({ work: { ...GOOD_WORK, Executor: never }, survey: () => ['b.ts'] });
    await room.test.advance(20 * MINUTE_MS);
    await room.answer(answer);
    expect(room.settled).toMatchObject([{ move }]);
    expect(room.begun).toEqual(['R-1-1', 'R-1-2']);
  });

  it('X-60: nothing is reverted while nobody answers', async () => {
    await start({ work: { ...GOOD_WORK, Executor: never }, order: { limits: { answerMs: MINUTE_MS } } });
    await room.test.advance(22 * MINUTE_MS);
    expect(room.run().status).toBe('paused');
    expect(room.settled).toEqual([]);
  });

  it('a sign of life keeps a session from being stale', async () => {
    const talks: TestWork = async (work, facts) => {
      await facts.tellParent({ type: 'session.beat' });
      return never(work, facts, AbortSignal.abort());
    };
    await start({ work: { ...GOOD_WORK, Executor: talks }, agents: { Executor: { silenceMs: MINUTE_MS } } });
    await room.test.advance(MINUTE_MS - 1);
    expect(room.run().status).toBe('running');
  });
});

describe('a stop', () => {
  const stop = (level: string) => room.order({ type: 'hub.stop', run: 'R-1', by: 'ada', level });

  it('HS-047: a graceful one lets the session finish and hand off, and begins nothing new', async () => {
    let finish = (_: object) => {};
    await start({ work: { ...GOOD_WORK, Executor: () => new Promise((resolve) => (finish = resolve)) } });
    expect(await stop('graceful')).toMatchObject({ taken: true });
    expect(room.run().status).toBe('stopping');
    finish(handoff('done', 'Reviewer'));
    await room.test.settle();
    expect(room.run().status).toBe('stopped');
    expect(await room.chain()).toEqual(CHAIN.slice(0, 1));
    expect(room.begun).toHaveLength(1);
  });

  it.each([
    ['immediate', []],
    ['terminated', ['R-1-1']],
  ] as const)('HS-047: %s aborts the work; kill: %j', async (level, killed) => {
    let isAborted = false;
    await start({
      work: {
        ...GOOD_WORK,
        Executor: (work, facts, signal) => {
          signal.addEventListener('abort', () => (isAborted = true));
          return never(work, facts, signal);
        },
      },
    });
    await stop(level);
    expect(isAborted).toBe(true);
    expect(room.killed).toEqual(killed);
    expect(room.run().status).toBe('stopped');
    expect(await room.sessions()).toMatchObject([{ outcome: 'interrupted', isForced: true }]);
  });

  it('takes back the question that people were asked (S18)', async () => {
    await start({ work: { Executor: () => handoff('done', 'Reviewer') } });
    expect([room.run().status, room.openGates()]).toEqual(['asking', ['R-1-G1']]);
    await stop('graceful');
    expect([room.run().status, room.openGates()]).toEqual(['stopped', []]);
    expect(room.test.shard.deadLetters.list()).toEqual([]);
  });

  it('is carried out when the time of the run is over', async () => {
    await start({ work: { ...GOOD_WORK, Executor: never }, order: { limits: { timeMs: MINUTE_MS } } });
    await room.test.advance(MINUTE_MS - 1);
    expect(room.run().status).toBe('running');
    await room.test.advance(1);
    expect(room.run()).toMatchObject({ status: 'stopped', because: 'its time is over' });
  });
});

describe('a budget', () => {
  it('CN-016: is reserved at the spawn and settled at the close; what it does not cover is asked', async () => {
    const costs = (costUsd: number, said: object) => () => ({ ...said, usage: { costUsd } });
    await start({
      work: { ...GOOD_WORK, Executor: costs(4, handoff('done', 'Reviewer')) },
      agents: { Executor: { costUsd: 3 }, Reviewer: { costUsd: 2 } },
      order: { limits: { costUsd: 5 } },
    });
    expect(room.run()).toMatchObject({ status: 'asking', because: expect.stringContaining('budget') });
    await room.answer({ choice: 'spawn', role: 'Reviewer', extraUsd: 1 });
    expect(room.plan().seq).toBeGreaterThan(1);
  });
});

describe('a TDD hub', () => {
  it('HS-042, HS-043, HS-030: RED fails, GREEN and REFACTOR pass, in every cycle', async () => {
    const runs: string[] = [];
    const phase =
      (said: () => object): TestWork =>
      ({ role }) => (runs.push(role), said());
    const fails = [true, false, false];
    await start({
      work: {
        Tester: phase(() => handoff('tests-written', null, { testsPass: fails.shift() ?? false, to: 'TDDDriver' })),
        Executor: phase(() => handoff('done', 'Reviewer', { testsPass: true, to: 'TDDDriver' })),
        Reviewer: phase(() =>
          handoff('approved', 'Tester', { testsPass: true, to: 'TDDDriver', build: { command: 'make', exitCode: 0 } }),
        ),
      },
      order: { hub: 'TDDDriver', cycles: 2 },
    });
    expect(runs).toEqual(['Tester', 'Tester', 'Executor', 'Reviewer', 'Tester', 'Executor', 'Reviewer']);
    expect(room.run()).toMatchObject({ status: 'completed', because: 'all cycles are complete' });
  });

  it('HS-042, HS-043: a failure at RED is progress, and no circle however many cycles there are', async () => {
    const isGood = { testsPass: true, to: 'TDDDriver' };
    await start({
      work: {
        Tester: () => handoff('failed', 'Revisionist', { testsPass: false, to: 'TDDDriver' }),
        Executor: () => handoff('done', 'Reviewer', isGood),
        Reviewer: () => handoff('approved', 'Tester', { ...isGood, build: { command: 'make', exitCode: 0 } }),
      },
      order: { hub: 'TDDDriver', cycles: 4 },
    });
    expect(room.begun).toHaveLength(12);
    expect(room.run()).toMatchObject({ status: 'completed', because: 'all cycles are complete' });
  });

  it('HS-043: asks with the last words of the Tester where a phase does not end', async () => {
    const Tester = () => handoff('tests-written', null, { testsPass: true, reason: 'the test passes without code.' });
    await start({ work: { Tester, Executor: never, Reviewer: never }, order: { hub: 'TDDDriver', start: 'Tester' } });
    expect(room.run().because).toBe('cycle 1 does not leave RED. Tester: the test passes without code.');
  });
});
