/**
 * Writes docs/requirements.md from a test run: each row of a seed with the tests whose titles begin with its id, the
 * layers through which they show it (shown-by.ts), and whether they pass. A row without a test and without a note on
 * what is missing, or a page that differs from the run, is a problem of the run, which ends with exit code 1; `vitest
 * run -u` rewrites the page. A run of only some of the files that name rows, or one in which a test of a row fails,
 * which says enough, reports only the titles that the page does not have.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { type Kind, KINDS, ROWS_OF_TITLE, type Seed, SEEDS } from './requirement-rows.ts';
import { type ReportOptions, tell } from './run-reporter.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = 'docs/requirements.md';
const FOLDERS = ['test', 'examples'];
/** Tests of the inspector in a browser, a run of their own. */
const BROWSER = 'test/browser';

const TITLE = new RegExp(`^${ROWS_OF_TITLE.source}(.*)$`, 's');
const TITLE_IN_CODE = new RegExp(`['"\`]${ROWS_OF_TITLE.source}`);
const TITLES_IN_CODE = new RegExp(`\\bit\\(\\s*(['"\`])${ROWS_OF_TITLE.source}(.*?)\\1,`, 'g');

interface Shown {
  readonly says: string;
  readonly file: string;
  readonly kind: Kind;
  readonly passes: boolean;
}

type ShownByRow = ReadonlyMap<string, readonly Shown[]>;

export default class RequirementsReporter implements Reporter {
  readonly #report: string | undefined;
  #vitest: Vitest | undefined;

  constructor({ report }: ReportOptions = {}) {
    this.#report = report;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const namingRows = testFiles().filter((file) => TITLE_IN_CODE.test(textOf(file)));
    const whole = new Set(modules.filter(isWhole).map(fileOf));
    const ran = testsByRow(modules.filter((module) => namingRows.includes(fileOf(module))));
    const shown = withPage(ran);
    for (const row of unknown(shown)) this.#fail(`${row}: no seed in test/support/requirement-rows.ts has this row`);
    const stands = readFileSync(join(ROOT, PAGE), 'utf8');
    const isWriting = this.#vitest?.config.snapshotOptions.updateSnapshot === 'all';
    const allPass = [...shown.values()].flat().every(({ passes }) => passes);
    if (!namingRows.every((file) => whole.has(file)) || !(allPass || isWriting)) {
      for (const problem of untold(shown, stands)) this.#fail(problem);
      return;
    }
    for (const problem of SEEDS.flatMap((seed) => problemsOf(seed, shown))) this.#fail(problem);
    const page = pageOf(shown);
    if (isWriting) writeFileSync(join(ROOT, PAGE), page);
    else if (stands !== page) {
      const lines = new Set(stands.split('\n'));
      const missing = page.split('\n').filter((line) => !lines.has(line));
      this.#fail([`${PAGE} is not what this run has shown; vitest run -u writes it`, ...missing].join('\n  '));
    }
  }

  #fail(why: string): void {
    this.#vitest?.logger.error(`requirements: ${why}`);
    tell(this.#report, { problem: `requirements: ${why}` });
    process.exitCode = 1;
  }
}

function testFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      // Tests in a browser and behind a proxy are runs of their own.
      .filter((name) => name.endsWith('.test.ts') && !/node_modules|^(browser|proxy)\//.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Whether every test of the file was run. */
function isWhole(module: TestModule): boolean {
  const tests = [...module.children.allTests()];
  return tests.length > 0 && tests.every((test) => test.result().state !== 'skipped');
}

function testsByRow(modules: readonly TestModule[]): ShownByRow {
  const byRow = new Map<string, Shown[]>();
  // Modules arrive in the order in which they ended.
  for (const module of modules.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))) {
    for (const test of module.children.allTests()) {
      const title = titleOf(test);
      if (title === null) continue;
      const passes = test.result().state === 'passed';
      const shown = { says: title.says, file: fileOf(module), kind: kindOf(test, fileOf(module)), passes };
      for (const row of title.rows) byRow.set(row, [...(byRow.get(row) ?? []), shown]);
    }
  }
  return byRow;
}

/** With the tests in a browser, by their titles; whether they pass is said by their own run. */
function withPage(ran: ShownByRow): ShownByRow {
  const byRow = new Map(ran);
  for (const name of readdirSync(join(ROOT, BROWSER))
    .filter((file) => file.endsWith('.test.ts'))
    .sort()) {
    const file = join(BROWSER, name);
    for (const [, , rows, says] of textOf(file).matchAll(TITLES_IN_CODE)) {
      const shown: Shown = { says: says!, file, kind: 'page', passes: true };
      for (const row of rows!.split(', ')) byRow.set(row, [...(byRow.get(row) ?? []), shown]);
    }
  }
  return byRow;
}

