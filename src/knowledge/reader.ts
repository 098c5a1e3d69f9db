/**
 * The files of a folder that may be read: git's own list where there is a repository, else the folder itself with its
 * ignore files. Secrets, binaries, large and generated files, and links that lead out of the folder are left out, and
 * counted. Nothing that a folder says is executed. It blocks its thread and is called in a thread of its own.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { globSync } from 'tinyglobby';
import { messageOf } from '../errors.ts';
import { plainLine } from '../plain-text.ts';
import {
  DEPTH_MAX,
  FILE_BYTES_MAX,
  FILE_LINES_MAX,
  FOLDER_BYTES_MAX,
  FOLDER_FILES_MAX,
  FOLDER_STATEMENTS_MAX,
  GIT_BYTES_MAX,
  GIT_MS_MAX,
  IGNORE_RULE_CHARS_MAX,
  IGNORE_RULE_FOLDERS_MAX,
  IGNORE_RULES_MAX,
  LEFT_OUT_NAMED_MAX,
  LINE_CHARS_MAX,
  PATH_CHARS_MAX,
} from './limits.ts';
import { hasSecretName, hasSecretShape, withoutSecretLines } from './secrets.ts';

/** The reasons for leaving files out. */
export const LEFT_OUT_REASONS = {
  secret: 'the name or the contents are those of a secret',
  binary: 'it is no text',
  large: `it has more than ${FILE_BYTES_MAX / 1024} KiB or ${FILE_LINES_MAX} lines`,
  generated: 'a tool has written it: a lock file, a bundle or a map',
  outside: 'a link leads out of the folder',
  unprintable: `its path has more than ${PATH_CHARS_MAX} characters, or characters that cannot be printed`,
  unreadable: 'it cannot be read',
  over:
    `the folder has more than ${FOLDER_FILES_MAX} files, ${FOLDER_BYTES_MAX / 1024 / 1024} MiB or ` +
    `${FOLDER_STATEMENTS_MAX} statements`,
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
export type Reading = FileText | { readonly leftOut: LeftOutReason; readonly why?: string };

export interface FileText {
  /** The text without what nobody sees, without secrets and long lines. Its lines have the numbers of the file's. */
  readonly text: string;
  readonly bytes: number;
  /** The number of lines that are blank because they contain a secret. */
  readonly blankedLines: number;
  /** The number of lines that are blank because they are longer than {@link LINE_CHARS_MAX}. */
  readonly longLines: number;
}

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

/** Matches characters that a path shown to people and models must not have: controls, and what nobody sees. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Matches controls, escapes of terminals and separators of lines among them, but not tabs and ends of lines. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Matches characters that nobody sees: marks of the direction of writing, soft hyphens, tags. They hide a text from
 * people that models read, or divide a word. Joiners are kept in the scripts that are written with them.
 */
const INVISIBLE =
  /(?![\u200c\u200d\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=[\w\s])[\u200c\u200d]|[\u200c\u200d](?=[\w\s])/gu;

/** The share of characters that are none, above which a file is no text, or text of an encoding that is not known. */
const BROKEN_SHARE_MAX = 0.1;

/**
 * Settings with which git runs nothing that the configuration of a repository names. A bare repository among the files
 * of another one is none.
 */
const GIT_SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'].flatMap(
  (setting) => ['-c', setting],
);

/**
 * Matches settings of a partial clone. Git fetches the objects that it misses, also to list files, and by a program if
 * the repository says so.
 */
const PARTIAL_CLONE = String.raw`^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$`;

/** The status with which git says that no setting matches. */
const NO_SETTING = 1;

/** Lists the files of a folder, without those that its ignore rules exclude. */
export function listFiles(folder: string): Listing {
  const files = isListedByGit(folder) ? gitFiles(folder) : [];
  // A folder that its repository ignores is asked for all the same.
  return files.length === 0 ? { files: walk(folder), by: 'walk' } : { files, by: 'git' };
}

/**
 * Whether git would list this folder, and do nothing else. The configuration of a repository can have it list another
 * folder instead.
 */
function isListedByGit(folder: string): boolean {
  if (git(folder, 'rev-parse', '--is-inside-work-tree').output.trim() !== 'true') return false;
  return git(folder, 'config', '--get-regexp', PARTIAL_CLONE).status === NO_SETTING;
}

function gitFiles(folder: string): string[] {
  const { status, output } = git(folder, 'ls-files', '--cached', '--others', '--exclude-standard', '-z');
  return status === 0 ? [...new Set(output.split('\0'))].filter((file) => file !== '').sort() : [];
}

function git(
  folder: string,
  ...command: readonly string[]
): { readonly status: number | null; readonly output: string } {
  const { status, stdout } = spawnSync('git', ['-C', folder, ...GIT_SETTINGS, ...command], {
    timeout: GIT_MS_MAX,
    killSignal: 'SIGKILL',
    maxBuffer: GIT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: withoutGit(process.env),
  });
  // Without git there is no output.
  return { status, output: stdout?.toString('utf8') ?? '' };
}

/** The environment without what git calls tell each other: a hook of one repository may ask about another. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_OPTIONAL_LOCKS: '0' };
}

/** Walks a folder and applies its ignore files. Never enters `.git` and `node_modules`. */
function walk(folder: string): string[] {
  const files = globSync('**/*', {
    cwd: folder,
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    deep: DEPTH_MAX,
    ignore: ['**/.git/**', '**/node_modules/**'],
  });
  const rules = new Map<string, Ignore>();
  for (const file of files.filter((path) => /(?:^|\/)\.gitignore$/.test(path)))
    rules.set(file.slice(0, -'.gitignore'.length), ignore().add(rulesIn(textOrNothing(join(folder, file)))));
  return files.filter((file) => !isIgnored(file, rules)).sort();
}

/** The rules of an ignore file that take a bounded time. Without the others more is read, by the same bounds. */
function rulesIn(text: string): string[] {
  const isHeeded = (rule: string) =>
    rule.length <= IGNORE_RULE_CHARS_MAX && rule.split('**').length - 1 <= IGNORE_RULE_FOLDERS_MAX;
  return text.split(/\r?\n/).filter(isHeeded).slice(0, IGNORE_RULES_MAX);
}

/** Whether a rule of a folder above the file excludes it. */
function isIgnored(file: string, rules: ReadonlyMap<string, Ignore>): boolean {
  let end = file.length;
  while (end > 0) {
    end = file.lastIndexOf('/', end - 1);
    const base = file.slice(0, end + 1);
    if (rules.get(base)?.ignores(file.slice(base.length)) === true) return true;
  }
  return false;
}

function textOrNothing(path: string): string {
  try {
    const bytes = bytesOf(path);
    return typeof bytes === 'string' ? '' : bytes.toString('utf8');
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
  if (file.length > PATH_CHARS_MAX || UNPRINTABLE.test(file)) return { leftOut: 'unprintable' };
  if (hasSecretName(file)) return { leftOut: 'secret' };
  if (GENERATED.test(file)) return { leftOut: 'generated' };
  if (BINARY_NAME.test(file)) return { leftOut: 'binary' };
  try {
    const path = realpathSync(join(root, file));
    if (!isInside(path, root)) return { leftOut: 'outside' };
    // A link inside the folder must not make a secret readable under another name.
    if (hasSecretName(path.slice(root.length))) return { leftOut: 'secret' };
    const bytes = bytesOf(path);
    return typeof bytes === 'string' ? { leftOut: bytes } : readingOf(bytes);
  } catch (error) {
    return { leftOut: 'unreadable', why: messageOf(error) };
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** The contents of a file as long as it was when it was opened, or the reason for leaving it out. */
function bytesOf(path: string): Buffer | LeftOutReason {
  // A submodule, a socket, a pipe or a device.
  if (!statSync(path).isFile()) return 'binary';
  // The file may be another one by now: a pipe, which would wait for its writer, or a link.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return 'binary';
    if (stats.size > FILE_BYTES_MAX) return 'large';
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(handle, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

function readingOf(bytes: Buffer): Reading {
  const whole = decoded(bytes);
  if (whole === undefined) return { leftOut: 'binary' };
  const seen = visible(whole);
  if (hasSecretShape(seen)) return { leftOut: 'secret' };
  const { text, blanked } = withoutSecretLines(seen);
  const lines = text.split('\n');
  if (lines.length > FILE_LINES_MAX) return { leftOut: 'large' };
  const short = lines.map((line) => (line.length > LINE_CHARS_MAX ? '' : line));
  const longLines = lines.filter((line) => line.length > LINE_CHARS_MAX).length;
  return {
    text: longLines === 0 ? text : short.join('\n'),
    bytes: bytes.length,
    blankedLines: blanked,
    longLines,
  };
}

/** The text of a file in UTF-8, or in UTF-16 with its mark; undefined if it is none. */
function decoded(bytes: Buffer): string | undefined {
  const mark = bytes.toString('latin1', 0, 2);
  const encoding = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be' }[mark] ?? 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) return undefined;
  const broken = text.split('\ufffd').length - 1;
  return broken > text.length * BROKEN_SHARE_MAX ? undefined : text;
}

/** A text with what people see of it. All of its lines end in a line feed, and have the numbers that they had. */
function visible(text: string): string {
  // A file with no other ends of lines has those of old Macs; elsewhere a lone one draws over the line, as a bar does.
  const lines = text.includes('\n') ? text.replaceAll(/\r(?!\n)/g, ' ') : text.replaceAll('\r', '\n');
  const plain = lines.replaceAll(CONTROL, ' ');
  return /[^\u0000-\u007f]/.test(plain) ? plain.replaceAll(INVISIBLE, '') : plain;
}

/** Counts a file that was left out. */
export function withLeftOut(leftOut: LeftOut, reason: LeftOutReason, file: string): LeftOut {
  const { count, files } = leftOut[reason] ?? { count: 0, files: [] };
  const named = files.length < LEFT_OUT_NAMED_MAX ? [...files, plainLine(file).slice(0, PATH_CHARS_MAX)] : files;
  return { ...leftOut, [reason]: { count: count + 1, files: named } };
}
