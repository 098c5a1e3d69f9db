/**
 * The benchmark: `npm run bench`, which builds first. Every row runs in processes of its own, once as Node comes and
 * once with a larger young generation, which Bosun's launcher sets and an embedder may not.
 *
 * Options: see USAGE. Exits with 1 when a row fails, 2 for bad options; a missed goal is a finding, not a failure.
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, loadAverage } from './machine.mjs';
import { renderFigures, renderGoals, renderProfiles, renderResults } from './report.mjs';
import { ROWS } from './rows/index.mjs';

const USAGE = `npm run bench -- [--rows G3,G9] [--quick] [--json] [--write] [--profile] [--data DIR]

  --rows NAME,...  only these rows
  --quick          small sizes and two rounds, to see that it runs
  --json           print one JSON object with every sample instead of tables
  --write          keep what was measured in docs/benchmarks.json, and put the goals of all that is kept into
                   docs/benchmarks.md and the figures into docs/benchmark-details.md (not with --quick); of a
                   profile, its tables
  --profile        CPU profiles of what Bosun does in a row instead of figures, into bench/profiles
  --data DIR       where the stores go, and are removed afterwards; on a real disk (default bench/.data)

Rows: G of the kernel, P beside peers, S of supervision, W of the gateway, T of tables, C of commands, HUB of hub and
spokes.

${ROWS.map(({ name, title }) => `  ${name.padEnd(4)} ${title}`).join('\n')}`;

const ROUNDS = { full: 5, quick: 2 };

/** Megabytes of each half of the young generation; what the launcher of `bosun` sets. */
const SEMI_SPACE = '--max-semi-space-size=64';
const VARIANTS = [
  { variant: 'Node as it comes', flags: [] },
  { variant: SEMI_SPACE, flags: [SEMI_SPACE] },
];

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..');
/** The place of each generated part. */
const DOCUMENTS = {
  goals: join(ROOT, 'docs/benchmarks.md'),
  figures: join(ROOT, 'docs/benchmark-details.md'),
  profiles: join(ROOT, 'docs/benchmark-details.md'),
};
const KEPT = join(ROOT, 'docs/benchmarks.json');

const options = readOptions();
await mkdir(options.data, { recursive: true });
// A directory of our own inside it: other content stays.
options.data = await mkdtemp(join(options.data, 'run-'));
try {
  const report = await (options.profile ? profileAll(options) : measureAll(options));
  if (report.rows.length > 0) {
    const text = options.profile ? renderProfiles(report) : renderResults(report);
    console.log(options.json ? JSON.stringify(report) : text);
    if (options.write && options.profile) await writeSection('profiles', text);
  }
  if (report.failed.length > 0) {
    console.error(`failed, so nothing of them is written: ${report.failed.join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  await rm(options.data, { recursive: true, force: true });
}

function readOptions() {
  try {
    const flags = {
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      profile: { type: 'boolean' },
    };
    const { values } = parseArgs({
      options: { ...flags, help: { type: 'boolean' }, rows: { type: 'string' }, data: { type: 'string' } },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (values.write && values.quick) throw new Error('--write needs runs of full size');
    return {
      ...values,
      rows: chosenRows(values.rows),
      size: values.quick ? 'quick' : 'full',
      data: values.data ?? join(HERE, '.data'),
    };
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function chosenRows(names) {
  if (names === undefined) return ROWS;
  return names.split(',').map((name) => {
    const row = ROWS.find((candidate) => candidate.name === name.trim());
    if (row === undefined) throw new Error(`no row ${name}; there are ${ROWS.map((known) => known.name).join(', ')}`);
    return row;
  });
}

/** Measures row by row. With --write each is kept as soon as it is measured: an hour of rows may be interrupted. */
async function measureAll({ rows, size, data, write }) {
  for (const row of rows) row.check?.(row.sizes[size]);
  const { machine, before } = begin(data);
  const rounds = ROUNDS[size];
  const measured = [];
  const failed = [];
  for (const row of rows) {
    try {
      const result = { ...headOf(row, size), variants: await measureRow(row, { size, rounds, data }) };
      measured.push(result);
      const load = { before, after: loadAverage() };
      if (write) await writeResults(await kept({ machine, load, rounds, rows: [result] }));
    } catch (error) {
      // One failed row does not discard an hour of other rows.
      console.error(error.message);
      failed.push(row.name);
    }
  }
  return { machine, load: { before, after: loadAverage() }, size, rounds, rows: measured, failed };
}

async function measureRow({ name }, { size, rounds, data }) {
  const variants = [];
  for (const { variant, flags } of VARIANTS) {
    const load = loadAverage();
    const result = await inChild({ task: 'measure', name, size, rounds }, { flags, data });
    variants.push({ variant, load: { before: load, after: loadAverage() }, ...result });
  }
  return variants;
}

async function profileAll({ rows, size, data }) {
  for (const row of rows) row.check?.(row.sizes[size]);
  const { machine, before } = begin(data);
  const profiles = [];
  for (const row of rows) {
    const file = relative(process.cwd(), join(HERE, 'profiles', `${row.name}.cpuprofile`));
    const profile = await inChild({ task: 'profile', name: row.name, size, file }, { flags: [SEMI_SPACE], data });
    profiles.push({ ...headOf(row, size), profile });
  }
  return { machine, load: { before, after: loadAverage() }, size, rows: profiles, failed: [] };
}

/** The load by others, measured before anything here adds its own. */
function begin(data) {
  const before = loadAverage();
  return { before, machine: describeMachine(data) };
}

function headOf(row, size) {
  return { name: row.name, title: row.title, about: row.about(row.sizes[size]), size: row.sizes[size] };
}

async function inChild(task, { flags, data }) {
  const directory = join(data, `${task.name}-${task.task}`);
  await mkdir(directory, { recursive: true });
  console.error(`${task.name} ${flags.join(' ')}`);
  try {
    return await resultOf(
      fork(join(HERE, 'child.mjs'), [JSON.stringify({ ...task, directory })], { execArgv: ['--expose-gc', ...flags] }),
      task,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function resultOf(child, { name }) {
  return new Promise((resolve, reject) => {
    let result;
    child.on('message', (message) => (result = message));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0 && result !== undefined) resolve(result);
      else reject(new Error(`row ${name} failed (${signal ?? `exit code ${code}`}); what it said is above`));
    });
  });
}

/** The rows of this run and of earlier ones, each with its machine and commit. */
async function kept({ machine, load, rounds, rows }) {
  const before = existsSync(KEPT) ? JSON.parse(await readFile(KEPT, 'utf8')) : {};
  const now = Object.fromEntries(rows.map((row) => [row.name, { machine, load, rounds, row }]));
  const all = Object.fromEntries(
    ROWS.flatMap(({ name }) => ((now[name] ?? before[name]) ? [[name, now[name] ?? before[name]]] : [])),
  );
  await writeFile(KEPT, `${JSON.stringify(all, null, 1)}\n`);
  return Object.values(all);
}

async function writeResults(all) {
  await writeSection('goals', renderGoals(all));
  await writeSection('figures', renderFigures(all));
}

/** Replaces one generated part of a document; the written text around it stays. */
async function writeSection(section, text) {
  const file = DOCUMENTS[section];
  const [begin, end] = [`<!-- ${section}: written by npm run bench -->`, `<!-- end of ${section} -->`];
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  const document = await readFile(file, 'utf8');
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no part between "${begin}" and "${end}"`);
  await writeFile(file, `${document.slice(0, from)}${begin}\n\n${text}\n${document.slice(to)}`);
}
