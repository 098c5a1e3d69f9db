/**
 * `node .ci/verdict.mjs SECONDS [REPORT COMMAND]...`: the verdict on test runs, whose reports `.ci/within.mjs` and
 * test/support/run-reporter.ts have written. A file that failed is run once more, alone: COMMAND, a line of shell, with
 * the path of the file behind it. If it passes then, it counts as passed, and what had failed is named on lines that
 * begin with `unstable: `. The last line is `N passed, N failed`, the sums over all runs.
 *
 * The exit code is 1 if a file failed twice, if more than three were unstable, if more than eight failed, which is no
 * luck any more and is not tried again, if a run ended with an error that belongs to no file, or if no test passed.
 * All repetitions together have SECONDS.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { entriesOf } from './report.mjs';

const UNSTABLE_MAX = 3;
const REPEATED_MAX = 8;

const [seconds, ...pairs] = process.argv.slice(2);
if (!(Number(seconds) >= 0) || pairs.length % 2 !== 0) {
  console.error('usage: node .ci/verdict.mjs SECONDS [REPORT COMMAND]...');
  process.exit(2);
}

const deadline = performance.now() + Number(seconds) * 1_000;
const within = join(import.meta.dirname, 'within.mjs');
const directory = mkdtempSync(join(tmpdir(), 'bosun-verdict-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const runs = pairs.flatMap((path, index) => (index % 2 === 0 ? [runOf(path, pairs[index + 1])] : []));
const failedFiles = runs.flatMap(({ files, command }) => files.filter(hasFailed).map((file) => ({ ...file, command })));
const problems = runs.flatMap((run) => run.problems);
const isLuckPossible = failedFiles.length <= REPEATED_MAX;

let passed = sumOf(runs.flatMap(({ files }) => files.map((file) => file.passed)));
let failed = problems.length;
const unstable = [];
for (const file of failedFiles) {
  const again = isLuckPossible ? repeated(file) : undefined;
  if (again !== undefined && again.problems.length === 0 && again.files.every((one) => !hasFailed(one))) {
    passed += sumOf(again.files.map((one) => one.passed)) - file.passed;
    unstable.push(file);
    continue;
  }
  failed += file.failures.length;
  const problemsThen = again?.problems.map((text) => ({ test: '', message: text })) ?? [];
  tell(`--- failed${again === undefined ? '' : ' twice'}`, file, file.failures);
  tell('--- and then', file, [...(again?.files.flatMap((one) => one.failures) ?? []), ...problemsThen]);
}

for (const problem of problems) console.log(`--- failed: ${problem}`);
for (const { name, failures } of unstable) {
  for (const { test, message } of failures) console.log(`unstable: ${name} > ${test}: ${firstLineOf(message)}`);
}
if (!isLuckPossible) console.log(`${failedFiles.length} files failed: none is tried again, as that is no luck`);
if (unstable.length > UNSTABLE_MAX) {
  console.log(`${unstable.length} files are unstable: more than ${UNSTABLE_MAX} fail the run`);
  process.exitCode = 1;
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;

/** Reads a run. An exit code that no failed test and no problem explains is a problem. */
function runOf(path, command) {
  const entries = entriesOf(path);
  const ended = entries.filter((entry) => entry.ended !== undefined);
  const files = ended.map((entry) => ({ name: entry.ended, passed: entry.passed, failures: entry.failures }));
  const told = entries.flatMap((entry) => entry.problem ?? []);
  const { exit, why } = entries.findLast((entry) => entry.exit !== undefined) ?? {};
  const run = basename(path).replace(/\..*$/, '');
  const problems = told.map((problem) => `${run}: ${problem}`);
  const isExplained = exit === 0 || problems.length > 0 || files.some(hasFailed);
  if (why !== undefined) problems.push(`${run}: ${why}`);
  else if (exit === undefined) problems.push(`${run}: did not end`);
  else if (!isExplained) problems.push(`${run}: ended with exit code ${exit}, and no test failed`);
  return { files, problems, command };
}

/** Runs a file alone, and reads the report of that. Undefined if no time is left. */
function repeated({ name, command }) {
  const left = Math.floor((deadline - performance.now()) / 1_000);
  if (left <= 0) return undefined;
  const report = join(directory, `again-${name.replaceAll('/', '-')}.report`);
  rmSync(report, { force: true });
  console.log(`--- once more, alone: ${name}`);
  spawnSync(process.execPath, [within, String(left), 'bash', '-c', `${command} "$1"`, 'bash', name], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, BOSUN_TEST_REPORT: report },
  });
  return runOf(report);
}

function hasFailed({ failures }) {
  return failures.length > 0;
}

function tell(what, { name }, failures) {
  for (const { test, message } of failures) console.log(`${what}: ${name} > ${test}\n${message}`);
}

function firstLineOf(text) {
  return text.trim().split('\n', 1)[0];
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}
