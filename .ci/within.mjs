/**
 * `node .ci/within.mjs SECONDS COMMAND [ARGUMENT...]`: runs a step of `.ci/run` and ends all that the step began, also
 * what was detached: when the command has exited, at the limit, and at a signal. The exit code is that of the command,
 * 124 at the limit, and 128 plus its number at a signal. A step of tests has a report (BOSUN_TEST_REPORT, see
 * test/support/run-reporter.ts): the exit code is its last line, and a step that is ended before its time names the
 * test files that had begun and not ended. Detached processes are found on Linux alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { entriesOf } from './report.mjs';

const [seconds, command, ...args] = process.argv.slice(2);
if (!(Number(seconds) > 0) || command === undefined) {
  console.error('usage: node .ci/within.mjs SECONDS COMMAND [ARGUMENT...]');
  process.exit(2);
}

/** Time for processes that were killed to be gone. */
const DEATH_MS = 5_000;
const LOOK_MS = 20;

/** A variable that every process of the step inherits. Its name is unique: a step within a step bears both. */
const MARK = `BOSUN_STEP_${process.pid}_${Date.now()}`;

const report = process.env.BOSUN_TEST_REPORT;

const child = spawn(command, args, {
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: { ...process.env, [MARK]: '1' },
});
child.stdout.pipe(process.stdout);
child.stderr.pipe(process.stderr);
const closed = once(child, 'close');

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) =>
  once(process, signal).then(() => ({ code: 128 + constants.signals[signal], why: `was ended by ${signal}` })),
);
const limit = wait(Number(seconds) * 1_000).then(() => ({ code: 124, why: `reached its limit of ${seconds} s` }));
const exited = once(child, 'exit').then(
  ([code, signal]) => ({ code: code ?? 128 + constants.signals[signal] }),
  (error) => ({ code: 127, why: `could not be started: ${error.message}` }),
);

const { code, why } = await Promise.race([exited, limit, ...signals]);
if (why !== undefined) console.log(`\n--- ${command} ${args.join(' ')} ${why}\n${unended()}`);
await endAll();
if (report !== undefined) appendFileSync(report, `${JSON.stringify({ exit: code, why })}\n`);
// A process that cannot be found may still hold the pipes.
await Promise.race([closed.catch(() => {}), wait(DEATH_MS)]);
process.exit(code);

/** Lists the test files that have begun and not ended. Empty if the command has run no tests. */
function unended() {
  const entries = report === undefined ? [] : entriesOf(report);
  if (entries.length === 0) return '';
  const planned = entries.reduce((sum, { planned = 0 }) => sum + planned, 0);
  const ended = new Set(entries.map((entry) => entry.ended));
  const begun = entries.flatMap((entry) => entry.begun ?? []);
  const open = begun.filter((file) => !ended.has(file)).map((file) => `  ${file}\n`);
  const count = `${begun.length - open.length} of ${planned} test files had ended`;
  return `${count}. Those that had begun and not ended:\n${open.join('') || '  none\n'}`;
}

/** Kills the processes of the step until none is left. */
async function endAll() {
  const told = new Set();
  const deadline = performance.now() + DEATH_MS;
  for (let left = running(); left.length > 0; left = running()) {
    if (performance.now() > deadline) return console.log(`could not be ended: ${left.join(' ')}`);
    for (const pid of left) {
      if (why === undefined && !told.has(pid)) console.log(`left running, and ended now: ${pid} ${commandOf(pid)}`);
      told.add(pid);
      kill(pid);
    }
    await wait(LOOK_MS);
  }
}

/** Lists the processes that bear the mark or belong to the session of the command. */
function running() {
  if (process.platform !== 'linux') {
    kill(-child.pid);
    return [];
  }
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && isOfStep(pid));
}

function isOfStep(pid) {
  const stat = contentOf(pid, 'stat');
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return false;
  return Number(session) === child.pid || `\0${contentOf(pid, 'environ')}`.includes(`\0${MARK}=`);
}

function commandOf(pid) {
  return contentOf(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 160);
}

/** The text of a file about a process; empty if the process has gone or is another user's. */
function contentOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has gone.
  }
}
