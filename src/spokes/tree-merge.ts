/**
 * Puts the changes of a session's tree into the user's own: a merge of three snapshots, made beside the user's files,
 * of which only those that differ are replaced, each at once. A conflict changes nothing. One that was cut off in the
 * middle is undone before the next, by a note of the snapshots before it and behind it.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cp, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Git } from './git.ts';
import { type ChangedEntry, commitOf, differences, namesIn, snapshotOf } from './snapshots.ts';

/** A merge into the user's tree. */
export interface Merge {
  /** The commit of the snapshot that the session's tree was made from, and the tree object of its changes. */
  readonly base: string;
  readonly changes: string;
  /** Directories that are not of the tree, absolute paths. */
  readonly without: readonly string[];
  /** A directory of Bosun's for the files of the merge, which is removed. */
  readonly scratch: string;
}

/** Merges begun anew because the user's files changed meanwhile. */
const ROUNDS_MAX = 5;

/** Merges. Resolves to the paths that have changed, or to why it would not fit, after which no file has changed. */
export async function mergeInto(
  git: Git,
  merge: Merge,
): Promise<{ readonly paths: readonly string[] } | { readonly conflict: string }> {
  const { without, scratch } = merge;
  try {
    await undoMerge(git, merge);
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      await rm(scratch, { recursive: true, force: true });
      mkdirSync(scratch, { recursive: true, mode: 0o700 });
      const before = await snapshotOf(git, without, join(scratch, 'index'));
      const merged = await mergedTree(git, merge, before);
      if ('conflict' in merged) return merged;
      const entries = await differences(git, before, merged.tree);
      await stage(git, { scratch, tree: merged.tree, entries });
      const conflict = entries.map((entry) => obstacle(git, scratch, entry)).find((one) => one !== null);
      if (conflict !== undefined) return { conflict };
      if ((await snapshotOf(git, without, join(scratch, 'index'))) !== before) continue;
      writeFileSync(noteIn(scratch), `${before} ${merged.tree}`, { flush: true });
      await replace(git, scratch, entries);
      rmSync(noteIn(scratch));
      return { paths: entries.map(({ path }) => path) };
    }
    return { conflict: 'the files of the workspace change without end: wait until they rest' };
  } catch (error) {
    await undoMerge(git, merge);
    throw error;
  } finally {
    // With its note it is undone by the next merge, or by the next sweep.
    if (!existsSync(noteIn(scratch))) await rm(scratch, { recursive: true, force: true });
  }
}

/** The note of a merge whose files are being replaced. */
function noteIn(scratch: string): string {
  return join(scratch, 'note');
}

/** Takes back what a merge that was cut off has put into the user's files, but for what has changed since. */
export async function undoMerge(git: Git, { without, scratch }: Pick<Merge, 'without' | 'scratch'>): Promise<void> {
  await rm(besideUser(git, scratch), { recursive: true, force: true });
  const [before = '', merged = ''] = existsSync(noteIn(scratch))
    ? readFileSync(noteIn(scratch), 'utf8').split(' ')
    : [];
  if (merged !== '') {
    const now = await snapshotOf(git, without, join(scratch, 'index'));
    const others = new Set((await differences(git, now, merged)).map(({ path }) => path));
    const entries = (await differences(git, merged, before)).filter(({ path }) => !others.has(path));
    await rm(stagedIn(scratch), { recursive: true, force: true });
    await stage(git, { scratch, tree: before, entries });
    await replace(git, scratch, entries);
  }
  await rm(scratch, { recursive: true, force: true });
}

/** The place of files on the disk of the user, where that is another one. */
function besideUser({ top }: Git, scratch: string): string {
  return join(top, `.bosun-${basename(scratch)}`);
}

