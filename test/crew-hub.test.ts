/** Hub and spokes of a host: functions, and real commands whose host ends anywhere. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hubCrew, type HubCrewOptions, type SessionReply, type SpokeFunction } from '../src/crew-hub.ts';
import { reportHandoff } from '../src/machines/hub/report-handoff.ts';
import { handoffProblems } from '../src/machines/hub/handoff-rules.ts';
import { type LineageEntry } from '../src/machines/hub/handoff.ts';
import { type HubDeskContext } from '../src/machines/hub/hub-desk.ts';
import { ROLES } from '../src/machines/hub/roles.ts';
import { type WorkPlanContext } from '../src/machines/hub/work-plan.ts';
import { Commands } from '../src/spokes/command.ts';
import { LeftOvers } from '../src/spokes/processes.ts';
import { Outputs } from '../src/spokes/outputs.ts';
import { runSession } from '../src/spokes/session-command.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { showsBy } from './support/shown-by.ts';
import { until } from './support/until.ts';
import { endedIn, openIn } from '../src/machines/rules/records.ts';

let test: TestSystem;
let cwd: string;

beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'bosun-hub-'))));
afterEach(async () => {
  await test.system.stop();
  await new LeftOvers(cwd).end();
  rmSync(cwd, { recursive: true });
});

const desk = () => test.shard.snapshot('hubs')!.context as HubDeskContext;
const plan = () => test.shard.snapshot('work-plans/WP-1')!.context as WorkPlanContext;
const isOver = () => endedIn(desk()).length > 0;

async function lineage(): Promise<LineageEntry[]> {
  const { records } = await test.system.records.list('work-plans/WP-1', 'lineage');
  return records.map(({ value }) => value as LineageEntry);
}

async function begin(options: HubCrewOptions): Promise<void> {
  showsBy('system');
  test = await startTestSystem(hubCrew(options));
}

const HUB = { type: 'hub.start', about: { title: 'mend it' }, workspace: '/shop' };

async function order(agents: object, more: object = {}): Promise<void> {
  const event = { type: 'hub.start', about: { title: 'mend it' }, workspace: cwd, agents, ...more };
  await test.system.send('hubs', event);
  await test.settle();
}

/** Runs commands as a host that begins anew does. */
function host(): HubCrewOptions {
  const commands = new Commands({ store: cwd, cwd, env: () => process.env });
  const place = { commands, outputs: new Outputs(join(cwd, 'output')), workspace: cwd };
  const filesOf = (session: string, round: number) => {
    const handoff = join(cwd, 'handoffs', `${session}-${round}.json`);
    return { handoff, prompt: join(place.outputs.folderOf({ session, round }), 'prompt.md') };
  };
  return {
    runCommand: ({ run, byExit, session, round, prompt }, effect, signal) =>
      runSession(
        { session, round, run, byExit, report: null, prompt, input: { prompt } },
        { ...place, files: filesOf(session, round), env: { BOSUN_HANDOFF: filesOf(session, round).handoff } },
        { effect, signal },
      ),
  };
}

/** A command that notes its role, and hands off by the file. */
function script(role: string, said: object): object {
  const json = JSON.stringify({ reason: 'it is so', ...said });
  const write = `printf '%s' '${json}' > "$BOSUN_HANDOFF.new"`;
  const run = `echo ${role} >> log\n${write}\nmv "$BOSUN_HANDOFF.new" "$BOSUN_HANDOFF"`;
  return { does: { kind: 'command', run } };
}

const CHAIN = {
  Executor: script('Executor', { outcome: 'done', recommended: 'Reviewer' }),
  Reviewer: script('Reviewer', { outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode: 0 } }),
  Tester: script('Tester', { outcome: 'passed', recommended: 'Archivist', testsPass: true }),
  Archivist: { does: { kind: 'command', run: 'echo Archivist >> log', handoff: 'exit' } },
};

