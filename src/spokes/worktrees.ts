/**
 * The places of a run's sessions in a git repository. A session that may change files has a worktree of its own, made
 * from the user's files as they are, uncommitted ones included; what it changed is read from there, merged into the
 * user's files, and kept as a patch. Any other session works among the user's files, and changes that come about
 * meanwhile are found by two snapshots. Each place is on record in a file, by which a next process finds it again.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { BosunError } from '../errors.ts';
import { Git } from './git.ts';
import { OUTPUT_TRIES_KEPT, PATCH_BYTES_KEPT } from './limits.ts';
import { commitOf, differences, snapshotOf, snapshotSince, TooMuchChanged, writePatch } from './snapshots.ts';
import { makeTree } from './session-tree.ts';
import { mergeInto, undoMerge } from './tree-merge.ts';

/** A changed file. Its path is relative to the workspace. */
export interface ChangedPath {
  readonly path: string;
  readonly isNew: boolean;
  /** Lines added and removed; null for a binary file. */
  readonly lines: number | null;
}

/** The place of a session on record. */
interface PlaceRecord {
  /** A commit for a worktree, a tree object for the user's files. */
  readonly base: string;
  readonly isIsolated: boolean;
  /** The tree object of its changes when they were looked at last. */
  readonly changes?: string;
  readonly files?: readonly ChangedPath[];
  /** Paths that other sessions have changed among the user's files meanwhile. */
  readonly others: readonly string[];
  /** Files that tries before the present one have changed among the user's. */
  readonly earlier?: readonly ChangedPath[];
  /** Whether the place was given up. */
  readonly isOver?: boolean;
}

export interface WorktreeOptions {
  /** A directory of Bosun's own for the trees and their records, on a disk with room for them. */
  readonly folder: string;
  readonly workspace: string;
  /** Directories inside of the workspace that are not of its files: those of Bosun. Absolute paths. */
  readonly without?: readonly string[];
  /** Names inside of the workspace that a worktree shares with it, such as `node_modules`. */
  readonly links?: readonly string[];
}

/** The place of a session: a worktree of its own, or the user's files. */
interface Place {
  readonly session: string;
  readonly isIsolated: boolean;
}

