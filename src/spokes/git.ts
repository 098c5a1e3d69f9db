/**
 * Git commands on a repository of the user. They only read it: objects go into a directory of Bosun's own that borrows
 * those of the user, and each command that needs an index is given one. Hooks of the repository do not run.
 */
import { execFile, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { BosunError, messageOf } from '../errors.ts';

const run = promisify(execFile);

/** Bytes of output of one command: the names of more files than a session may change. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Settings under which commands give the same on every machine, and start nothing of the user's. */
const SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.untrackedCache=false', 'gc.auto=0'],
  ...['maintenance.auto=false', 'advice.addEmbeddedRepo=false', 'core.safecrlf=false', 'diff.mnemonicPrefix=false'],
  ...['diff.noprefix=false', 'merge.conflictStyle=merge'],
].flatMap((setting) => ['-c', setting]);

/** The author of the commits by which trees are merged. They are on no branch. */
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'bosun'],
    [`GIT_${who}_EMAIL`, 'bosun@localhost'],
  ]),
);

/** The place of a command beside the user's own tree. */
export interface GitPlace {
  /** The index that the command uses; default the one of the tree. */
  readonly index?: string;
  /** The directory that counts as the tree of the repository. */
  readonly tree?: string;
  /** Text for its stdin. */
  readonly input?: string;
  /** Exit codes that are no failure beside 0. */
  readonly codes?: readonly number[];
}

/** The end of a command. */
export interface GitEnd {
  readonly out: string;
  readonly code: number;
}

interface Found {
  /** The directory of the repository's data, and the one that all of its worktrees share. */
  readonly directory: string;
  readonly common: string;
  /** The root of the user's tree, and the path of its index. */
  readonly top: string;
  readonly index: string;
  /** The workspace inside of the tree: empty, or a path that ends with a slash. */
  readonly prefix: string;
  /** `sha1` or `sha256`. */
  readonly format: string;
  /** The directory of new objects, which has to be there when commands run: one of Bosun's for those that write. */
  readonly objects: string;
}

/** A repository. Each command is told where it is: another one, of a parent directory, is never found instead. */
export class Git {
  readonly found: Found;

  private constructor(found: Found) {
    this.found = found;
  }

  /** The repository that has a directory in its tree; undefined if none has. Rejects where there is no git. */
  static async at(workspace: string): Promise<Git | undefined> {
    const wanted = ['--absolute-git-dir', '--git-common-dir', '--show-toplevel', '--show-prefix'];
    let out: string;
    try {
      const args = ['rev-parse', ...wanted, '--show-object-format', '--git-path', 'index'];
      ({ stdout: out } = await run('git', args, { cwd: workspace, env: environment() }));
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT')
        throw new BosunError('BOSUN_CONFIG_INVALID', 'there is no git on the PATH');
      return undefined;
    }
    const [directory = '', common = '', top = '', prefix = '', format = '', index = ''] = out.split('\n');
    const paths = { common: resolve(workspace, common), index: resolve(workspace, index) };
    return new Git({ directory, top, prefix, format, objects: join(paths.common, 'objects'), ...paths });
  }

  get top(): string {
    return this.found.top;
  }

  get prefix(): string {
    return this.found.prefix;
  }

  /** The same with another directory of new objects. */
  writingTo(objects: string): Git {
    return new Git({ ...this.found, objects });
  }

  /** Makes an empty repository in a directory, whose settings are none of the user's templates. */
  async init(directory: string): Promise<void> {
    const args = ['init', '--quiet', '--template=', `--object-format=${this.found.format}`, directory];
    await run('git', args, { env: environment() });
  }

  /** Runs a command on the user's repository, in the given tree. Rejects with its words if it fails. */
  async run(args: readonly string[], { index, tree = this.top, input, codes = [] }: GitPlace = {}): Promise<GitEnd> {
    const env = { ...this.#environment(tree), ...(index !== undefined && { GIT_INDEX_FILE: index }) };
    const running = run('git', [...SETTINGS, ...args], { cwd: tree, env, maxBuffer: OUTPUT_BYTES_MAX });
    // A command that ends before it has read everything says why by its exit code.
    running.child.stdin?.on('error', () => {});
    running.child.stdin?.end(input ?? '');
    try {
      return { out: (await running).stdout, code: 0 };
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
      if (typeof code === 'number' && codes.includes(code)) return { out: stdout, code };
      const said = stderr.trim() === '' ? messageOf(error) : stderr.trim();
      throw new Error(`git ${args[0] ?? ''}: ${said.slice(-1_000)}`, { cause: error });
    }
  }

  /** Runs a command as `run` does, and resolves to its output alone. */
  async out(args: readonly string[], place?: GitPlace): Promise<string> {
    return (await this.run(args, place)).out.trim();
  }

  /** Runs a command with its output in a file. Rejects if that does not hold all of it, on a full disk for example. */
  async write(args: readonly string[], path: string): Promise<void> {
    const env = this.#environment(this.top);
    const file = await open(path, 'w', 0o600);
    try {
      // Git looks whether a file that is its stdout took everything, and not whether one that it opens itself did.
      const stdio = ['ignore', file.fd, 'pipe'] as const;
      const running = spawn('git', [...SETTINGS, ...args], { cwd: this.top, env, stdio: [...stdio] });
      const ended = new Promise((resolve, reject) => running.on('close', resolve).on('error', reject));
      const [said, code] = await Promise.all([text(running.stderr!), ended]);
      if (code !== 0) throw new Error(`git ${args[0] ?? ''}: ${said.trim().slice(-1_000)}`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Whether a path is below the root of the user's tree. */
  holds(path: string): boolean {
    return path.startsWith(`${this.top}/`);
  }

  #environment(tree: string): NodeJS.ProcessEnv {
    const { directory, common, objects } = this.found;
    return environment({
      ...{ GIT_DIR: directory, GIT_WORK_TREE: tree, GIT_OBJECT_DIRECTORY: objects },
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(common, 'objects'),
    });
  }
}

/** The environment of git without variables that point it to another repository. */
function environment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(passed),
    ...IDENTITY,
    ...{ GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...own },
  };
}
