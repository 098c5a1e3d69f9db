/** Worktrees of sessions in real git repositories: the user's own files, whatever is uncommitted, stay as they are. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGED_BYTES_MAX } from '../../src/spokes/limits.ts';
import { nextTurn } from '../../src/spokes/waits.ts';
import { Worktrees, type WorktreeOptions } from '../../src/spokes/worktrees.ts';
import { Repository } from '../support/git/repository.ts';

const FILES = {
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': 'b\n',
  'README.md': 'shop\n',
  '.gitignore': 'node_modules\n*.log\n',
};
const PLACE = { session: 'R-1-1', isIsolated: true };

let repository: Repository;
let trees: Worktrees;
let own: ReturnType<Repository['own']>;

beforeEach(() => {
  repository = new Repository(FILES);
  // The user is in the middle of something: staged, unstaged, untracked, ignored and stashed.
  repository.write({ 'README.md': 'stashed\n' });
  repository.git('stash');
  repository.write({ 'src/b.ts': 'staged\n' });
  repository.git('add', 'src/b.ts');
  repository.write({ 'src/b.ts': 'staged and changed\n', 'notes.txt': 'mine\n', 'debug.log': 'mine too\n' });
  repository.write({ 'node_modules/left/index.js': 'x' });
  trees = made();
  own = repository.own(['data']);
});
afterEach(() => repository.remove());

function made(options: Partial<WorktreeOptions> = {}): Worktrees {
  return new Worktrees({ folder: join(repository.path, 'data/work'), workspace: repository.path, ...options });
}

/** Begins the tree of a session, and has files written there. */
async function written(files: Readonly<Record<string, string>>, place = PLACE): Promise<string> {
  await trees.begin(place);
  const directory = await trees.directoryOf(place);
  write(directory, files);
  return directory;
}

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

