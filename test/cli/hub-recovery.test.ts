/**
 * `bosun hub run` in a real repository when a session is interrupted or stopped: what it leaves behind is looked at in
 * order before people are asked, and nothing of the user's is given up.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlanLogEntry } from '../../src/machines/hub/plan-log.ts';
import { type SessionEntry, type SessionPrompt } from '../../src/machines/hub/session-records.ts';
import { linesOf, type Process, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { Repository } from '../support/git/repository.ts';
import { liveWith } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

const NOTHING = { run: 'true' };
const RUN = ['hub', 'run', 'hub.json', '--json'];
/** Longer than a command takes that is not to be silent, on a machine that does much else. */
const SILENCE_MS = 4_000;

let work: Workspace;
let repository: Repository;
let own: ReturnType<Repository['own']>;

beforeEach(() => {
  work = new Workspace();
  repository = new Repository({ 'src/a.txt': 'one\n', 'src/b.txt': 'b\n' }, work.file('shop'));
  repository.write({ 'src/b.txt': 'mine\n', 'staged.txt': 'mine\n', 'notes.txt': 'mine\n' });
  repository.git('add', 'staged.txt');
  own = repository.own();
});
afterEach(() => work[Symbol.asyncDispose]());

/** Writes the file of a run whose Executor is a script. */
function write(script: string, more: object = {}, fields: object = {}): void {
  const Executor = { run: script, writes: { files: ['src/**'] }, attempts: 1, ...more };
  const agents = { Executor, Reviewer: NOTHING, Tester: NOTHING, Archivist: NOTHING };
  const form = { version: 1, hub: 'mend', goal: 'mend it', workspace: 'shop', agents };
  work.write('hub.json', JSON.stringify({ ...form, ...fields }));
}

async function records<Entry>(name: string): Promise<Entry[]> {
  const { out } = await work.bosun(['records', 'work-plans/mend', name, '--json']);
  return linesOf(out).flatMap((line) => ('value' in line ? [line['value'] as Entry] : []));
}

async function shown() {
  const { out } = await work.bosun(['hub', 'show', 'R-1', '--json']);
  return JSON.parse(out) as { status: string; because: string; open: unknown[]; steps: object[]; questions: object[] };
}

/** The moves of the recovery in their order: `survey: 2 changed: a, b`. */
async function recovery(): Promise<string[]> {
  const log = await records<PlanLogEntry>('log');
  return log.flatMap(({ kind, code, text }) => (kind === 'recovery' ? [`${code}: ${text}`] : []));
}

describe('a session that is silent', () => {
  /** Changes two files and is silent, until a person has given up one of them. */
  const HALF = `[ -e src/half.txt ] && exec cp src/half.txt src/a.txt
    echo half > src/half.txt; echo wrong > src/a.txt; echo wrong > src/b.txt
    exec sleep 600`;

  it('HS-044, HS-046: is looked at in order, and corrected as people say', LONG, async () => {
    const check = { run: `printf 'src/a.ts(1,7): error TS1005: wrong\\n'; exit 2`, handoff: 'tsc' };
    const steps = [{ task: 'mend the sum', assignee: 'Executor' }];
    write(HALF, { silenceMs: SILENCE_MS }, { steps, check });
    expect((await work.bosun(RUN)).code).toBe(3);
    expect(await recovery()).toEqual([
      'survey: 3 changed: src/a.txt, src/b.txt, src/half.txt',
      'steps: stuck: S1',
      'errors: 1 errors',
      'ask: people are asked',
    ]);
    // Until people have answered, nothing is changed.
    expect(repository.own()).toEqual(own);
    expect(await shown()).toMatchObject({ status: 'recovering', steps: [{ id: 'S1', status: 'active' }] });
    const answer = ['choice=revert files', 'files=["src/a.txt","src/b.txt"]', '--by', 'ada'];
    expect((await work.bosun(['gates', 'answer', 'R-1-G1', ...answer])).code).toBe(0);
    expect((await work.bosun(RUN)).code).toBe(0);
    expect((await recovery()).at(-1)).toBe('correct: discard');
    const [step] = (await shown()).steps;
    expect(step).toMatchObject({ notes: ['Reset after subagent interruption'] });
    expect([repository.read('src/a.txt'), repository.read('src/half.txt')]).toEqual(['half\n', 'half\n']);
    const others = (all: object) => Object.entries(all).filter(([path]) => !/^src\/(a|half)/.test(path));
    expect(others(repository.own())).toEqual(others(own));
    expect(repository.trees()).toEqual([]);
  });

  it('HS-044: is spawned again within the boundaries that people set', LONG, async () => {
    const script = `case $BOSUN_PROMPT in *"only src/a.txt"*) echo two >> src/a.txt; exit ;; esac
      echo wrong > src/b.txt; exec sleep 600`;
    write(script, { silenceMs: SILENCE_MS });
    expect((await work.bosun(RUN)).code).toBe(3);
    const answer = ['choice=off script', 'guidance=Change only src/a.txt.', '--by', 'ada'];
    expect((await work.bosun(['gates', 'answer', 'R-1-G1', ...answer])).code).toBe(0);
    expect((await work.bosun(RUN)).code).toBe(0);
    expect([repository.read('src/a.txt'), repository.read('src/b.txt')]).toEqual(['one\ntwo\n', 'mine\n']);
    const told = await records<SessionPrompt>('prompts');
    expect(told.map(({ prompt }) => prompt.includes('Change only src/a.txt.')).slice(0, 2)).toEqual([false, true]);
  });
});