export class Worktrees {
  readonly #options: WorktreeOptions;
  #git: Promise<Git | undefined> | undefined;
  /** The work on the user's files under way: one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WorktreeOptions) {
    this.#options = options;
  }

  /** The directory in which a session works. */
  async directoryOf({ session, isIsolated }: Place): Promise<string> {
    const { workspace } = this.#options;
    if (!isIsolated) return workspace;
    return join(this.#treeOf(session), (await this.#known()).prefix);
  }

  /**
   * Makes the place of a session anew. A place that is to be kept stays as it is, where it is there.
   *
   * @param from A closed session whose kept changes the new tree begins with. Rejects if they do not fit any more.
   */
  async begin({ session, isIsolated }: Place, { keeps = false, from = null }: BeginOptions = {}): Promise<void> {
    const git = await (isIsolated ? this.#known(session) : this.#found(session));
    if (git === undefined) return;
    const before = this.#recordOf(session);
    const isOpen = before !== undefined && before.isOver !== true;
    if (keeps && isOpen && (!isIsolated || existsSync(this.#treeOf(session)))) return;
    await this.#remove(session);
    mkdirSync(this.#fileOf(session, 'objects'), { recursive: true, mode: 0o700 });
    const tree = await this.#alone(() => snapshotOf(git, this.#without(), this.#fileOf(session, 'index')));
    const earlier = keeps ? (before?.files ?? []) : [];
    if (!isIsolated) return this.#write(session, { base: tree, isIsolated, others: [], earlier });
    const { out: head } = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'], { codes: [1] });
    const base = await commitOf(git, tree, head === '' ? [] : [head.trim()], `the workspace of ${session}`);
    await makeTree(git, { tree: this.#treeOf(session), base });
    for (const link of this.#options.links ?? []) this.#link(git, session, link);
    if (from !== null) await this.#carry(git, session, { from, base });
    this.#write(session, { base, isIsolated, others: [] });
  }

  /** The files that a session has changed; null if nobody can tell. */
  async changes({ session }: Place): Promise<readonly ChangedPath[] | null> {
    const git = await this.#found(session);
    const record = this.#recordOf(session);
    if (git === undefined || record === undefined) return null;
    const isGone = record.isOver === true || (record.isIsolated && !existsSync(this.#treeOf(session)));
    if (isGone) return record.files ?? null;
    const { base, isIsolated } = record;
    const index = this.#fileOf(session, 'index');
    const changes = isIsolated
      ? await snapshotSince(git, { tree: this.#treeOf(session), base, index, without: this.#linksIn(git) })
      : await this.#alone(() => snapshotOf(git, this.#without(), index));
    const entries = await differences(git, base, changes);
    const others = new Set(this.#recordOf(session)?.others);
    const found = entries
      .filter(({ path }) => !others.has(path))
      .map(({ path, isNew, lines }) => ({ path: posix.relative(git.prefix, path), isNew, lines }));
    const files = [...new Map([...(record.earlier ?? []), ...found].map((file) => [file.path, file])).values()];
    this.#write(session, { ...record, others: [...others], changes, files });
    return files;
  }

  /** Merges the changes of a session, as they were looked at last, into the user's files: whole or not at all. */
  async apply({ session }: Place): Promise<{ readonly conflict: string | null }> {
    const git = await this.#known(session);
    const { base, changes } = this.#recordOf(session) ?? {};
    if (base === undefined || changes === undefined) return { conflict: 'its changes are gone' };
    const scratch = this.#fileOf(session, 'merge');
    return await this.#alone(async () => {
      const merged = await mergeInto(git, { base, changes, without: this.#without(), scratch });
      if ('conflict' in merged) return merged;
      this.#tellOthers(merged.paths);
      return { conflict: null };
    });
  }

  /**
   * Gives up the place of a session. Its changes are kept as a patch, without those of some files.
   *
   * @returns The file of the patch; null if there are no changes.
   */
  async release({ session, isIsolated }: Place, without: readonly string[] = []): Promise<string | null> {
    const git = await this.#found(session);
    if (git === undefined) return null;
    await this.#alone(() => undoMerge(git, { without: this.#without(), scratch: this.#fileOf(session, 'merge') }));
    const patch = this.#fileOf(session, 'patch');
    if (this.#recordOf(session)?.isOver !== true) {
      const files = await this.changes({ session, isIsolated }).catch(nothingIfTooMuch);
      const record = this.#recordOf(session);
      const { base, changes } = record ?? {};
      await rm(patch, { force: true });
      if (files !== null && files.length > 0 && base !== undefined && changes !== undefined) {
        const paths = without.map((path) => posix.join(git.prefix, path));
        await writePatch(git, { from: base, to: changes, file: patch, without: paths });
      }
      if (record !== undefined) this.#write(session, { ...record, isOver: true });
    }
    await this.#remove(session);
    this.#dropOldest();
    return existsSync(patch) ? patch : null;
  }

  /** Changed files and the beginning of their patch, of sessions at work and of those whose patch is still kept. */
  async read({ session, isIsolated }: Place, chars: number): Promise<ReadPatch | undefined> {
    const git = await this.#found(session);
    const record = this.#recordOf(session);
    if (git === undefined || record === undefined) return undefined;
    const kept = this.#fileOf(session, 'patch');
    const isKept = existsSync(kept);
    if (isKept || record.isOver === true)
      return {
        files: [...(record.files ?? [])],
        ...(isKept ? await beginningOf(kept, chars) : { patch: '', isCut: false }),
      };
    const files = await this.changes({ session, isIsolated: record.isIsolated || isIsolated });
    const { base, changes } = this.#recordOf(session) ?? record;
    if (files === null || changes === undefined) return undefined;
    const file = this.#fileOf(session, 'looked');
    await writePatch(git, { from: base, to: changes, file, without: [] });
    const patch = await beginningOf(file, chars);
    await rm(file, { force: true });
    return { files: [...files], ...patch };
  }

  /**
   * Removes the trees of all sessions but some, and keeps their changes as patches. What a merge of theirs has done by
   * half is undone. Resolves to their sessions.
   */
  async sweep(isKept: (session: string) => boolean): Promise<string[]> {
    const { folder } = this.#options;
    if (!existsSync(folder) || !(await this.hasRepository())) return [];
    const directories = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
    const sessions = new Set(directories.map(({ name }) => name.replace(/\..*$/, '')));
    const swept: string[] = [];
    for (const session of [...sessions].filter((one) => !isKept(one)))
      try {
        await this.release({ session, isIsolated: true });
        swept.push(session);
      } catch {
        // Its patch could not be written, on a full disk for example: the tree stays for the next sweep.
      }
    return swept;
  }

  /** Whether the workspace is in a repository, so that a session can have a worktree. */
  async hasRepository(): Promise<boolean> {
    return (await this.#found()) !== undefined;
  }

  /** The repository, as commands for a session use it. */
  async #found(session = ''): Promise<Git | undefined> {
    this.#git ??= Git.at(this.#options.workspace);
    return (await this.#git)?.writingTo(this.#fileOf(session, 'objects'));
  }

  async #known(session?: string): Promise<Git> {
    const git = await this.#found(session);
    if (git !== undefined) return git;
    const text = `${this.#options.workspace} is in no git repository, of which worktrees are made: run "git init", or `;
    const error = new BosunError('BOSUN_CONFIG_INVALID', `${text}say "isolation: none"`);
    throw Object.assign(error, { errorType: 'configuration_error' });
  }

  /** Does work on the user's files when the work before it is over. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #without(): readonly string[] {
    return [this.#folder, ...(this.#options.without ?? []).map(realOf)];
  }

  /** The folder under the name by which git knows it. */
  get #folder(): string {
    return realOf(this.#options.folder);
  }

  #treeOf(session: string): string {
    return join(this.#folder, session);
  }

  #fileOf(session: string, what: 'index' | 'json' | 'looked' | 'merge' | 'objects' | 'patch'): string {
    return `${this.#treeOf(session)}.${what}`;
  }

  #recordOf(session: string): PlaceRecord | undefined {
    const file = this.#fileOf(session, 'json');
    if (!existsSync(file)) return undefined;
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as PlaceRecord;
    } catch {
      // The power went off while it was written: then nothing is known of the place, and it is made anew.
      return undefined;
    }
  }

  #write(session: string, record: PlaceRecord): void {
    const file = this.#fileOf(session, 'json');
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  #linksIn(git: Git): string[] {
    return (this.#options.links ?? []).map((link) => posix.join(git.prefix, link));
  }

  /** Links a name of the workspace into a worktree, unless it is not there, or is of the repository. */
  #link(git: Git, session: string, link: string): void {
    const from = join(this.#options.workspace, link);
    const to = join(this.#treeOf(session), git.prefix, link);
    if (!existsSync(from) || existsSync(to)) return;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  }

  /** Puts the kept changes of another session into a new tree. */
  async #carry(git: Git, session: string, { from, base }: { readonly from: string; readonly base: string }) {
    const patch = this.#fileOf(from, 'patch');
    if (!existsSync(patch)) return;
    const place = { tree: this.#treeOf(session), index: this.#fileOf(session, 'index') };
    await git.run(['read-tree', base], place);
    await git.run(['update-index', '-q', '--refresh'], { ...place, codes: [1] });
    await git.run(['apply', '--3way', '--binary', '--whitespace=nowarn', patch], place);
  }

  async #remove(session: string): Promise<void> {
    const paths = [this.#fileOf(session, 'index'), this.#treeOf(session), this.#fileOf(session, 'objects')];
    for (const path of paths) await rm(path, { recursive: true, force: true });
  }

  /** Notes what has changed among the user's files for the sessions that work there. */
  #tellOthers(paths: readonly string[]): void {
    if (paths.length === 0) return;
    for (const session of this.#sessionsOnRecord()) {
      const record = this.#recordOf(session);
      const isOver = record?.isOver === true || record?.isIsolated !== false;
      if (!isOver) this.#write(session, { ...record, others: [...record.others, ...paths] });
    }
  }

  #sessionsOnRecord(): string[] {
    const names = readdirSync(this.#options.folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => name.slice(0, -'.json'.length));
  }

  /** Removes patches and records of sessions that closed long ago. */
  #dropOldest(): void {
    const sessions = this.#sessionsOnRecord().filter((session) => !existsSync(this.#treeOf(session)));
    const facts = sessions.map((session) => {
      const size = statSync(this.#fileOf(session, 'patch'), { throwIfNoEntry: false })?.size ?? 0;
      return { session, size, atMs: statSync(this.#fileOf(session, 'json')).mtimeMs };
    });
    let bytes = 0;
    facts.sort((a, b) => b.atMs - a.atMs);
    for (const [at, { session, size }] of facts.entries()) {
      bytes += size;
      if (at === 0 || (at < OUTPUT_TRIES_KEPT && bytes <= PATCH_BYTES_KEPT)) continue;
      for (const what of ['patch', 'json'] as const) rmSync(this.#fileOf(session, what), { force: true });
    }
  }
}

interface BeginOptions {
  readonly keeps?: boolean;
  readonly from?: string | null;
}

/** Changed files, and the beginning of their patch. */
export interface ReadPatch {
  readonly files: ChangedPath[];
  readonly patch: string;
  readonly isCut: boolean;
}

/** The path without links, as git gives paths; a path where nothing is stays as it is. */
function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Changes that are too much to be kept are given up with their tree. */
function nothingIfTooMuch(error: unknown): null {
  if (error instanceof TooMuchChanged) return null;
  throw error;
}

/** The beginning of a text file, at most so many characters. */
async function beginningOf(path: string, chars: number): Promise<Omit<ReadPatch, 'files'>> {
  const file = await open(path, 'r');
  try {
    // A character has four bytes at most.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4 * chars + 4), { position: 0 });
    const text = buffer.subarray(0, bytesRead).toString();
    return { patch: text.slice(0, chars).toWellFormed(), isCut: text.length > chars };
  } finally {
    await file.close();
  }
}