describe('commands that are real processes', () => {
  it('HS-E01: give the same lineage wherever their host ends, and none that handed off runs again', async () => {
    // Every third write is a place to end at, until a run gets through without an end.
    for (let cut = 1, isCut = true; isCut; cut += 3) {
      await begin(host());
      const { store } = test;
      const before = store.writes;
      await order(CHAIN);
      await until(
        () => isOver() || store.writes >= before + cut,
        () => 'the cut',
      );
      isCut = !isOver();
      const handedOff = isCut ? plan().seq : 0;
      if (isCut) {
        const ran = existsSync(join(cwd, 'log')) ? readFileSync(join(cwd, 'log'), 'utf8').split('\n').slice(0, -1) : [];
        await test.crash();
        await test.restart(hubCrew(host()));
        await until(isOver, () => 'the end of the run');
        const after = readFileSync(join(cwd, 'log'), 'utf8').split('\n').slice(0, -1).slice(ran.length);
        // The sessions behind the last hand-off that was durable may run; those before it do not.
        expect(after.filter((role) => Object.keys(CHAIN).indexOf(role) < handedOff)).toEqual([]);
      }
      expect([cut, (await lineage()).map(({ from, to, recommended }) => `${from}->${to}(${recommended})`)]).toEqual([
        cut,
        ['Executor->Coordinator(Reviewer)', 'Reviewer->Coordinator(Tester)', 'Tester->Coordinator(Archivist)'],
      ]);
      expect(plan().status).toBe('archived');
      expect(cut).toBeLessThan(300);
      if (!isCut) return;
      await test.system.stop();
      // A host that is gone in fact opens no gate: in this process it keeps one shut.
      await new LeftOvers(cwd).end();
      rmSync(cwd, { recursive: true });
      cwd = mkdtempSync(join(tmpdir(), 'bosun-hub-'));
    }
  });

  it('hand off by their exit code, as the table of their role has it', () => {
    for (const role of ROLES)
      for (const exitCode of [0, 2]) {
        const said = reportHandoff({ role, hub: 'Coordinator' }, { command: 'make', exitCode, report: null });
        if (said === null) continue;
        expect([role, exitCode, handoffProblems({ role, hub: 'Coordinator', isBuildCheck: true }, said)]).toEqual([
          role,
          exitCode,
          [],
        ]);
      }
    expect(
      reportHandoff({ role: 'Tester', hub: 'Coordinator' }, { command: 'make', exitCode: 1, report: null }),
    ).toMatchObject({
      outcome: 'failed',
      recommended: 'Revisionist',
    });
  });

  it('are refused by a host that runs none, and not tried again', async () => {
    await begin({});
    await order(CHAIN);
    expect(openIn(desk())).toMatchObject([{ status: 'asking' }]);
  });

  it('are told once that their hand-off file is no JSON, and are refused then', async () => {
    await begin(host());
    await order({
      Executor: { attempts: 1, does: { kind: 'command', run: 'echo tried >> log; echo broken > "$BOSUN_HANDOFF"' } },
    });
    await until(
      () => openIn(desk())[0]?.status === 'asking',
      () => 'the question',
    );
    const { records } = await test.system.records.list('work-plans/WP-1', 'sessions');
    expect(records[0]!.value).toMatchObject({
      outcome: 'refused',
      summary: expect.stringMatching(/^the file of the hand-off is no JSON: /),
    });
  });
});

describe('commands with a reader', () => {
  const finding = { rule: 'eqeqeq', level: 'error', message: 'use ===', file: 'a.js', line: 3, column: 1 } as const;
  const reads = (handoff: string) => ({ attempts: 1, does: { kind: 'command', run: handoff, handoff } });

  it('hand off by their report, with its findings, to the hub that goes on by it', async () => {
    const ran: unknown[] = [];
    const runCommand: HubCrewOptions['runCommand'] = ({ run, byExit }) => {
      ran.push([run, byExit]);
      if (run === 'tsc') return Promise.resolve({ exitCode: 0, report: { findings: [], tests: null } });
      return Promise.resolve({ exitCode: 1, report: { findings: [finding], tests: null } });
    };
    await begin({ runCommand });
    await order({ Executor: reads('tsc'), Reviewer: reads('eslint'), Revisionist: { does: { kind: 'outside' } } });
    expect(ran).toEqual([
      ['tsc', true],
      ['eslint', true],
    ]);
    expect(await lineage()).toMatchObject([
      { from: 'Executor', outcome: 'done', recommended: 'Reviewer', reason: 'no findings' },
      {
        ...{ from: 'Reviewer', outcome: 'issues', recommended: 'Revisionist', reason: '1 error in 1 file' },
        data: { blockers: ['a.js:3: use ==='], findings: { total: 1, shown: [finding] } },
        verified: { build: { command: 'eslint', exitCode: 1 } },
      },
    ]);
    expect([...plan().sessions.values()]).toMatchObject([{ role: 'Revisionist' }]);
  });

  it('are not good where their host says nothing of a report, or why it could not be read', async () => {
    await begin({ runCommand: () => Promise.resolve({ exitCode: 0 }) });
    await order({ Executor: reads('tsc'), Revisionist: { does: { kind: 'outside' } } });
    expect(await lineage()).toMatchObject([
      { outcome: 'build-failed', reason: expect.stringMatching(/could not be read: this host reads no reports$/) },
    ]);
  });

  it('archive nothing where their report is not good', async () => {
    const runCommand: HubCrewOptions['runCommand'] = () =>
      Promise.resolve({ exitCode: 0, report: { findings: [], tests: { passed: 0, failed: 0, skipped: 0 } } });
    await begin({ runCommand });
    await order({ Archivist: reads('tap') }, { start: 'Archivist' });
    expect(plan().status).not.toBe('archived');
  });

  it('are refused with a file of a report that no reader reads', async () => {
    await begin({});
    const does = { kind: 'command', run: 'make', handoff: 'exit', report: 'a.xml' };
    await expect(test.system.ask('hubs', { ...HUB, agents: { Executor: { does } } })).rejects.toThrow(
      'is for a command with a reader',
    );
  });
});

describe('functions', () => {
  it('HS-009: speak in the name of their session, and of no other', async () => {
    const replies: SessionReply[] = [];
    const executor: SpokeFunction = async (_, tools) => {
      await tools.step();
      replies.push(await tools.spawn({ role: 'Tester', task: 'try it' }));
      replies.push(await tools.change({ type: 'note.add', text: 'tried' }));
      return { handoff: { outcome: 'done', recommended: 'Reviewer', reason: 'written' } };
    };
    await begin({ functions: { executor } });
    await order({ Executor: { does: { kind: 'function', name: 'executor' } } });
    expect(replies).toMatchObject([{ taken: false, because: 'spoke' }, { taken: true }]);
    expect([...plan().notes.values()]).toMatchObject([{ text: 'tried', by: 'R-1-1' }]);
    expect((await lineage())[0]).toMatchObject({ from: 'Executor' });
  });
});
