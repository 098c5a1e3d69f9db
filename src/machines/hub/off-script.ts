/**
 * Signs that a session went off its script (HS-048), read from what really changed: files that nobody expected, new
 * dependencies, steps that were not its own, configuration, large refactors. Pure.
 */
import { type ChangedFile, outOfScope, type Scope } from './scope.ts';

/** A sign, in the words of the specification. */
export type OffScript =
  | 'unexpected-files'
  | 'new-dependencies'
  | 'unassigned-steps'
  | 'config-changed'
  | 'large-refactor';

/** The evidence of one session. */
export interface SessionEvidence {
  readonly scope: Scope | null;
  readonly changed: readonly (ChangedFile & {
    /** Lines added and removed; null for a binary file. */
    readonly lines: number | null;
  })[];
  /** The step that the session was given, and the steps that it says it completed. */
  readonly step: string | null;
  readonly stepsCompleted: readonly string[];
}

/** Names of files that declare dependencies. */
const MANIFESTS = [
  /(?:^|\/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|requirements[^/]*\.txt|pyproject\.toml)$/,
  /(?:^|\/)(?:Cargo\.(?:toml|lock)|go\.(?:mod|sum)|Gemfile(?:\.lock)?|pom\.xml)$/,
];

/** Names of files that configure tools, builds and machines. */
const CONFIGURATION = [
  /(?:^|\/)(?:\.[^/]+rc(?:\.[^/]+)?|\.env[^/]*|tsconfig[^/]*\.json|[^/]+\.config\.[cm]?[jt]s)$/,
  /(?:^|\/)(?:Dockerfile|docker-compose[^/]*|\.editorconfig|\.gitignore)$/,
  /^\.github\//,
];

/** Changed files and lines from which a change is a refactor of its own. */
const LARGE_FILES = 20;
const LARGE_LINES = 1_000;

/** The signs in a session's evidence, in a fixed order. */
export function offScriptSigns({ scope, changed, step, stepsCompleted }: SessionEvidence): OffScript[] {
  const allowed = (file: ChangedFile) => scope !== null && scope.files.includes(file.path);
  const lines = changed.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  const signs: readonly (readonly [OffScript, boolean])[] = [
    ['unexpected-files', outOfScope(scope, changed).length > 0],
    ['new-dependencies', changed.some((file) => MANIFESTS.some((name) => name.test(file.path)) && !allowed(file))],
    ['unassigned-steps', stepsCompleted.some((one) => one !== step)],
    ['config-changed', changed.some((file) => CONFIGURATION.some((name) => name.test(file.path)) && !allowed(file))],
    ['large-refactor', changed.length >= LARGE_FILES || lines >= LARGE_LINES],
  ];
  return signs.flatMap(([sign, isThere]) => (isThere ? [sign] : []));
}
