/**
 * The files of a folder that may be read: git's own list where there is a repository, else the folder itself with its
 * ignore files. Secrets, binaries, large and generated files, and links that lead out of the folder are left out, and
 * counted. It blocks its thread and is called in a thread of its own.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { globSync } from 'tinyglobby';
import { messageOf } from '../errors.ts';
import {
  FILE_BYTES_MAX,
  FOLDER_BYTES_MAX,
  FOLDER_FILES_MAX,
  GIT_BYTES_MAX,
  GIT_MS_MAX,
  LEFT_OUT_NAMED_MAX,
} from './limits.ts';
import { hasSecretName, hasSecretShape, withoutSecretLines } from './secrets.ts';

/** The reasons for leaving files out. */
export const LEFT_OUT_REASONS = {
  secret: 'the name or the contents are those of a secret',
  binary: 'it is no text',
  large: `it has more than ${FILE_BYTES_MAX / 1024} KiB`,
  generated: 'a tool has written it: a lock file, a bundle or a map',
  outside: 'a link leads out of the folder',
  unreadable: 'it cannot be read',
  over: `the folder has more than ${FOLDER_FILES_MAX} files or ${FOLDER_BYTES_MAX / 1024 / 1024} MiB`,
} as const;
export type LeftOutReason = keyof typeof LEFT_OUT_REASONS;

/** The files of a folder that were left out, by reason. */
export type LeftOut = Readonly<Partial<Record<LeftOutReason, LeftOutFiles>>>;

export interface LeftOutFiles {
  readonly count: number;
  /** The names of the first such files. */
  readonly files: readonly string[];
}

export interface Listing {
  /** Sorted paths inside the folder, with slashes. */
  readonly files: readonly string[];
  readonly by: 'git' | 'walk';
}

/** A file that was read, or the reason why it was not. */
export type Reading =
  | { readonly text: string; readonly bytes: number; readonly blankedLines: number }
  | { readonly leftOut: LeftOutReason; readonly why?: string };

const GENERATED = new RegExp(
  String.raw`(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|` +
    String.raw`Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum)$|` +
    String.raw`\.(?:min\.(?:js|css)|map|snap|lock)$`,
  '',
);
const BINARY_NAME = new RegExp(
  String.raw`\.(?:png|jpe?g|gif|webp|ico|bmp|avif|pdf|zip|gz|tgz|bz2|xz|7z|jar|war|class|so|dll|` +
    String.raw`dylib|exe|wasm|node|woff2?|ttf|otf|eot|mp[34]|mov|avi|sqlite3?|db|pyc|o|a|bin)$`,
  'i',
);

/** Bytes at the start of a file that are checked for a zero byte, which marks a binary file. */
const BINARY_PROBE_BYTES = 8_192;

/**
 * Arguments with which git runs nothing that the repository's configuration names. Listing files must not execute code
 * of a repository.
 */
const GIT_LIST = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '-z',
];

/** Lists the files of a folder, without those that its ignore rules exclude. */
export function listFiles(folder: string): Listing {
  const git = spawnSync('git', ['-C', folder, ...GIT_LIST], {
    timeout: GIT_MS_MAX,
    maxBuffer: GIT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (git.status !== 0) return { files: walk(folder), by: 'walk' };
  const files = [...new Set(git.stdout.toString('utf8').split('\0'))].filter((file) => file !== '');
  // A folder that its repository ignores is asked for all the same.
  return files.length === 0 ? { files: walk(folder), by: 'walk' } : { files: files.sort(), by: 'git' };
}

/** Walks a folder and applies its ignore files. Never enters `.git` and `node_modules`. */
function walk(folder: string): string[] {
  const files = globSync('**/*', {
    cwd: folder,
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    ignore: ['**/.git/**', '**/node_modules/**'],
  });
  const rules = new Map<string, Ignore>();
  for (const file of files.filter((path) => /(?:^|\/)\.gitignore$/.test(path))) {
    const text = textOrNothing(join(folder, file));
    rules.set(file.slice(0, -'.gitignore'.length), ignore().add(text));
  }
  return files.filter((file) => !isIgnored(file, rules)).sort();
}

function isIgnored(file: string, rules: ReadonlyMap<string, Ignore>): boolean {
  for (const [base, rule] of rules) if (file.startsWith(base) && rule.ignores(file.slice(base.length))) return true;
  return false;
}

function textOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It is a rule about other files; without it more is read, by the same bounds.
    return '';
  }
}

/**
 * Reads one file of a folder.
 *
 * @param root The real path of the folder.
 */
export function readFile(root: string, file: string): Reading {
  if (hasSecretName(file)) return { leftOut: 'secret' };
  if (GENERATED.test(file)) return { leftOut: 'generated' };
  if (BINARY_NAME.test(file)) return { leftOut: 'binary' };
  try {
    const path = realpathSync(join(root, file));
    if (path !== root && !path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return { leftOut: 'outside' };
    // A link inside the folder must not make a secret readable under another name.
    if (hasSecretName(path)) return { leftOut: 'secret' };
    const stats = statSync(path);
    // A submodule, a socket or a pipe: opening a pipe would wait for its writer.
    if (!stats.isFile()) return { leftOut: 'binary' };
    if (stats.size > FILE_BYTES_MAX) return { leftOut: 'large' };
    const bytes = readFileSync(path);
    if (bytes.length > FILE_BYTES_MAX) return { leftOut: 'large' };
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return { leftOut: 'binary' };
    const whole = bytes.toString('utf8');
    if (hasSecretShape(whole)) return { leftOut: 'secret' };
    const { text, blanked } = withoutSecretLines(whole);
    return { text, bytes: bytes.length, blankedLines: blanked };
  } catch (error) {
    return { leftOut: 'unreadable', why: messageOf(error) };
  }
}

/** Counts a file that was left out. */
export function withLeftOut(leftOut: LeftOut, reason: LeftOutReason, file: string): LeftOut {
  const { count, files } = leftOut[reason] ?? { count: 0, files: [] };
  const named = files.length < LEFT_OUT_NAMED_MAX ? [...files, file] : files;
  return { ...leftOut, [reason]: { count: count + 1, files: named } };
}