/** `CA-018: …`, or `CA-018, CA-019: …`. */
function titleOf(test: TestCase): { readonly rows: readonly string[]; readonly says: string } | null {
  const match = TITLE.exec(test.name);
  return match === null ? null : { rows: match[1]!.split(', '), says: match[2]! };
}

/** The strongest layer that its kits report. Without any, the layer follows from the test's file. */
function kindOf(test: TestCase, file: string): Kind {
  const { shownBy = [] } = test.meta();
  if (shownBy.length > 0) return strongest(shownBy);
  if (file.startsWith('test/machines/')) return 'rule'; // machines start by their kits alone
  if (file.startsWith('test/cli/')) return 'command line';
  const imports = [...textOf(file).matchAll(/ from '([^']+)';/g)].map(([, path]) => path!);
  if (imports.some((path) => /\/(network\/server|client\/[\w-]+|gateway\/[\w-]+)\.ts$/.test(path))) return 'gateway';
  return imports.some((path) => /\/(src\/system|testing\/.+|support\/[\w-]+\/.+)\.ts$/.test(path)) ? 'system' : 'rule';
}

function strongest(kinds: readonly Kind[]): Kind {
  return KINDS.findLast((kind) => kinds.includes(kind))!;
}

function fileOf(module: TestModule): string {
  return relative(ROOT, module.moduleId);
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function problemsOf({ rows, should, least, aboutFiles, notYet }: Seed, shown: ShownByRow): string[] {
  return rows.flatMap((row) => {
    const kinds = shown.get(row)?.map(({ kind }) => kind);
    if (kinds === undefined) return row in notYet ? [] : [`no test shows ${row}`];
    if (row in notYet) return [`${row} is shown now: it is "not yet" no more`];
    const isAboutFiles = aboutFiles?.has(row) === true && kinds.includes('files');
    const isEnough = should.has(row) || isAboutFiles || KINDS.indexOf(strongest(kinds)) >= KINDS.indexOf(least);
    return isEnough ? [] : [`${row} is shown through no more than: ${strongest(kinds)}`];
  });
}

/** The rows named by titles that belong to no seed, such as misspelt ones. */
function unknown(shown: ShownByRow): string[] {
  const known = new Set(SEEDS.flatMap(({ rows }) => [...rows]));
  return [...shown.keys()].filter((row) => !known.has(row));
}

/** The tests of a run whose titles their row of the page does not have. */
function untold(shown: ShownByRow, page: string): string[] {
  const told = new Map(page.split('\n').map((line) => [line.slice(2).split(' ', 1)[0]!, line]));
  const unknownRows = new Set(unknown(shown));
  return [...shown].flatMap(([row, tests]) =>
    (unknownRows.has(row) ? [] : tests)
      .filter(({ says }) => told.get(row)?.includes(cell(says)) !== true)
      .map(({ says, file }) => `${PAGE} does not say of ${row}: ${says} (${file}); CI=true vitest run -u writes it`),
  );
}

function pageOf(shown: ShownByRow): string {
  const head = `# Requirements

Every row of the seeds with the tests that show it, written by a test run (\`test/support/requirements-reporter.ts\`). A
row passes where all of its tests do. A few are read otherwise than they are written:
[decision 0030](decisions/0030-rows-read-otherwise.md) says which, and why.

Through what a row is shown, the nearest to a user first; each test says so by the kit that it uses:

| | |
|---|---|
| page | the inspector in a browser, by \`npm run test:browser\` |
| command line | \`bosun\`, as a user calls it |
| gateway | a client of the gateway |
| package | the installed package, as a host embeds it |
| crew | every desk of the crew, where nothing but the work is a stand-in |
| system | real machines in a system, beside stand-ins for others |
| rule | functions alone |
| files | the files of the repository, of which nothing runs: enough for rows about them |
`;
  return head + SEEDS.map((seed) => sectionOf(seed, shown)).join('');
}

function sectionOf({ title, rows, should, notYet }: Seed, shown: ShownByRow): string {
  const lines = rows.map((row) => {
    const level = should.has(row) ? 'should' : 'must';
    const tests = shown.get(row) ?? [];
    if (tests.length === 0) return `| ${row} | ${level} | ${cell(notYet[row] ?? '')} | | | not yet |`;
    const passes = tests.every((test) => test.passes);
    const says = tests.map((test) => cell(test.says)).join('<br>');
    const files = [...new Set(tests.map((test) => `\`${test.file}\``))].join(', ');
    const kinds = KINDS.toReversed().filter((kind) => tests.some((test) => test.kind === kind));
    return `| ${row} | ${level} | ${says} | ${kinds.join(', ')} | ${files} | ${passes ? 'pass' : 'fail'} |`;
  });
  return (
    `\n## ${title}\n\n| row | level | what is shown | through | test | result ` +
    `|\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`
  );
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
