/** `bosun hub run` in git repositories: sessions that change files, those that leave their scope, lie, or die. */
import { existsSync, readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LineageEntry } from '../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../src/machines/hub/session-records.ts';
import { LONG } from '../support/effort.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { Repository } from '../support/git/repository.ts';
import { until } from '../support/until.ts';

const BOSUNS = ['data', 'node_modules', 'hub.json'];

let work: Workspace;
let repository: Repository;
let own: ReturnType<Repository['own']>;

beforeEach(() => {
  work = new Workspace();
  repository = new Repository(
    {
      'src/a.txt': 'one\n',
      'src/b.txt': 'b\n',
      'package.json': '{}\n',
      '.gitignore': 'data\nnode_modules\nhub.json\n',
    },
    work.path,
  );
  repository.write({ 'src/b.txt': 'mine\n', 'notes.txt': 'mine\n' });
  repository.git('add', 'notes.txt');
  own = repository.own(BOSUNS);
});
afterEach(() => work[Symbol.asyncDispose]());

const NOTHING = { run: 'true' };
const SCOPE = { files: ['src/a.txt'], newIn: ['src/new'] };

/** Runs a hub whose Executor is a script with a scope. */
async function run(script: string, more: object = {}, agents: object = {}) {
  const Executor = { run: script, writes: SCOPE, attempts: 1, ...more };
  const others = { Reviewer: NOTHING, Tester: NOTHING, Archivist: NOTHING, ...agents };
  work.write('hub.json', JSON.stringify({ version: 1, hub: 'mend', goal: 'mend it', agents: { Executor, ...others } }));
  return work.bosun(['hub', 'run', 'hub.json', '--json']);
}

async function records<Entry>(name: string): Promise<Entry[]> {
  const { out } = await work.bosun(['records', 'work-plans/mend', name, '--json']);
  return linesOf(out).flatMap((line) => ('value' in line ? [line['value'] as Entry] : []));
}

const first = async () => (await records<LineageEntry>('lineage'))[0]!;

/** The user's files but for some that a session was to change. */
function ownBut(...changed: string[]) {
  const now = repository.own(BOSUNS);
  const left = (all: Readonly<Record<string, string>>) => Object.entries(all).filter(([key]) => !changed.includes(key));
  return { now: left(now), before: left(own) };
}