/** The tree object of the merge, or the paths that conflict. */
async function mergedTree(
  git: Git,
  { base, changes }: Merge,
  now: string,
): Promise<{ readonly tree: string } | { readonly conflict: string }> {
  // Both have the base as their only parent, which makes it the one that the merge compares with.
  const ours = await commitOf(git, now, [base], 'the workspace');
  const theirs = await commitOf(git, changes, [base], 'changes of a session');
  const options = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z'];
  const { out, code } = await git.run([...options, ours, theirs], { codes: [1] });
  const [tree = '', ...paths] = namesIn(out);
  if (code === 0) return { tree };
  const named = [...new Set(paths)].slice(0, 20).join(', ');
  return { conflict: `${named}: changed in the workspace since the session began` };
}

/** Writes the files that the merge changes into the scratch directory, whole and on the disk. */
async function stage(
  git: Git,
  { scratch, tree, entries }: { scratch: string; tree: string; entries: readonly ChangedEntry[] },
): Promise<void> {
  const index = join(scratch, 'merged');
  await git.run(['read-tree', tree], { index });
  const paths = entries.filter(({ isGone }) => !isGone).map(({ path }) => `${path}\0`);
  const prefix = `${stagedIn(scratch)}/`;
  await git.run(['checkout-index', '-z', '--stdin', `--prefix=${prefix}`], { index, input: paths.join('') });
  for (const { path, isGone, mode } of entries) if (!isGone && mode !== REPOSITORY) await flush(join(prefix, path));
}

const REPOSITORY = '160000';

function stagedIn(scratch: string): string {
  return join(scratch, 'files');
}

async function flush(path: string): Promise<void> {
  if (lstatSync(path).isSymbolicLink()) return;
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Why a file cannot be put where it belongs; null if it can. */
function obstacle({ top }: Git, scratch: string, { path, isNew, isGone, mode }: ChangedEntry): string | null {
  if (mode === REPOSITORY) return `${path}: is another repository`;
  const target = join(top, path);
  const parent = existingParent(target);
  if (realpathSync(parent) !== realpathSync(top) && !realpathSync(parent).startsWith(`${realpathSync(top)}/`))
    return `${path}: leads out of the workspace`;
  const there = lstatSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && !isGone) return `${path}: is a directory in the workspace`;
  // The snapshot does not have it, so git ignores it: then it is the user's alone.
  if (isNew && there !== undefined && !isSame(target, join(stagedIn(scratch), path)))
    return `${path}: is there already, and git ignores it`;
  return null;
}

function existingParent(path: string): string {
  const parent = dirname(path);
  return lstatSync(parent, { throwIfNoEntry: false }) === undefined ? existingParent(parent) : parent;
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [lstatSync(a), lstatSync(b)];
  if (one.isSymbolicLink() || other.isSymbolicLink())
    return one.isSymbolicLink() && other.isSymbolicLink() && readlinkSync(a) === readlinkSync(b);
  return one.isFile() && one.size === other.size && readFileSync(a).equals(readFileSync(b));
}

/**
 * Replaces the files, those that are gone first: they may stand where directories come. Files for another disk are
 * copied to it before anything changes, since it may be full.
 */
async function replace(git: Git, scratch: string, entries: readonly ChangedEntry[]): Promise<void> {
  const { top } = git;
  const put = entries.filter(({ isGone }) => !isGone);
  const isNear = lstatSync(top).dev === lstatSync(scratch).dev;
  const from = isNear ? stagedIn(scratch) : besideUser(git, scratch);
  if (!isNear && put.length > 0) await cp(stagedIn(scratch), from, { recursive: true, verbatimSymlinks: true });
  for (const { path } of isNear ? [] : put) await flush(join(from, path));
  for (const { path, isGone } of entries) {
    if (!isGone) continue;
    rmSync(join(top, path), { force: true });
    removeEmpty(top, dirname(join(top, path)));
  }
  for (const { path } of put) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    // A reader finds the old file or the new one, whole.
    renameSync(join(from, path), join(top, path));
  }
  if (!isNear) await rm(from, { recursive: true, force: true });
}

/** Removes directories that are empty now, as git does. */
function removeEmpty(top: string, directory: string): void {
  if (directory === top) return;
  try {
    rmdirSync(directory);
  } catch {
    // It is not empty, or it is gone.
    return;
  }
  removeEmpty(top, dirname(directory));
}
