/**
 * HUB10: the place of a session in a git repository: a worktree made from the user's files, looked at, merged and
 * removed, beside the git commands that somebody would type for the same.
 */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worktrees } from '../../dist/spokes/worktrees.js';
import { inPairs } from '../rounds.mjs';

const FILES_IN_DIRECTORY = 100;

const run = promisify(execFile);

function git(directory, ...args) {
  const named = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0'];
  return run('git', [...named, ...args], { cwd: directory });
}

/** Makes a repository with so many files of about a kilobyte, of which one has a change that is not committed. */
async function repositoryOf(workspace, files) {
  await rm(workspace, { recursive: true, force: true });
  for (let n = 0; n < files; n++) {
    const folder = join(workspace, `src/${Math.floor(n / FILES_IN_DIRECTORY)}`);
    if (n % FILES_IN_DIRECTORY === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${n}.mjs`), `export const n${n} = ${n};\n`.repeat(40));
  }
  await git(workspace, 'init', '--quiet');
  await git(workspace, 'add', '-A');
  await git(workspace, 'commit', '--quiet', '-m', 'files');
  await appendFile(join(workspace, 'src/0/0.mjs'), '// mine\n');
}

/** A session from its begin to its end, which changes one file. */
async function session(trees, name) {
  const place = { session: name, isIsolated: true };
  await trees.begin(place);
  await appendFile(join(await trees.directoryOf(place), 'src/0/1.mjs'), `// ${name}\n`);
  await trees.changes(place);
  const { conflict } = await trees.apply(place);
  if (conflict !== null) throw new Error(conflict);
  await trees.release(place);
}

/** The same by hand, without the user's own change: a worktree, a diff, its patch applied, and its end. */
async function byHand(workspace, folder, name) {
  const tree = join(folder, name);
  await git(workspace, 'worktree', 'add', '--detach', '--quiet', tree);
  await appendFile(join(tree, 'src/0/2.mjs'), `// ${name}\n`);
  await git(tree, 'add', '-A');
  const patch = join(folder, `${name}.patch`);
  await git(tree, 'diff', '--cached', `--output=${patch}`);
  await git(workspace, 'checkout', '--quiet', '--', 'src/0/2.mjs');
  await git(workspace, 'apply', patch);
  await git(workspace, 'worktree', 'remove', '--force', tree);
}

export const worktrees = {
  name: 'HUB10',
  title: 'The worktree of a session',
  about: ({ files, sessions }) =>
    `${sessions} sessions, one after the other, in a repository of ${files.toLocaleString('en')} files of a ` +
    'kilobyte, one of which has an uncommitted change. Each has a worktree made from the files as they are, changes ' +
    'one file, is looked at, merged into the files and removed, with its patch kept. **hand**: the git commands that ' +
    'somebody would type for it from the last commit: `worktree add`, `add`, `diff`, `apply`, `worktree remove`.',
  sizes: { full: { files: 5_000, sessions: 20 }, quick: { files: 200, sessions: 2 } },
  ratios: [
    { name: 'worktree of a session, from its begin to its end, p50', of: ({ hub }) => hub.p50Ms, unit: ' ms' },
    { name: 'worktree of a session against git by hand, p50', of: ({ hub, hand }) => hub.p50Ms / hand.p50Ms },
  ],
  async open({ files, sessions }, directory) {
    const workspace = join(directory, 'repository');
    await repositoryOf(workspace, files);
    const folder = join(directory, 'work');
    const trees = new Worktrees({ folder, workspace });
    let n = 0;
    const round = () =>
      inPairs(sessions, {
        hub: () => session(trees, `R-1-${++n}`),
        hand: () => byHand(workspace, folder, `hand-${++n}`),
      });
    return { subject: round, round, close: () => rm(workspace, { recursive: true, force: true }) };
  },
};