describe('a session that changes files', () => {
  it('HS-049: has its changes merged into the files of the user, whose own work stays as it is', async () => {
    const { code } = await run('echo two >> src/a.txt; mkdir src/new; echo n > src/new/n.txt');
    expect(code).toBe(0);
    expect([work.read('src/a.txt'), work.read('src/new/n.txt')]).toEqual(['one\ntwo\n', 'n\n']);
    expect((await first()).verified).toMatchObject({
      files: ['src/a.txt', 'src/new/n.txt'],
      outOfScope: [],
      signs: [],
    });
    const { now, before } = ownBut('src/a.txt', 'src/new/n.txt');
    expect(now).toEqual(before);
    expect(repository.trees()).toEqual([]);
    const [session] = await records<SessionEntry>('sessions');
    expect(readFileSync(session!.artifacts[0]!, 'utf8')).toContain('+two');
  });

  it('HS-038, HS-048: is a scope escalation with each file outside, of which nothing reaches the user', async () => {
    const { code } = await run('echo x > src/b.txt; rm src/a.txt');
    expect(code).toBe(3);
    expect((await first()).verified).toMatchObject({
      outOfScope: ['src/b.txt'],
      signs: ['unexpected-files'],
    });
    expect(repository.own(BOSUNS)).toEqual(own);
  });

  it('is shown with the files that were verified, and as closed', async () => {
    await run('echo x > src/b.txt; rm src/a.txt');
    const { out } = await work.bosun(['hub', 'session', 'R-1-1']);
    expect(out).toMatch(/^changed files +src\/a\.txt, src\/b\.txt\noutside the scope +src\/b\.txt\n/m);
    const { out: json } = await work.bosun(['hub', 'session', 'R-1-1', '--json']);
    expect(linesOf(json)).toMatchObject([
      { status: 'closed', outcome: 'scopeEscalated', verified: { outOfScope: ['src/b.txt'] } },
    ]);
  });

  it('HS-048: shows new dependencies, configuration and steps of others as signs', LONG, async () => {
    const said = {
      outcome: 'done',
      recommended: 'Reviewer',
      reason: 'done',
      data: { steps_completed: ['S9'], files_modified: ['src/a.txt'] },
    };
    const writes = `echo '{"dependencies":{"left":"1"}}' > package.json; echo x > .env`;
    await run(`${writes}; echo '${JSON.stringify(said)}' > "$BOSUN_HANDOFF"`, { handoff: 'file' });
    const { verified, data } = await first();
    expect(verified.signs).toEqual(['unexpected-files', 'new-dependencies', 'unassigned-steps', 'config-changed']);
    // What it said is kept as said, beside what was found.
    expect([data.files_modified, verified.files]).toEqual([['src/a.txt'], ['.env', 'package.json']]);
    expect(repository.own(BOSUNS)).toEqual(own);
  });

  it('goes on with what it had changed when people allow the files', LONG, async () => {
    await run('[ -e src/b.new ] || echo once >> src/b.new; echo two >> src/a.txt');
    const allow = ['choice=spawn', 'role=Executor', 'allow=["src/b.new"]', '--by', 'ada'];
    expect((await work.bosun(['gates', 'answer', 'R-1-G1', ...allow])).code).toBe(0);
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(0);
    expect(work.read('src/b.new')).toBe('once\n');
    // The second session began with the line of the first one.
    expect(work.read('src/a.txt')).toBe('one\ntwo\ntwo\n');
  });

  it('is blocked where the user has changed the same lines meanwhile', LONG, async () => {
    const conflicting = `echo theirs > src/a.txt; echo hers > "$BOSUN_WORKSPACE/src/a.txt"`;
    const Revisionist = { run: 'false' };
    await run(conflicting, {}, { Revisionist });
    expect((await first()).data.blockers[0]).toMatch(/^src\/a\.txt: changed in the workspace since/);
    expect(work.read('src/a.txt')).toBe('hers\n');
  });

  it(
    'HS-045: leaves its tree to people when it is silent, and its changes to the session that goes on',
    LONG,
    async () => {
      const waits = `[ -e src/new/began ] || { mkdir src/new; echo x > src/new/began; exec sleep 600; }
    echo two >> src/a.txt`;
      const { code, err } = await run(waits, { silenceMs: 2_000 });
      expect(code).toBe(3);
      const answer = 'bosun gates answer R-1-G1';
      expect(err.slice(err.indexOf('R-1-G1 asks:'))).toBe(
        'R-1-G1 asks: Executor was interrupted. What went wrong, and how is it to go on?\n' +
          `  To keep what it has changed: ${answer} choice=keep\n` +
          `  To give up some files: ${answer} 'choice=revert files' 'files=["src/new/began"]'\n` +
          `  To give up all of it: ${answer} 'choice=revert all'\n  To stop: ${answer} choice=stop\nThen run again.\n`,
      );
      const nope = ['choice=revert files', 'files=["src/nope.txt"]', '--by', 'ada'];
      const refused = await work.bosun(['gates', 'answer', 'R-1-G1', ...nope]);
      expect(refused.code).not.toBe(0);
      expect(refused.err).toContain('expected "src/new/began"');
      expect(repository.trees()).toEqual(['R-1-1', 'R-1-1.objects']);
      expect((await work.bosun(['gates', 'answer', 'R-1-G1', 'choice=keep', '--by', 'ada'])).code).toBe(0);
      expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(0);
      expect([work.read('src/new/began'), work.read('src/a.txt')]).toEqual(['x\n', 'one\ntwo\n']);
      expect(repository.trees()).toEqual([]);
    },
  );

  it('begins in a new tree when its host was killed, which leaves nothing of the first one', LONG, async () => {
    const script = `echo half >> src/a.txt
    echo "$BOSUN_ATTEMPT" >> "$BOSUN_WORKSPACE/data/tries"
    [ -e "$BOSUN_WORKSPACE/data/go" ] || exec sleep 600`;
    const agents = { Executor: { run: script, writes: SCOPE }, Reviewer: NOTHING, Tester: NOTHING, Archivist: NOTHING };
    work.write('hub.json', JSON.stringify({ version: 1, hub: 'mend', goal: 'mend it', agents }));
    const running = work.spawn(['hub', 'run', 'hub.json']);
    await until(
      () => work.has('data/tries'),
      () => `a start: ${running.err}`,
    );
    running.child.kill('SIGKILL');
    await running.ended;
    work.write('data/go', '');
    expect((await work.bosun(['hub', 'run', 'hub.json'])).code).toBe(0);
    expect(work.read('src/a.txt')).toBe('one\nhalf\n');
    expect(repository.trees()).toEqual([]);
  });
});

describe('a session that changes nothing', () => {
  it('works among the files of the user, and what it changes there is a sign', async () => {
    const { code } = await run('true', {}, { Reviewer: { run: 'echo x > stray.txt' } });
    expect(code).toBe(0);
    const [, review] = await records<LineageEntry>('lineage');
    expect(review!.verified).toMatchObject({ files: ['stray.txt'], signs: ['unexpected-files'] });
  });
});

describe('agents without a repository', () => {
  it('are refused if they change files, with the two ways out, unless they change them directly', async () => {
    await using bare = new Workspace();
    const agents = { Executor: { run: 'echo two > a.txt', writes: { files: ['a.txt'] } } };
    const file = { version: 1, hub: 'mend', goal: 'mend it', agents };
    bare.write('hub.json', JSON.stringify(file));
    const { code, err } = await bare.bosun(['hub', 'check', 'hub.json']);
    expect([code, err]).toEqual([2, expect.stringMatching(/no git repository.*run "git init".*"isolation: none"/s)]);
    const direct = { Executor: { ...agents.Executor, isolation: 'none' } };
    bare.write('hub.json', JSON.stringify({ ...file, agents: direct }));
    expect((await bare.bosun(['hub', 'run', 'hub.json'])).code).toBe(3);
    expect([bare.read('a.txt'), existsSync(bare.file('data/work'))]).toEqual(['two\n', false]);
  });
});

it('no source file has a git command that throws away what a user has', () => {
  const files = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const wasteful = /'(?:clean|reset|restore|switch|stash|rebase|filter-branch)', |--hard|git clean|checkout -f/;
  expect(files.filter((text) => text.includes('git') && wasteful.test(text))).toEqual([]);
  const commands = files.flatMap((text) =>
    [...text.matchAll(/git\.(?:run|out|write)\(\['([\w-]+)'/g)].map(([, name]) => name!),
  );
  expect([...new Set(commands)].sort()).toEqual([
    ...['apply', 'checkout-index', 'commit-tree', 'diff', 'diff-tree', 'for-each-ref', 'ls-files', 'read-tree'],
    ...['rev-parse', 'update-index', 'write-tree'],
  ]);
});
