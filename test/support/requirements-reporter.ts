/**
 * Writes docs/requirements.md from a test run: each row of a seed with the tests whose titles begin with its id, and
 * whether they pass. A row without a test, or a page that says something else than the run, ends the run with exit code
 * 1; `vitest run -u` writes the page anew. A run of some of the files only says nothing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = 'docs/requirements.md';

interface Seed {
  readonly title: string;
  /** Of the tests that show its rows. */
  readonly folder: string;
  readonly rows: readonly string[];
}

/** Rows are those of the requirements catalogue: rules by number, examples by E and number. */
const SEEDS: readonly Seed[] = [
  {
    title: 'Coordination agents (seed 002)',
    folder: 'test/machines',
    rows: [...numbered('CA-', 138, 3), ...numbered('CA-E', 15, 2)],
  },
];

interface Shown {
  readonly says: string;
  readonly file: string;
  readonly passes: boolean;
}

export default class RequirementsReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const seeds = SEEDS.filter(({ folder }) => isWhole(folder, modules));
    if (seeds.length < SEEDS.length) return;
    const shown = testsByRow(modules);
    const missing = seeds.flatMap(({ rows }) => rows.filter((row) => !shown.has(row)));
    if (missing.length > 0) this.#fail(`no test shows ${missing.join(', ')}`);
    const page = pageOf(seeds, shown);
    const path = join(ROOT, PAGE);
    if (this.#vitest?.config.snapshotOptions.updateSnapshot === 'all') writeFileSync(path, page);
    else if (readFileSync(path, 'utf8') !== page)
      this.#fail(`${PAGE} is not what this run has shown; vitest run -u writes it`);
  }

  #fail(why: string): void {
    this.#vitest?.logger.error(`requirements: ${why}`);
    process.exitCode = 1;
  }
}

function numbered(prefix: string, count: number, digits: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(digits, '0')}`);
}

/** Whether every test file of the folder was run, unfiltered. */
function isWhole(folder: string, modules: readonly TestModule[]): boolean {
  const run = new Set(
    modules
      .filter((module) => [...module.children.allTests()].every((test) => test.result().state !== 'skipped'))
      .map(fileOf),
  );
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .every((name) => run.has(join(folder, name)));
}

function testsByRow(modules: readonly TestModule[]): ReadonlyMap<string, readonly Shown[]> {
  const byRow = new Map<string, Shown[]>();
  // They come in the order in which they ended.
  for (const module of modules.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))) {
    // Others show rows too, by the way; the page says the same whether they were run or not.
    if (!SEEDS.some(({ folder }) => fileOf(module).startsWith(`${folder}/`))) continue;
    for (const test of module.children.allTests()) {
      const title = titleOf(test);
      if (title === null) continue;
      const shown = { says: title.says, file: fileOf(module), passes: test.result().state === 'passed' };
      for (const row of title.rows) byRow.set(row, [...(byRow.get(row) ?? []), shown]);
    }
  }
  return byRow;
}

/** `CA-018: …`, or `CA-018, CA-019: …`. */
function titleOf(test: TestCase): { readonly rows: readonly string[]; readonly says: string } | null {
  const match = /^((?:[A-Z]{2}-E?\d+(?:, )?)+): (.*)$/s.exec(test.name);
  return match === null ? null : { rows: match[1]!.split(', '), says: match[2]! };
}

function fileOf(module: TestModule): string {
  return relative(ROOT, module.moduleId);
}

function pageOf(seeds: readonly Seed[], shown: ReadonlyMap<string, readonly Shown[]>): string {
  const head = `# Requirements

Every row of the seeds with the tests that show it, written by a test run (\`test/support/requirements-reporter.ts\`). A
row passes where all of its tests do. A few are read otherwise than they are written:
[decision 0030](decisions/0030-rows-read-otherwise.md) says which, and why.
`;
  return head + seeds.map((seed) => sectionOf(seed, shown)).join('');
}

function sectionOf({ title, folder, rows }: Seed, shown: ReadonlyMap<string, readonly Shown[]>): string {
  const lines = rows.map((row) => {
    const tests = shown.get(row) ?? [];
    const passes = tests.length > 0 && tests.every((test) => test.passes);
    const says = tests.map((test) => cell(test.says)).join('<br>');
    const files = [...new Set(tests.map((test) => `\`${relative(folder, test.file)}\``))].join(', ');
    return `| ${row} | ${says} | ${files} | ${passes ? 'pass' : 'fail'} |`;
  });
  return (
    `\n## ${title}\n\nTests in \`${folder}/\`.\n\n| row | what is shown | test | result ` +
    `|\n|---|---|---|---|\n${lines.join('\n')}\n`
  );
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
