/**
 * Manifests: which files name the dependencies of a project, and how an entry looks in each. Settings of such a file
 * that are dependencies are told as such; everything else in it stays a setting. Pure.
 */
import { type Statement } from './statement.ts';

interface Manifest {
  readonly file: RegExp;
  /** Matches the paths of keys that contain dependencies. With `listed`, they are items of a list instead of keys. */
  readonly under?: RegExp;
  readonly listed?: RegExp;
  /** Matches entries of manifests that have no keys: the name, empty if the file has it, and the version. */
  readonly entry?: RegExp;
}

const MANIFESTS: readonly Manifest[] = [
  { file: /^package\.json$/, under: /^(?:dev|peer|optional|bundled)?dependencies$/i },
  {
    file: /^pyproject\.toml$/,
    under: /^tool poetry (?:group \S+ )?(?:dev-)?dependencies$/,
    listed: /^(?:project dependencies|project optional-dependencies \S+|dependency-groups \S+)$/,
  },
  { file: /^requirements[\w.-]*\.(?:txt|in)$/, entry: /^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[=~<>!]=?|@).*)?$/ },
  { file: /^go\.mod$/, entry: /^(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)(?!.*\/\/ indirect)$/ },
  {
    file: /^Cargo\.toml$/,
    under: /^(?:target \S+ )?(?:workspace )?(?:dev-|build-)?dependencies$/,
  },
  { file: /^(?:[\w.-]+\.)?Dockerfile(?:\.[\w.-]+)?$/, entry: /^FROM\s+(?:\S*\/)?([\w.-]+):(\S+)/i },
  { file: /^\.tool-versions$/, entry: /^([\w-]+)\s+(\d\S*)$/ },
  { file: /^\.(?:\w+-version|nvmrc)$/, entry: /^()v?(\d\S*)$/ },
  { file: /^composer\.json$/, under: /^require(?:-dev)?$/ },
  { file: /^Gemfile$/, entry: /^gem\s+['"]([^'"]+)['"](?:,\s*['"]([^'"]+)['"])?/ },
  { file: /^pom\.xml$/, listed: /(?:^| )(?:dependency|plugin|parent) artifactId$/ },
  {
    file: /^build\.gradle(?:\.kts)?$/,
    entry: new RegExp(
      String.raw`^(?:implementation|api|compileOnly|runtimeOnly|testImplementation|kapt|annotationProcessor)\s` +
        String.raw`*\(?\s*['"]([^'":]+:[^'":]+):?([^'"]*)['"]`,
      '',
    ),
  },
];

const LISTED_ENTRY = /^(@?[\w./-]+)(?:\[[^\]]*\])?\s*(.*)$/;

function manifestOf(file: string): Manifest | undefined {
  const name = file.split('/').at(-1)!;
  return MANIFESTS.find((manifest) => manifest.file.test(name));
}

/** Whether the file is a manifest with one entry per line, instead of keys. */
export function isEntryManifest(file: string): boolean {
  return manifestOf(file)?.entry !== undefined;
}

/** The dependencies in a manifest that has one entry per line. */
export function statementsOfEntries(file: string, text: string): Statement[] {
  const entry = manifestOf(file)?.entry;
  if (entry === undefined) return [];
  return text.split(/\r?\n/).flatMap((whole, index): Statement[] => {
    const shown = whole.trim();
    if (shown === '') return [];
    const [, name, version] = entry.exec(shown) ?? [];
    if (name !== undefined) return [dependency(index + 1, shown, name === '' ? subjectOf(file) : name, version ?? '')];
    return [
      { form: /^[#/]/.test(shown) ? 'comment' : 'code', line: index + 1, text: shown, about: '', name: '', value: '' },
    ];
  });
}

/** What a file holds the version of: `ruby` for `.ruby-version`. */
function subjectOf(file: string): string {
  const name = file.split('/').at(-1)!;
  return name === '.nvmrc' ? 'node' : name.slice(1, name.lastIndexOf('-'));
}

/** Marks the settings of a manifest that are dependencies. */
export function withDependencies(file: string, statements: readonly Statement[]): readonly Statement[] {
  const manifest = manifestOf(file);
  if (manifest === undefined) return statements;
  return statements.map((statement) => {
    const { form, line, text, about, name, value } = statement;
    if (form !== 'setting') return statement;
    if (manifest.under?.test(about) === true) return dependency(line, text, name, value);
    if (manifest.listed?.test(`${about} ${name}`.trim()) !== true) return statement;
    const [, listed, version] = LISTED_ENTRY.exec(value) ?? [];
    return listed === undefined ? statement : dependency(line, text, listed, version ?? '');
  });
}

/** Whether a dependency or module is called by this name: `chi` for `github.com/go-chi/chi/v5`. */
export function isNamed(dependencyName: string, name: string): boolean {
  // Types of a package are not the package.
  if (dependencyName.startsWith('@types/')) return false;
  const wanted = squashed(name);
  // A package under the name of a project need not be the project, unless it is its heart.
  const whole = dependencyName
    .toLowerCase()
    .replace(/^node:/, '')
    .replace(/^@([^/]+)\/(?!(?:core|cli|test|common|server|client|node|runtime|kit)$)/, '');
  if (squashed(whole) === wanted) return true;
  return whole.split(/[/:@]|::|\.(?=[a-z])/).some((part) => squashed(part) === wanted);
}

function dependency(line: number, text: string, name: string, version: string): Statement {
  return { form: 'dependency', line, text, about: '', name, value: version };
}

function squashed(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}
