/**
 * Scopes: the files that a session may change, and the directories in which it may make new ones (HS-049). A scope is
 * judged on the files that really changed, not on what a session says. Pure.
 */
import { z } from 'zod';

const PATTERN_CHARS_MAX = 500;
/** Patterns of one scope: more do not fit into a prompt that is read. */
export const PATTERNS_MAX = 200;

/** A path inside the workspace, relative to it. */
export const workspacePath = z
  .string()
  .min(1)
  .max(PATTERN_CHARS_MAX)
  // A pattern, so that forms of gates have it too, with the description as their refusal.
  .regex(/^(?!\/)(?![\s\S]*(?:^|\/)\.\.(?:\/|$))/, 'is not a path inside the workspace')
  .describe('A path inside the workspace: `src/parser.ts`.');

/** The scope of a session that may write. */
export const scopeSchema = z.object({
  /** Patterns of files that may be changed: `*` within a name, `**` across directories. */
  files: z.array(workspacePath).max(PATTERNS_MAX).default([]),
  /** Directories in which new files may be made. */
  newIn: z.array(workspacePath).max(PATTERNS_MAX).default([]),
});
/** A scope with its defaults. */
export type Scope = z.output<typeof scopeSchema>;

/** A file that changed in a workspace. */
export interface ChangedFile {
  readonly path: string;
  readonly isNew: boolean;
}

/** The changed files that a scope does not allow, in order of their paths. */
export function outOfScope(scope: Scope | null, changed: readonly ChangedFile[]): string[] {
  const outside = changed.filter((file) => scope === null || !isInScope(scope, file));
  return outside.map((file) => file.path).sort(byCodeUnit);
}

function isInScope({ files, newIn }: Scope, { path: changed, isNew }: ChangedFile): boolean {
  if (files.some((pattern) => matches(pattern, changed))) return true;
  return isNew && newIn.some((directory) => isUnder(trimmed(directory), changed));
}

function isUnder(directory: string, file: string): boolean {
  return directory === '.' || file.startsWith(`${directory}/`);
}

function trimmed(directory: string): string {
  return directory.replace(/^\.\//, '').replace(/\/+$/, '');
}

/** Whether a path fits a pattern. */
export function matches(pattern: string, file: string): boolean {
  return patternOf(pattern).test(file);
}

/** The expression of a pattern. Each wildcard is bounded by a separator or by the next fixed text. */
function patternOf(pattern: string): RegExp {
  const parts = trimmed(pattern).split('/');
  const source = parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    if (part === '**') return isLast ? '.+' : '(?:[^/]+/)*';
    const name = part
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll(/\*+/g, '[^/]*')
      .replaceAll('?', '[^/]');
    return isLast ? name : `${name}/`;
  });
  return new RegExp(`^${source.join('')}$`, 'u');
}

/**
 * Whether two scopes may allow the same file. It compares the fixed beginnings of their patterns, and so says yes where
 * it cannot know.
 */
export function scopesMeet(a: Scope, b: Scope): boolean {
  const [of, others] = [rootsOf(a), rootsOf(b)];
  return of.some((one) => others.some((other) => one.startsWith(other) || other.startsWith(one)));
}

/** Whether a scope allows nothing that another one does not. Patterns count only as they are written. */
export function isWithin({ files, newIn }: Scope, whole: Scope): boolean {
  const isAllowed = (file: string) =>
    whole.files.includes(file) || (!/[*?]/.test(file) && whole.files.some((pattern) => matches(pattern, file)));
  const directories = whole.newIn.map(trimmed);
  return (
    files.every(isAllowed) &&
    newIn.map(trimmed).every((one) => directories.some((other) => other === one || isUnder(other, one)))
  );
}

function rootsOf({ files, newIn }: Scope): string[] {
  const fixed = files.map((pattern) => trimmed(pattern).split(/[*?]/)[0]!);
  return [...fixed, ...newIn.map((directory) => (trimmed(directory) === '.' ? '' : `${trimmed(directory)}/`))];
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