describe('a worktree', () => {
  it("has the user's files as they are, uncommitted ones too, and changes none of them", async () => {
    const directory = await written({});
    expect(readFileSync(join(directory, 'src/b.ts'), 'utf8')).toBe('staged and changed\n');
    expect(readFileSync(join(directory, 'notes.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(directory, 'debug.log'))).toBe(false);
    expect(repository.own(['data'])).toEqual(own);
  });

  it('tells each changed file, new ones too, whatever its own index says', async () => {
    const directory = await written({ 'src/a.ts': 'one\n2\nthree\n', 'src/new.ts': 'n\n', 'x.log': 'ignored' });
    rmSync(join(directory, 'README.md'));
    repository.git('-C', directory, 'update-index', '--assume-unchanged', 'src/a.ts');
    expect(await trees.changes(PLACE)).toEqual([
      { path: 'README.md', isNew: false, lines: 1 },
      { path: 'src/a.ts', isNew: false, lines: 2 },
      { path: 'src/new.ts', isNew: true, lines: 1 },
    ]);
  });

  it('counts changes that were committed there, and those of a tree that has lost its own .git', async () => {
    const directory = await written({ 'src/a.ts': 'committed\n' });
    repository.git('-C', directory, 'commit', '--quiet', '-am', 'hidden');
    expect(await trees.changes(PLACE)).toMatchObject([{ path: 'src/a.ts' }]);
    rmSync(join(directory, '.git'), { recursive: true });
    expect(await trees.changes(PLACE)).toMatchObject([{ path: 'src/a.ts' }]);
    expect(repository.own(['data'])).toEqual(own);
  });

  it('is a repository of its own: what is done to its stash, branches, settings and hooks stays there', async () => {
    repository.git('branch', 'other');
    repository.write({ '.git/hooks/pre-commit': '#!/bin/sh\nexit 1\n' });
    chmodSync(join(repository.path, '.git/hooks/pre-commit'), 0o755);
    own = repository.own(['data']);
    const settings = repository.read('.git/config');
    const objects = readdirSync(join(repository.path, '.git/objects'), { recursive: true }).length;
    const directory = await written({ 'src/a.ts': 'mine\n' });
    const inside = (...args: string[]) => repository.git('-C', directory, ...args);
    expect(inside('log', '--format=%s', 'other').trim()).toBe('first');
    inside('stash');
    inside('stash', 'pop');
    expect(() => inside('stash', 'pop')).toThrow('No stash entries');
    inside('commit', '--quiet', '-am', 'hidden');
    inside('branch', '-D', 'other');
    inside('tag', 'v1');
    inside('config', 'user.name', 'Eve');
    expect(await trees.changes(PLACE)).toMatchObject([{ path: 'src/a.ts' }]);
    expect(repository.own(['data'])).toEqual(own);
    expect(repository.read('.git/config')).toBe(settings);
    expect(readdirSync(join(repository.path, '.git/objects'), { recursive: true })).toHaveLength(objects);
  });

  it('has the files of repositories that were made inside, without those that they ignore', async () => {
    const directory = await written({
      'kit/x.ts': 'x\n',
      'kit/.gitignore': 'out\n',
      'kit/out/o': 'o',
      'kit/in/y': 'y',
    });
    for (const folder of ['kit', 'kit/in']) repository.git('-C', join(directory, folder), 'init', '--quiet');
    const files = await trees.changes(PLACE);
    expect(files!.map(({ path }) => path)).toEqual(['kit/.gitignore', 'kit/in/y', 'kit/x.ts']);
    expect(await trees.apply(PLACE)).toEqual({ conflict: null });
    expect([repository.read('kit/x.ts'), repository.read('kit/in/y'), repository.read('kit/out/o')]).toEqual([
      'x\n',
      'y',
      null,
    ]);
    expect(existsSync(join(repository.path, 'kit/.git'))).toBe(false);
  });

  describe('a merge that was cut off when some of its files were there', () => {
    const after = { 'src/a.ts': 'applied\n', 'src/c.ts': 'new\n', 'src/d.ts': 'new too\n' };
    beforeEach(async () => {
      const directory = await written(after);
      rmSync(join(directory, 'README.md'));
      await trees.changes(PLACE);
      const { base, changes } = JSON.parse(repository.read('data/work/R-1-1.json')!) as Record<string, string>;
      own = repository.own(['data']);
      repository.write({ 'src/a.ts': after['src/a.ts'], 'src/c.ts': after['src/c.ts'] });
      rmSync(join(repository.path, 'README.md'));
      repository.write({ 'data/work/R-1-1.merge/note': `${base} ${changes}` });
    });

    it('is made whole by the next', async () => {
      await made().sweep(() => true);
      expect(await made().apply(PLACE)).toEqual({ conflict: null });
      expect(Object.keys(after).map((path) => repository.read(path))).toEqual(Object.values(after));
      expect([repository.read('README.md'), existsSync(join(repository.path, 'data/work/R-1-1.merge'))]).toEqual([
        null,
        false,
      ]);
    });

    it('is taken back, but for what the user has changed since, where that conflicts', async () => {
      repository.write({ 'src/c.ts': 'mine\n' });
      expect(await made().apply(PLACE)).toEqual({
        conflict: 'src/c.ts: changed in the workspace since the session began',
      });
      const { 'src/c.ts': mine, ...left } = repository.own(['data']);
      expect([mine, left]).toEqual([`644 ${Buffer.from('mine\n').toString('base64')}`, own]);
    });

    it('is taken back when its session is over', async () => {
      await made().sweep(() => false);
      expect(repository.own(['data'])).toEqual(own);
    });
  });

  it('is merged into files that the user changes at the same time', async () => {
    await written({ 'src/a.ts': 'one\ntwo\nthree\nfour\n', 'src/new/n.ts': 'n\n' });
    await trees.changes(PLACE);
    repository.write({ 'src/a.ts': 'ONE\ntwo\nthree\n', 'notes.txt': 'mine, changed\n' });
    expect(await trees.apply(PLACE)).toEqual({ conflict: null });
    expect(repository.read('src/a.ts')).toBe('ONE\ntwo\nthree\nfour\n');
    expect(repository.read('src/new/n.ts')).toBe('n\n');
    expect(repository.read('notes.txt')).toBe('mine, changed\n');
    expect(repository.own(['data']).index).toBe(own['index']);
  });

  it('changes nothing where it conflicts, and says where', async () => {
    await written({ 'src/a.ts': 'ours\n', 'src/b.ts': 'ours too\n' });
    await trees.changes(PLACE);
    repository.write({ 'src/a.ts': 'mine\n' });
    const before = repository.own(['data']);
    const { conflict } = await trees.apply(PLACE);
    expect(conflict).toBe('src/a.ts: changed in the workspace since the session began');
    expect(repository.own(['data'])).toEqual(before);
  });

  it('is applied once, however often that is asked, and whole after a merge that was cut off', async () => {
    const directory = await written({ 'src/a.ts': 'applied\n', 'src/c.ts': 'new\n' });
    rmSync(join(directory, 'README.md'));
    await trees.changes(PLACE);
    // The half that a killed host has put there before.
    repository.write({ 'src/a.ts': 'applied\n' });
    await trees.apply(PLACE);
    const once = repository.own(['data']);
    expect(await made().apply(PLACE)).toEqual({ conflict: null });
    expect(repository.own(['data'])).toEqual(once);
    expect([repository.read('src/c.ts'), repository.read('README.md')]).toEqual(['new\n', null]);
  });

  it('overwrites no file that git ignores, and leaves the workspace by no link', async () => {
    await written({ '.gitignore': 'node_modules\n', 'debug.log': 'its own\n' });
    await trees.changes(PLACE);
    expect(await trees.apply(PLACE)).toEqual({ conflict: 'debug.log: is there already, and git ignores it' });
    expect(repository.own(['data'])).toEqual(own);
  });

  it('keeps links and executable files as they are', async () => {
    const directory = await written({ 'bin/run': '#!/bin/sh\n' });
    chmodSync(join(directory, 'bin/run'), 0o755);
    symlinkSync('../README.md', join(directory, 'src/link'));
    await trees.changes(PLACE);
    await trees.apply(PLACE);
    const after = repository.own(['data']);
    expect(after['bin/run']).toMatch(/^755 /);
    expect(after['src/link']).toBe('777 ../README.md');
  });

  it('is removed with a patch of what was changed, also if it was damaged', async () => {
    const directory = await written({ 'src/a.ts': 'changed\n' });
    rmSync(join(directory, '.git'), { recursive: true });
    const patch = await trees.release(PLACE);
    expect(readFileSync(patch!, 'utf8')).toContain('+changed');
    expect(existsSync(directory)).toBe(false);
    expect(await trees.read(PLACE, 1_000)).toMatchObject({ files: [{ path: 'src/a.ts' }], isCut: false });
    expect(repository.own(['data'])).toEqual(own);
  });

  it('begins with what another session has left, and without files that were given up', async () => {
    await written({ 'src/a.ts': 'kept\n', 'src/b.ts': 'given up\n' });
    await trees.release(PLACE, ['src/b.ts']);
    const next = { session: 'R-1-2', isIsolated: true };
    await trees.begin(next, { from: 'R-1-1' });
    expect(await trees.changes(next)).toMatchObject([{ path: 'src/a.ts' }]);
  });

  it('is made anew by a second begin, unless it is to be kept', async () => {
    const directory = await written({ 'src/a.ts': 'first try\n' });
    await made().begin(PLACE, { keeps: true });
    expect(readFileSync(join(directory, 'src/a.ts'), 'utf8')).toBe('first try\n');
    await made().begin(PLACE);
    expect(readFileSync(join(directory, 'src/a.ts'), 'utf8')).toBe(FILES['src/a.ts']);
  });

  it('is swept away when nobody needs it', async () => {
    await written({ 'src/a.ts': 'x\n' });
    await written({ 'src/b.ts': 'y\n' }, { session: 'R-1-2', isIsolated: true });
    repository.write({ 'data/work/R-1-1.merge/files/src/a.ts': 'of a merge that was cut off' });
    expect(await made().sweep((session) => session === 'R-1-2')).toEqual(['R-1-1']);
    expect(readdirSync(join(repository.path, 'data/work')).filter((name) => !/json|patch|index/.test(name))).toEqual([
      'R-1-2',
      'R-1-2.objects',
    ]);
    expect(repository.read('data/work/R-1-1.merge/files/src/a.ts')).toBe(null);
  });

  it('is merged whole while the trees of sessions that are over are swept away', async () => {
    await written({ 'src/a.ts': 'merged\n' });
    await trees.changes(PLACE);
    let isOver = false;
    const merged = trees.apply(PLACE).finally(() => (isOver = true));
    while (!isOver) {
      await trees.sweep((session) => session === PLACE.session);
      await nextTurn();
    }
    expect([await merged, repository.read('src/a.ts')]).toEqual([{ conflict: null }, 'merged\n']);
  });

  it('is merged anew when the user changes files in the middle of a merge', async () => {
    await written({ 'src/a.ts': 'one\ntwo\nthree\nfour\n' });
    await trees.changes(PLACE);
    // Git calls this filter where it writes the merged file: then the user writes too, once.
    repository.write({ '.git/info/attributes': 'src/a.ts filter=user\n' });
    const write = "printf 'ONE\\ntwo\\nthree\\n' > src/a.ts";
    repository.git('config', 'filter.user.smudge', `[ -e .git/once ] || { touch .git/once; ${write}; }; cat`);
    expect(await trees.apply(PLACE)).toEqual({ conflict: null });
    expect([repository.read('.git/once'), repository.read('src/a.ts')]).toEqual(['', 'ONE\ntwo\nthree\nfour\n']);
  });

  it('is found and merged after the end of a git that left the lock of its index', async () => {
    await written({ 'src/a.ts': 'merged\n' });
    repository.write({ 'data/work/R-1-1.index.lock': '' });
    expect(await made().changes(PLACE)).toMatchObject([{ path: 'src/a.ts' }]);
    expect(await made().apply(PLACE)).toEqual({ conflict: null });
  });

  it('shares the names that it is told, which are no changes', async () => {
    trees = made({ links: ['node_modules'] });
    const directory = await written({});
    expect(readFileSync(join(directory, 'node_modules/left/index.js'), 'utf8')).toBe('x');
    expect(await trees.changes(PLACE)).toEqual([]);
    await trees.release(PLACE);
    expect(repository.own(['data'])).toEqual(own);
  });

  it('refuses changes that are too large for a repository, and is removed without a patch', async () => {
    const directory = await written({ 'src/a.ts': 'x\n', 'core.dump': '' });
    writeFileSync(join(directory, 'core.dump'), Buffer.alloc(CHANGED_BYTES_MAX + 1));
    await expect(trees.changes(PLACE)).rejects.toThrow(/the largest is core.dump/);
    expect(await trees.release(PLACE)).toBeNull();
    expect(existsSync(directory)).toBe(false);
  });

  it('is of a directory below the root, and tells changes above it', async () => {
    const workspace = join(repository.path, 'src');
    trees = made({ workspace });
    const directory = await written({ 'a.ts': 'x\n', '../README.md': 'y\n' });
    expect(directory).toMatch(/data\/work\/R-1-1\/src\/?$/);
    expect((await trees.changes(PLACE))!.map(({ path }) => path)).toEqual(['../README.md', 'a.ts']);
  });

  it('runs no hook of the repository', async () => {
    repository.write({ '.git/hooks/post-checkout': `#!/bin/sh\ntouch ${repository.path}/hooked\n` });
    chmodSync(join(repository.path, '.git/hooks/post-checkout'), 0o755);
    await written({});
    expect(existsSync(join(repository.path, 'hooked'))).toBe(false);
  });

  it('is refused where there is no repository', async () => {
    rmSync(join(repository.path, '.git'), { recursive: true });
    await expect(trees.begin(PLACE)).rejects.toThrow(/is in no git repository/);
    expect(await trees.hasRepository()).toBe(false);
  });

  it('can be made in a repository without a commit', async () => {
    rmSync(join(repository.path, '.git'), { recursive: true });
    repository.git('init', '--quiet');
    const directory = await written({ 'src/a.ts': 'x\n' });
    expect(existsSync(join(directory, 'notes.txt'))).toBe(true);
    expect(await trees.changes(PLACE)).toMatchObject([{ path: 'src/a.ts' }]);
  });
});

describe("a session among the user's files", () => {
  const reader = { session: 'R-1-2', isIsolated: false };

  it('tells what changed meanwhile, but for what was merged for others', async () => {
    await written({ 'src/a.ts': 'x\n' });
    await trees.changes(PLACE);
    await trees.begin(reader);
    await trees.apply(PLACE);
    repository.write({ 'coverage/index.html': '<p>' });
    expect(await trees.changes(reader)).toEqual([{ path: 'coverage/index.html', isNew: true, lines: 1 }]);
  });

  it('tells what all tries have changed', async () => {
    const place = { session: 'R-1-9', isIsolated: false };
    await trees.begin(place);
    repository.write({ 'src/a.ts': 'first try\n' });
    await trees.changes(place);
    await trees.release(place);
    // A host that is killed here looks once more.
    expect(await made().changes(place)).toMatchObject([{ path: 'src/a.ts' }]);
    await trees.begin(place, { keeps: true });
    repository.write({ 'src/c.ts': 'second try\n' });
    expect((await trees.changes(place))!.map(({ path }) => path)).toEqual(['src/a.ts', 'src/c.ts']);
    expect(readFileSync((await trees.release(place))!, 'utf8')).toContain('second try');
  });

  it('is told by nobody where there is no repository', async () => {
    rmSync(join(repository.path, '.git'), { recursive: true });
    await trees.begin(reader);
    expect(await trees.changes(reader)).toBeNull();
    expect(await trees.release(reader)).toBeNull();
  });
});
