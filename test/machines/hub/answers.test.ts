/** Answers of people to a hub's questions: files beside the scope, more money, more sessions, and what is refused. */
import { afterEach, describe, expect, it } from 'vitest';
import { type QuestionAbout } from '../../../src/machines/hub/people-answer.ts';
import { PATTERNS_MAX } from '../../../src/machines/hub/scope.ts';
import { type GateContext } from '../../../src/machines/people/gates/gate.ts';
import { GOOD_WORK, handoff, HubRoom, type HubRoomOptions, type TestWork } from '../../support/machines/hub-room.ts';

let room: HubRoom;
afterEach(() => room.test.system.stop());

async function start(options: Partial<HubRoomOptions> = {}): Promise<void> {
  room = await HubRoom.start({ work: GOOD_WORK, ...options });
}

/** The open question of the run. */
function question(): GateContext['question'] & { readonly package: QuestionAbout } {
  const gate = room.test.shard.snapshot(`open-gates/R-1-G${room.hub().context.gates}`)!;
  return (gate.context as GateContext).question as GateContext['question'] & { package: QuestionAbout };
}

const answer = (said: object, gate = `R-1-G${room.hub().context.gates}`) =>
  room.order({ type: 'gate.answer', gate, by: 'ada', answer: said }, 'gates');

/** An Executor that changes a file and makes another one, and says so in short. */
const changes =
  (...paths: string[]): TestWork =>
  () => ({
    ...handoff('done', 'Reviewer', { data: { files_modified: paths } }),
    changed: paths.map((path) => ({ path, isNew: false, lines: 1 })),
  });

const WRITES = { Executor: { writes: { files: ['src/**'], newIn: ['src'] } } };

describe('a question about the scope', () => {
  const escalate = (...paths: string[]) =>
    start({ work: { ...GOOD_WORK, Executor: changes('src/a.ts', ...paths) }, agents: WRITES });

  it('has the files outside the scope, the session, and the answer that allows them', async () => {
    await escalate('package.json');
    expect(question().package).toMatchObject({
      escalation: {
        session: 'R-1-1',
        reason: 'outside the scope: package.json',
        files: ['package.json'],
      },
      suggested: { choice: 'spawn', role: 'Executor', allow: ['package.json'] },
    });
  });

  it('names the first files, and how many more there are', async () => {
    await escalate('package.json', '.gitignore', 'lib/c.ts', 'lib/d.ts', 'lib/e.ts');
    const reason = 'outside the scope: .gitignore, lib/c.ts, lib/d.ts and 2 more';
    expect(question().package).toMatchObject({ escalation: { reason } });
  });

  it('is answered with the files, which the next session of the role may change, over a power cut', async () => {
    await escalate('package.json');
    await room.powerCut();
    expect(await answer(question().package.suggested!)).toMatchObject({ taken: true });
    expect(room.prompts[1]!.prompt).toContain('You may change only these files: `src/**`, `package.json`.');
    expect(room.prompts[1]!.scope).toEqual({ files: ['src/**', 'package.json'], newIn: ['src'] });
    expect((await room.lineage())[1]).toMatchObject({
      outcome: 'done',
      verified: { files: ['src/a.ts', 'package.json'], outOfScope: [] },
    });
    expect(room.run().status).toBe('completed');
  });

  it('suggests nothing where there are more files than a scope may have', async () => {
    await escalate(...Array.from({ length: PATTERNS_MAX + 5 }, (_, at) => `lib/${at}.ts`));
    expect(question().package.escalation!.files).toHaveLength(PATTERNS_MAX + 1);
    expect(question().package.suggested).toBe(null);
  });

  it('suggests nothing where a name would allow other files too, or no file is known', async () => {
    await escalate('**');
    expect(question().package).toMatchObject({ escalation: { files: ['**'] }, suggested: null });
    await room.test.system.stop();
    const data = { scope_escalation: true };
    await start({ work: { Executor: () => handoff('blocked', 'Revisionist', { data }) }, agents: WRITES });
    expect(question().package).toMatchObject({ escalation: { session: 'R-1-1', files: [] }, suggested: null });
  });

  it.each(['../secrets', '/etc/passwd', 'src/../../x', '..', 'a\n/../b'])(
    'refuses %j, which is outside of the workspace, with a sentence, and stays open',
    async (path) => {
      await escalate('package.json');
      expect(await answer({ choice: 'spawn', role: 'Executor', allow: ['a', path] })).toEqual({
        taken: false,
        problems: [expect.stringMatching(/^allow\.1: A path inside the workspace/)],
      });
      expect(room.begun).toHaveLength(1);
    },
  );

  it('is asked again, and says why, where files are allowed to a role that changes none', async () => {
    await escalate('package.json');
    await answer({ choice: 'spawn', role: 'Reviewer', allow: ['package.json'] });
    await answer({ choice: 'spawn', role: 'Reviewer', allow: ['package.json'] });
    expect(question().title).toBe(
      'allow: Reviewer changes no files in any run. Executor needs changes outside its scope. May it make them?',
    );
    expect(room.hub().context).toMatchObject({ gates: 3, agents: { Reviewer: { writes: null } } });
    expect(await answer({ choice: 'stop' })).toMatchObject({ taken: true });
    expect(room.run().status).toBe('failed');
  });
});

