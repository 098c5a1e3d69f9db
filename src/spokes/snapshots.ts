/**
 * Snapshots of trees of files as git objects, and the differences between them. A snapshot has all files but ignored
 * ones, whatever the index of the tree says; it is made with an index of its own, and changes no file of the tree.
 */
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { CHANGED_BYTES_MAX, CHANGED_FILES_MAX } from './limits.ts';
import { type Git, type GitPlace } from './git.ts';

/** A file that differs between two snapshots. */
export interface ChangedEntry {
  /** Relative to the root of the tree. */
  readonly path: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** The mode of the new file in octal digits: `120000` is a link, `160000` another repository. */
  readonly mode: string;
  /** Lines added and removed; null for a binary file. */
  readonly lines: number | null;
}

/** Makes a snapshot of the user's own tree without some directories, absolute paths. Resolves to its tree object. */
export async function snapshotOf(git: Git, without: readonly string[], index: string): Promise<string> {
  dropIndex(index);
  if (existsSync(git.found.index)) copyIndex(git.found.index, index);
  const inside = without.filter((path) => git.holds(path)).map((path) => path.slice(git.top.length + 1));
  const place = { tree: git.top, index };
  // Another repository inside is listed as a directory: it is none of this one's files.
  await add(
    git,
    place,
    (await changedNames(git, place, inside)).filter((name) => !name.endsWith('/')),
  );
  return await git.out(['write-tree'], place);
}

/** Removes an index of Bosun's, and the lock of a git that was ended while it wrote it. */
function dropIndex(index: string): void {
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

/**
 * Copies the user's index, whose times save the reading of all files that have not changed. By its own time git knows
 * the files that may have changed just after it: that has to be the same.
 */
function copyIndex(from: string, to: string): void {
  const seconds = Math.floor(statSync(from).mtimeMs / 1_000);
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}

/**
 * Makes a snapshot of a tree that was made from `base`. Its files are read anew: what somebody told the tree's own
 * index hides nothing. Rejects if its changes are more than a session may make.
 */
export async function snapshotSince(
  git: Git,
  { tree, base, index, without }: { tree: string; base: string; index: string; without: readonly string[] },
): Promise<string> {
  const place = { tree, index };
  dropIndex(index);
  await git.run(['read-tree', base], place);
  const names = await filesOf(git, place, await changedNames(git, place, without));
  refuseTooMuch(tree, names);
  await add(git, place, names);
  return await git.out(['write-tree'], place);
}

type Place = Required<Pick<GitPlace, 'tree' | 'index'>>;

/** Names of the files that differ from an index, new and removed ones too, without ignored ones. */
async function changedNames(git: Git, place: Place, without: readonly string[]): Promise<string[]> {
  const paths = ['--', '.', ...without.map((path) => `:(exclude,top,literal)${path}`)];
  const { out } = await git.run(['ls-files', '-z', '-m', '-o', '--exclude-standard', ...paths], place);
  return [...new Set(namesIn(out))];
}

/** Lists the files behind names, also those in repositories that a session has made, which git lists as directories. */
async function filesOf(git: Git, place: Place, names: readonly string[]): Promise<string[]> {
  const files = names.filter((name) => !name.endsWith('/'));
  for (const folder of names.filter((name) => name.endsWith('/'))) {
    const inside = { tree: join(place.tree, folder), index: `${place.index}.none` };
    const inner = await filesOf(git, inside, await changedNames(git, inside, []));
    files.push(...inner.map((name) => `${folder}${name}`));
  }
  return files;
}

/** Puts files as they are into an index. One that cannot be read is left as the index has it. */
async function add(git: Git, place: Place, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = names.filter((name) => isReadable(join(place.tree, name))).map((name) => `${name}\0`);
  await git.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
    ...place,
    input: input.join(''),
  });
}

/** Whether git can read a file, or there is none any more. */
function isReadable(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || facts.isSymbolicLink()) return true;
  try {
    accessSync(path, constants.R_OK);
  } catch {
    return false;
  }
  return facts.isFile();
}

/** Changes that are too many or too large for a repository. Another try would not be smaller. */
export class TooMuchChanged extends Error {
  readonly errorType = 'configuration_error';
}

function refuseTooMuch(tree: string, names: readonly string[]): void {
  if (names.length > CHANGED_FILES_MAX)
    throw new TooMuchChanged(`it has changed ${names.length} files, and ${CHANGED_FILES_MAX} are the most`);
  const sizes = names.map((name) => lstatSync(join(tree, name), { throwIfNoEntry: false })?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= CHANGED_BYTES_MAX) return;
  const largest = names[sizes.indexOf(Math.max(...sizes))];
  throw new TooMuchChanged(
    `the files that it has changed have ${bytes} bytes, and ${CHANGED_BYTES_MAX} are the most; ` +
      `the largest is ${largest}`,
  );
}

/** The differences of two snapshots, in order of their paths. A file that was renamed is gone, and another is new. */
export async function differences(git: Git, from: string, to: string): Promise<ChangedEntry[]> {
  const options = ['-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const raw = await git.run(['diff-tree', '--raw', ...options, from, to]);
  const numbers = await git.run(['diff-tree', '--numstat', ...options, from, to]);
  const lines = new Map(namesIn(numbers.out).map((line) => numbersOf(line)));
  const parts = namesIn(raw.out);
  // A difference is `:OLDMODE NEWMODE OLDID NEWID STATUS`, and its path.
  return Array.from({ length: parts.length / 2 }, (_, at) => {
    const [, mode = '', , , status = ''] = parts[2 * at]!.split(' ');
    const path = parts[2 * at + 1]!;
    return { path, isNew: status === 'A', isGone: status === 'D', mode, lines: lines.get(path) ?? null };
  });
}

function numbersOf(line: string): [path: string, lines: number | null] {
  const [added = '-', removed = '-', ...path] = line.split('\t');
  return [path.join('\t'), added === '-' ? null : Number(added) + Number(removed)];
}

/** Writes the differences of two snapshots as a patch, whole or not at all, without the given paths. */
export async function writePatch(
  git: Git,
  { from, to, file, without }: { from: string; to: string; file: string; without: readonly string[] },
): Promise<void> {
  const paths = ['--', '.', ...without.map((path) => `:(exclude,top,literal)${path}`)];
  const options = ['--binary', '--no-renames', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'];
  const beside = `${file}.new`;
  try {
    await git.write(['diff', ...options, from, to, ...paths], beside);
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Makes a commit of a snapshot, which is on no branch. */
export function commitOf(git: Git, tree: string, parents: readonly string[], message: string): Promise<string> {
  return git.out(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]);
}

/** Names that end with the character 0 each. */
export function namesIn(text: string): string[] {
  return text.split('\0').slice(0, -1);
}