describe('bosun hub stop', () => {
  /** Tidies up for a second when it is asked to end, and else waits. */
  const TIDY = `trap 'sleep 1; touch "$BOSUN_WORKSPACE/../tidied"; exit' TERM
    echo changed >> src/a.txt; touch "$BOSUN_WORKSPACE/../began"
    until [ -e "$BOSUN_WORKSPACE/../go" ]; do sleep 0.05; done`;

  async function stopped(level: string): Promise<Process> {
    write(TIDY);
    const running = work.spawn([...RUN, '--port', '0']);
    await running.serves();
    await until(
      () => work.has('began'),
      () => `a start: ${running.err}`,
    );
    const { code, err } = await work.bosun(['hub', 'stop', 'R-1', '--level', level, '--by', 'ada']);
    expect([code, err]).toEqual([0, '']);
    return running;
  }

  it('HS-047: graceful lets a session finish and hand off, and begins nothing new', LONG, async () => {
    const running = await stopped('graceful');
    expect(await shown()).toMatchObject({ status: 'stopping', open: [{ session: 'R-1-1' }] });
    work.write('go', '');
    expect((await running.ended).code).toBe(1);
    expect(await records('lineage')).toMatchObject([{ session: 'R-1-1', outcome: 'done', recommended: 'Reviewer' }]);
    expect(await shown()).toMatchObject({ status: 'stopped', because: 'stopped by ada' });
    expect(repository.read('src/a.txt')).toBe('one\nchanged\n');
  });

  it.each([
    ['immediate', true],
    ['terminated', false],
  ])('HS-047: %s ends a session, which has time to tidy up: %s', LONG, async (level, hasTime) => {
    const running = await stopped(level);
    expect((await running.ended).code).toBe(1);
    expect(work.has('tidied')).toBe(hasTime);
    expect(await records<SessionEntry>('sessions')).toMatchObject([{ outcome: 'interrupted', isForced: true }]);
    expect(await records('lineage')).toEqual([]);
    expect([repository.own(), repository.trees()]).toEqual([own, []]);
    expect(liveWith(`BOSUN_WORKSPACE=${work.file('shop')}`)).toEqual([]);
  });
});

describe('a session whose host was killed', () => {
  it('HS-047: is named by the next start, which has it go on', LONG, async () => {
    write(`[ -e "$BOSUN_WORKSPACE/../go" ] || { touch "$BOSUN_WORKSPACE/../began"; exec sleep 600; }`);
    const running = work.spawn(RUN);
    await until(
      () => work.has('began'),
      () => `a start: ${running.err}`,
    );
    await running.end('SIGKILL');
    expect(await shown()).toMatchObject({ status: 'running', open: [{ session: 'R-1-1', role: 'Executor' }] });
    work.write('go', '');
    const { code, err } = await work.bosun(RUN);
    expect([code, err]).toEqual([0, expect.stringContaining('R-1 goes on with R-1-1 (Executor), left at work.')]);
    expect(await records<SessionEntry>('sessions')).toMatchObject([{ session: 'R-1-1', outcome: 'done' }, {}, {}, {}]);
  });
});
