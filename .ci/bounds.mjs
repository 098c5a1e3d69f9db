/**
 * `npm run bounds`: changes each threshold of .ci/bounds.json by one, up and down, and says which test of its subject
 * notices. Nothing is written: the change is made while the file is loaded, so that whatever ends a run leaves nothing
 * behind. `npm run bounds -- --only CA-055` tries one row, or one threshold by its name; `--check` only looks whether
 * every threshold is still where the table says. Exit code 1 if a change goes unnoticed or the table is wrong.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    check: { type: 'boolean', default: false },
    table: { type: 'string', default: resolve(ROOT, '.ci/bounds.json') },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run bounds -- [--only ROW-OR-NAME]... [--check] [--table FILE]

Examples:
  $ npm run bounds
  $ npm run bounds -- --only CA-055 --only "slots of look-ahead"
  $ npm run bounds -- --check`);
  process.exit(0);
}

const { bounds } = JSON.parse(readFileSync(values.table, 'utf8'));
refuse([...bounds.flatMap(problemsOf), ...twice(bounds.map(({ name }) => name))]);

const changes = bounds
  .filter(({ row, name }) => values.only.length === 0 || values.only.includes(row) || values.only.includes(name))
  .flatMap((bound) => bound.changes.map((to) => ({ ...bound, to })));
if (changes.length === 0) refuse([`no threshold has the row or name ${values.only.join(', ')}`]);

if (values.check) console.log(`${bounds.length} thresholds with ${changes.length} changes are where the table says`);
else process.exitCode = (await tryAll()) === 0 ? 0 : 1;

/** Why an entry cannot be tried. */
function problemsOf({ name, file, text, changes: texts, tests }) {
  const missing = [file, ...tests].filter((path) => !existsSync(resolve(ROOT, path)));
  if (missing.length > 0) return [`${name}: there is no ${missing.join(', ')}`];
  const found = readFileSync(resolve(ROOT, file), 'utf8').split(text).length - 1;
  return [
    ...(found === 1 ? [] : [`${name}: ${file} has ${JSON.stringify(text)} ${found} times, not once`]),
    ...(texts.length > 0 && !texts.includes(text) ? [] : [`${name}: nothing is changed`]),
  ];
}

function twice(names) {
  return names.filter((name, index) => names.indexOf(name) < index).map((name) => `${name}: this name is taken`);
}

function refuse(problems) {
  if (problems.length === 0) return;
  console.error(problems.join('\n'));
  process.exit(1);
}

/** Tries every change, with one Vitest for all of them. Returns how many live. */
async function tryAll() {
  delete process.env['CI']; // the quick effort of every test is enough
  const { createVitest } = await import('vitest/node');
  /** The change that is made now, and how often its file was loaded. */
  const now = { change: null, loads: 0 };
  const vitest = await createVitest('test', options(), vite(now));
  try {
    const sound = await runOf(vitest, [...new Set(changes.flatMap(({ tests }) => tests))]);
    if (sound.failed !== null) refuse([`without any change fails: ${sound.failed}`]);
    let live = 0;
    for (const change of changes) {
      const path = resolve(ROOT, change.file);
      vitest.invalidateFile(path);
      Object.assign(now, { change: { ...change, path }, loads: 0 });
      const { failed, broken } = await runOf(vitest, change.tests);
      vitest.invalidateFile(path);
      now.change = null;
      const verdict =
        now.loads === 0 ? 'its tests do not load it' : broken ? 'its tests do not load with it' : 'no test falls';
      if (failed === null) live += 1;
      const said = `${change.row} ${change.name}: ${oneLine(change.text)} -> ${oneLine(change.to)}`;
      console.log(failed === null ? `LIVES   ${said}: ${verdict}` : `fallen  ${said}: ${failed}`);
    }
    console.log(`${changes.length} changes, ${live} live`);
    return live;
  } finally {
    await vitest.close();
  }
}

/** The options of vitest.mutation.config.ts, for any test. Each run begins with a new thread and so loads all anew. */
function options() {
  return {
    config: false,
    root: ROOT,
    watch: false,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    tags: [{ name: 'long', description: 'Run where CI=true, and by the name of its file.' }],
    tagsFilter: ['!long'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    bail: 1,
    reporters: [{}],
  };
}

function vite(now) {
  const conditions = ['@bosun/source', 'node', 'default'];
  const changed = (code, id) => {
    if (id !== now.change?.path) return undefined;
    now.loads += 1;
    const { text, to } = now.change;
    return { code: code.replace(text, () => to), map: null };
  };
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    plugins: [{ name: 'change', enforce: 'pre', transform: changed }],
  };
}

/** The title of the first test that fails, or null; and whether a file fails without any test. */
async function runOf(vitest, files) {
  const project = vitest.getRootProject();
  // Vitest remembers earlier runs: their failures would end this one at once, and be among its own.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const { testModules } = await vitest.runTestSpecifications(
    files.map((file) => project.createSpecification(resolve(ROOT, file))),
  );
  const [first] = testModules.flatMap((module) => [...module.children.allTests('failed')]);
  return { failed: first?.fullName ?? null, broken: testModules.some((module) => module.state() === 'failed') };
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}
