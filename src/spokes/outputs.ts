/**
 * The output of the commands of sessions in a directory: a folder for each try, of which the latest are kept. It is for
 * people and for readers of reports; no state depends on it.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTPUT_BYTES_KEPT, OUTPUT_TRIES_KEPT } from './limits.ts';
import { OutputFile, type Printed, tailOf, wholeOf } from './output-file.ts';

/** A try of a session. */
export interface SessionTry {
  readonly session: string;
  /** Number of the try, from 1. */
  readonly round: number;
}

/** The output of a session's last try. */
export interface TryOutput {
  readonly round: number;
  readonly stdout: Printed;
  readonly stderr: Printed;
}

/** The writers of a try under way, and `close`, which resolves when all that they have taken is on disk. */
export type OutputSink = Awaited<ReturnType<Outputs['begin']>>;

interface Kept {
  readonly name: string;
  bytes: number;
  isOpen: boolean;
}

export class Outputs {
  readonly #folder: string;
  /** Tries on disk, the oldest first. */
  #kept: Promise<Kept[]> | undefined;

  /**
   * Makes the keeper.
   *
   * @param folder Absolute path of the directory, which is made when it is needed.
   */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the writers of a try. What an earlier start of the same try has printed is dropped. */
  async begin(one: SessionTry) {
    const folder = this.folderOf(one);
    const row = { name: nameOf(one), bytes: 0, isOpen: true };
    // Listed before anything changes: what is removed meanwhile could not be listed.
    const kept = await (this.#kept ??= this.#list());
    const before = kept.findIndex(({ name }) => name === row.name);
    if (before !== -1) {
      kept.splice(before, 1);
      await rm(folder, { recursive: true, force: true });
    }
    kept.push(row);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#prune(kept);
    const [stdout, stderr] = [new OutputFile(folder, 'stdout'), new OutputFile(folder, 'stderr')];
    const close = async () => {
      await Promise.all([stdout.finished(), stderr.finished()]);
      row.bytes = stdout.bytesKept + stderr.bytesKept;
      row.isOpen = false;
    };
    return { stdout, stderr, close };
  }

  /** The output of the last try of a session, at most so many characters of each stream; undefined if there is none. */
  async lastOf(session: string, chars: number): Promise<TryOutput | undefined> {
    const names = await readdir(this.#folder).catch(() => []);
    const rounds = names.map(tryOf).filter((one) => one?.session === session);
    const round = Math.max(0, ...rounds.map((one) => one!.round));
    return round === 0 ? undefined : this.endOf({ session, round }, chars);
  }

  /** The end of the output of a try, at most so many characters of each stream. */
  async endOf(one: SessionTry, chars: number): Promise<TryOutput> {
    const folder = this.folderOf(one);
    const [stdout, stderr] = await Promise.all([tailOf(folder, 'stdout', chars), tailOf(folder, 'stderr', chars)]);
    return { round: one.round, stdout, stderr };
  }

  /** The whole of what a try has printed to stdout; undefined if it was more than is kept. */
  stdoutOf(one: SessionTry): Promise<string | undefined> {
    return wholeOf(this.folderOf(one), 'stdout');
  }

  /** Removes everything. */
  async drop(): Promise<void> {
    this.#kept = undefined;
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The directory of a try, an absolute path, for what goes with its output and is dropped with it. */
  folderOf(one: SessionTry): string {
    return join(this.#folder, nameOf(one));
  }

  async #list(): Promise<Kept[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter((name) => tryOf(name) !== undefined);
    const rows = names.map(async (name) => {
      const folder = join(this.#folder, name);
      const files = await readdir(folder);
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
      const { mtimeMs } = await stat(folder);
      return { name, mtimeMs, bytes: sizes.reduce((sum, size) => sum + size, 0), isOpen: false };
    });
    return (await Promise.all(rows)).sort((one, other) => one.mtimeMs - other.mtimeMs);
  }

  /** Removes the oldest tries beyond what is kept, and never one under way. */
  async #prune(kept: Kept[]): Promise<void> {
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    let count = kept.length;
    const gone = kept.filter((one) => {
      if (one.isOpen || (count <= OUTPUT_TRIES_KEPT && bytes <= OUTPUT_BYTES_KEPT)) return false;
      bytes -= one.bytes;
      count -= 1;
      return true;
    });
    kept.splice(0, kept.length, ...kept.filter((one) => !gone.includes(one)));
    for (const { name } of gone) await rm(join(this.#folder, name), { recursive: true, force: true });
  }
}

function nameOf({ session, round }: SessionTry): string {
  return `${session}.${round}`;
}

function tryOf(name: string): SessionTry | undefined {
  const [, session, round] = /^(.+)\.(\d+)$/.exec(name) ?? [];
  return session === undefined ? undefined : { session, round: Number(round) };
}
