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
  /** Patterns of lines that name a dependency: the name, empty if the file has it, and the version. */
  readonly lines?: readonly RegExp[];
}

const GRADLE = 'implementation|api|compileOnly|runtimeOnly|testImplementation|kapt|annotationProcessor';

const MANIFESTS: readonly Manifest[] = [
  { file: /^package\.json$/, under: /^(?:dev|peer|optional|bundled)?dependencies$/i },
  {
    file: /^pyproject\.toml$/,
    under: /^tool poetry (?:group \S+ )?(?:dev-)?dependencies$/,
    listed: /^(?:project dependencies|project optional-dependencies \S+|dependency-groups \S+)$/,
  },
  { file: /^requirements[\w.-]*\.(?:txt|in)$/, lines: [/^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[=~<>!]=?|@).*)?$/] },
  { file: /^go\.mod$/, lines: [/^(?:require\s+)?([\w-]+(?:\.[\w-]+)+\/\S+)\s+(v\S+)$/] },
  { file: /^Cargo\.toml$/, under: /^(?:target \S+ )?(?:workspace )?(?:dev-|build-)?dependencies$/ },
  { file: /^(?:[\w.-]+\.)?Dockerfile(?:\.[\w.-]+)?$/, lines: [/^FROM\s+(?:\S*\/)?([\w.-]+):v?(\d[\d.]*)/i] },
  { file: /^\.tool-versions$/, lines: [/^([\w-]+)\s+(\d\S*)$/] },
  { file: /^\.(?:\w+-version|nvmrc)$/, lines: [/^()v?(\d\S*)$/] },
  { file: /^composer\.json$/, under: /^require(?:-dev)?$/ },
  { file: /^Gemfile$/, lines: [/^gem\s+['"]([^'"]+)['"](?:,\s*['"]([^'"]+)['"])?/, /^(ruby)\s+['"]([^'"]+)['"]/] },
  { file: /^mix\.exs$/, lines: [/^\{:(\w+),\s*"([^"]+)"/] },
  {
    file: /\.(?:cs|fs|vb)proj$|^Directory\.Packages\.props$/,
    lines: [/^<Package\w+ Include="([^"]+)"(?: Version="([^"]+)")?/],
  },
  { file: /^pom\.xml$/, listed: /(?:^| )(?:dependency|plugin|parent) artifactId$/ },
  {
    file: /^build\.gradle(?:\.kts)?$/,
    lines: [
      new RegExp(String.raw`^(?:${GRADLE})\s*\(?\s*['"]([^'":]+:[^'":]+):?([^'"]*)['"]`),
      /^id\s*\(?['"]([\w.-]+)['"]\)?(?:\s+version\s+['"]([^'"]+)['"])?/,
      /^(kotlin)\(['"]jvm['"]\)\s+version\s+['"]([^'"]+)['"]/,
    ],
  },
];

const LISTED_ENTRY = /^(@?[\w./-]+)(?:\[[^\]]*\])?\s*(.*)$/;

function manifestOf(file: string): Manifest | undefined {
  const name = file.split('/').at(-1)!;
  return MANIFESTS.find((manifest) => manifest.file.test(name));
}

/** Whether the lines of a file name dependencies, so that it is no prose, whatever its name. */
export function hasDependencyLines(file: string): boolean {
  return manifestOf(file)?.lines !== undefined;
}

/** The statements of a manifest with its dependencies told as such. */
export function withDependencies(file: string, text: string, statements: readonly Statement[]): readonly Statement[] {
  const manifest = manifestOf(file);
  if (manifest === undefined) return statements;
  if (manifest.lines === undefined) return statements.map((statement) => asDependency(statement, manifest));
  const found = dependencyLines(file, text, manifest.lines);
  const others = statements.filter(({ line }) => !found.has(line));
  return [...others, ...found.values()].sort((a, b) => a.line - b.line);
}

/** The dependencies that lines name, by line. */
function dependencyLines(file: string, text: string, patterns: readonly RegExp[]): ReadonlyMap<number, Statement> {
  const found = new Map<number, Statement>();
  text.split(/\r?\n/).forEach((whole, index) => {
    const shown = whole.trim();
    const [, name, version = ''] = patterns.map((pattern) => pattern.exec(shown)).find((match) => match !== null) ?? [];
    if (name === undefined) return;
    found.set(index + 1, dependency(index + 1, shown, name === '' ? subjectOf(file) : name, version));
  });
  return found;
}

/** The name of the tool whose version a file holds: `ruby` for `.ruby-version`. */
function subjectOf(file: string): string {
  const name = file.split('/').at(-1)!;
  return name === '.nvmrc' ? 'node' : name.slice(1, name.lastIndexOf('-'));
}

/** A setting as a dependency, if it is one. */
function asDependency(statement: Statement, { under, listed }: Manifest): Statement {
  const { form, line, text, about, name, value } = statement;
  if (form !== 'setting') return statement;
  if (under?.test(about) === true) return dependency(line, text, name, value);
  if (listed?.test(`${about} ${name}`.trim()) !== true) return statement;
  const [, one, version] = LISTED_ENTRY.exec(value) ?? [];
  return one === undefined ? statement : dependency(line, text, one, version ?? '');
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
