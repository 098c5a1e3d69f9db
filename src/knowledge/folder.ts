/**
 * One folder as the thread knows it: which of its files are in the index, in which version, and what was left out. It
 * reads file by file, so that its thread can answer in between, and reads again only what has changed.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { documentOf } from './document.ts';
import { type Finder } from './finder.ts';
import { FOLDER_BYTES_MAX, FOLDER_FILES_MAX, FOLDER_STATEMENTS_MAX } from './limits.ts';
import { type FileText, type LeftOut, listFiles, readFile, withLeftOut } from './reader.ts';

/** Matches files of git and of Bosun itself, which change without anybody at work. */
const OWN = /(?:^|\/)\.(?:git|bosun)\//;

/** A report on the contents of a folder. */
export interface FolderReport {
  readonly scope: string;
  readonly path: string;
  /** The number of files in the index, and of their bytes. */
  readonly files: number;
  readonly bytes: number;
  readonly passages: number;
  readonly listedBy: 'git' | 'walk';
  readonly leftOut: LeftOut;
  /** The number of lines that were blanked because they contain a secret. */
  readonly blankedLines: number;
  /** The number of lines that were blanked because they are longer than any that people write. */
  readonly longLines: number;
}

interface Known extends Omit<FileText, 'text'> {
  /** The file's times of change and size. If they are unchanged, the file is not read again. */
  readonly version: string;
  readonly passages: number;
  readonly statements: number;
}

export class Folder {
  readonly scope: string;
  readonly path: string;
  readonly #finder: Finder;
  readonly #known = new Map<string, Known>();
  #leftOut: LeftOut = {};
  #listedBy: 'git' | 'walk' = 'walk';
  #bytes = 0;
  #statements = 0;
  /** The files at the last look for changes, and when a directory had changed by then. */
  #looked: { readonly files: string; readonly directoriesMs: number } | undefined;

  /** Opens a folder. Throws if it does not exist. */
  constructor(scope: string, path: string, finder: Finder) {
    this.scope = scope;
    this.path = realpathSync(path);
    this.#finder = finder;
  }

  /** Reads new and changed files, and removes deleted ones. Yields after each file. */
  *refresh(): Generator<void, void> {
    const { files, by } = listFiles(this.path);
    this.#listedBy = by;
    this.#leftOut = {};
    const present = new Set(files);
    for (const file of [...this.#known.keys()]) if (!present.has(file)) this.#forget(file);
    for (const file of files) {
      this.#read(file);
      yield;
    }
  }

  report(): FolderReport {
    const known = [...this.#known.values()];
    const sumOf = (count: (one: Known) => number) => known.reduce((sum, one) => sum + count(one), 0);
    return {
      scope: this.scope,
      path: this.path,
      files: known.length,
      bytes: this.#bytes,
      passages: sumOf(({ passages }) => passages),
      listedBy: this.#listedBy,
      leftOut: this.#leftOut,
      blankedLines: sumOf(({ blankedLines }) => blankedLines),
      longLines: sumOf(({ longLines }) => longLines),
    };
  }

  /** The folders that contain indexed files, from the top down. Each has to be watched. */
  directories(): string[] {
    return directoriesOf(this.#known.keys()).sort();
  }

  /**
   * The time of the last change in milliseconds since 1970, also of a file that was removed; null if the folder has
   * gone. Only the system sets that time: programs may give a file an age of their own.
   */
  changedAtMs(): number | null {
    // The list of git has removed files, too.
    const isThere = (file: string) => !OWN.test(file) && this.#lastChangeMs([file]) > 0;
    const files = listFiles(this.path).files.filter(isThere);
    const listed = files.join('\n');
    // Ignored files that come and go change their directory, and not what is listed.
    if (this.#looked?.files !== listed)
      this.#looked = { files: listed, directoriesMs: this.#lastChangeMs(directoriesOf(files)) };
    if (this.#lastChangeMs(['']) === 0) return null;
    return Math.max(this.#looked.directoriesMs, this.#lastChangeMs(files));
  }

  #lastChangeMs(paths: readonly string[]): number {
    const timeOf = (path: string) => lstatSync(join(this.path, path), { throwIfNoEntry: false })?.ctimeMs ?? 0;
    return paths.reduce((last, path) => Math.max(last, timeOf(path)), 0);
  }

  #read(file: string): void {
    const version = this.#versionOf(file);
    const known = this.#known.get(file);
    if (known !== undefined && known.version === version) return;
    this.#forget(file);
    if (this.#known.size >= FOLDER_FILES_MAX || this.#bytes >= FOLDER_BYTES_MAX) return this.#leave('over', file);
    const reading = readFile(this.path, file);
    if ('leftOut' in reading) return this.#leave(reading.leftOut, file);
    try {
      this.#index(file, version, reading);
    } catch {
      // One file that no reader can take apart must not end the thread, which holds all the others.
      this.#finder.remove(this.scope, file);
      this.#leave('unreadable', file);
    }
  }

  #index(file: string, version: string, { text, bytes, blankedLines, longLines }: FileText): void {
    const document = documentOf(file, text);
    const passages = document.passages.length;
    const statements = document.passages.reduce((sum, passage) => sum + passage.statements.length, 0);
    if (this.#statements + statements > FOLDER_STATEMENTS_MAX || this.#finder.isFull) return this.#leave('over', file);
    this.#finder.put(this.scope, document);
    this.#known.set(file, { version, bytes, passages, statements, blankedLines, longLines });
    this.#bytes += bytes;
    this.#statements += statements;
  }

  #leave(reason: keyof LeftOut, file: string): void {
    this.#leftOut = withLeftOut(this.#leftOut, reason, file);
  }

  #forget(file: string): void {
    const known = this.#known.get(file);
    if (known === undefined) return;
    this.#bytes -= known.bytes;
    this.#statements -= known.statements;
    this.#known.delete(file);
    this.#finder.remove(this.scope, file);
  }

  #versionOf(file: string): string {
    try {
      // A program can set the one time, but not the other.
      const { mtimeMs, ctimeMs, size, ino } = statSync(join(this.path, file));
      return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
    } catch {
      // Reading it tells why.
      return 'unreadable';
    }
  }
}

/** The directories that contain files, and the root. */
function directoriesOf(files: Iterable<string>): string[] {
  const directories = new Set(['']);
  for (const file of files) {
    const parts = file.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) directories.add(parts.slice(0, depth).join('/'));
  }
  return [...directories];
}