describe('a question about room', () => {
  it('says what is spent, reserved and left, and with the money that it suggests the run goes on', async () => {
    const costly: TestWork = () => ({ ...handoff('done', 'Reviewer'), usage: { costUsd: 1.5 } });
    await start({
      work: { ...GOOD_WORK, Executor: costly },
      agents: { Reviewer: { costUsd: 1.25 }, Tester: { costUsd: 3 } },
      order: { limits: { costUsd: 2 } },
    });
    expect(question().package).toMatchObject({
      budget: { limitUsd: 2, spentUsd: 1.5, reservedUsd: 0, leftUsd: 0.5, sessions: 1 },
      suggested: { choice: 'spawn', role: 'Reviewer', extraUsd: 0.75 },
    });
    await answer(question().package.suggested!);
    expect(room.begun).toEqual(['R-1-1', 'R-1-2']);
    expect(room.hub().context.budget.max.costUsd).toBe(2.75);
    expect(question().title).toBe('the budget of 2.75 $ does not cover Tester.');
    await answer({ choice: 'spawn', role: 'Tester', extraUsd: 5 });
    expect(room.run().status).toBe('completed');
  });

  it('has the number of sessions, and with those that it suggests the run goes on', async () => {
    await start({ order: { limits: { spawns: 2 } } });
    expect(question().package).toMatchObject({
      budget: { sessions: 2, sessionsMax: 2 },
      suggested: { choice: 'spawn', role: 'Tester', extraSpawns: 1 },
    });
    await answer({ choice: 'spawn', role: 'Tester', extraSpawns: 2 });
    expect(room.run().status).toBe('completed');
  });

  it('suggests more than was spent beyond the limit, and the run goes on', async () => {
    const costly: TestWork = () => ({ ...handoff('done', 'Reviewer'), usage: { tokens: 900 } });
    await start({ work: { ...GOOD_WORK, Executor: costly }, order: { limits: { tokens: 200 } } });
    expect(question().package.suggested).toEqual({ choice: 'spawn', role: 'Reviewer', extraTokens: 750 });
    await answer(question().package.suggested!);
    expect(room.run().status).toBe('completed');
  });

  it('suggests the role that begins where no agent is given for the next one', async () => {
    await start({ work: { Executor: () => handoff('done', 'Reviewer') } });
    const suggested = { choice: 'spawn', role: 'Executor' };
    expect(question().package).toMatchObject({ move: { about: 'Reviewer' }, suggested });
  });

  it('suggests the role that has failed or used up its budget once more', async () => {
    const uses: TestWork = async (_, facts) => {
      await facts.tellParent({ type: 'session.usage', tokens: 9, costUsd: 0 } as never);
      return new Promise(() => {});
    };
    const order = { start: 'Researcher' };
    await start({ work: { ...GOOD_WORK, Researcher: uses }, agents: { Researcher: { tokens: 5 } }, order });
    expect(question().package.suggested).toEqual({ choice: 'spawn', role: 'Researcher' });
  });
});

describe('a question about an interruption', () => {
  it.each([
    [['b.ts'], 'files.1: Invalid input: expected "b.ts"'],
    [['b.ts', 'c.ts'], 'files.1: Invalid option: expected one of "b.ts"|"c.ts"'],
  ])('HS-045: refuses to give up files that have not changed, with those that have: %j', async (files, problem) => {
    await start({ work: { ...GOOD_WORK, Executor: () => new Promise(() => {}) }, survey: () => files });
    await room.test.advance(20 * 60_000);
    const revert = (...some: string[]) => answer({ choice: 'revert files', files: some });
    expect(await revert('b.ts', 'nope.ts')).toEqual({ taken: false, problems: [problem] });
    expect(room.settled).toEqual([]);
    expect(await revert('b.ts')).toMatchObject({ taken: true });
    expect(room.settled).toMatchObject([{ move: { kind: 'discard', files: ['b.ts'] } }]);
  });
});
