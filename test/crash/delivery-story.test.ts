/**
 * The main job under kill -9, as a newcomer runs it: after every kill the same line goes on, and in the end stand the
 * same change and the same report as without a kill. The soak runs it by `npm start`, at its own pace.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Outside } from '../../examples/delivery/outside.ts';
import { Process } from '../support/cli/workspace.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS } from '../support/effort.ts';
import { loopRounds, until } from '../support/until.ts';

const KILLS = byEffort({ quick: 1, ci: 2, soak: 30 });

/** Lines that a run prints without a kill. */
const LINES = 60;

/** Rounds of the event loop between a line and the kill: at most about as long as a step of a session. */
const ROUNDS_BEFORE_KILL = 5_000;

const ROOT = resolve(import.meta.dirname, '../..');
const random = randomOf('kills of the main job');
const data = mkdtempSync(join(tmpdir(), 'bosun-delivery-story-'));
const home = mkdtempSync(join(tmpdir(), 'bosun-home-'));
afterAll(() => {
  for (const folder of [data, home]) rmSync(folder, { recursive: true, force: true });
});

/** The line with which it is started: in the soak that of the README, otherwise a quicker one. */
function start(): Process {
  const options = ['--data', data, '--port', '0'];
  const quick = ['node_modules/jiti/lib/jiti-cli.mjs', 'examples/delivery/main.ts', '--pace', '200', '--patience', '6'];
  const [command, ...args] = EFFORT === 'soak' ? ['npm', 'start', '--'] : [process.execPath, ...quick];
  const env = { ...process.env, HOME: home };
  const child: ChildProcess = spawn(command!, [...args, ...options], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Process(child);
}

/** Kills a run when it has printed so many lines, or later in the step after them. */
async function killed(lines: number): Promise<void> {
  const run = start();
  await run.says('kill me now: kill -9 ');
  let hasEnded = false;
  void run.ended.then(() => (hasEnded = true));
  await until(
    () => hasEnded || run.out.split('\n').length > lines,
    () => `${lines} lines, after: ${run.out}${run.err}`,
  );
  await loopRounds(random.integer(ROUNDS_BEFORE_KILL));
  const [, pid] = /kill -9 (\d+)/.exec(run.out)!;
  if (!hasEnded) process.kill(Number(pid), 'SIGKILL');
  await run.ended;
}

/** The report as the example's README shows it. */
function shownReport(): string {
  const readme = readFileSync(join(ROOT, 'examples/delivery/README.md'), 'utf8');
  return /^````markdown\n([^]*?)^````$/m.exec(readme)![1]!;
}

it('leads to the same change and the same report, however often it is killed', {
  timeout: LONG_PATIENCE_MS,
}, async () => {
  const most = Math.floor((2 * LINES) / (KILLS + 1));
  for (let kill = 1; kill <= KILLS; kill++) await killed(random.integer(most));
  const { code, out } = await start().ended;
  expect(code).toBe(0);
  expect(out.split('\n')[EFFORT === 'soak' ? 4 : 0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+ /);
  const report = readFileSync(join(data, 'report.md'), 'utf8');
  expect(report).toBe(shownReport());
  const tree = execFileSync('git', ['rev-parse', 'v1.1.0^{tree}'], { cwd: join(data, 'repository'), encoding: 'utf8' });
  expect(report).toContain(tree.trim());
  const counted = new Outside(join(data, 'outside.jsonl')).counted();
  const [keyed, unkeyed] = [counted.filter(({ key }) => key !== null), counted.filter(({ key }) => key === null)];
  expect(keyed.map(({ what, done }) => [what, done]).sort()).toEqual(
    [...report.split('## Outside')[1]!.matchAll(/^- (.*)$/gm)].map(([, what]) => [what, 1]),
  );
  for (const { what, done } of unkeyed) expect(out).toContain(`${what} (${done})`);
  expect(unkeyed.map(({ what }) => what)).toEqual(expect.arrayContaining(['all tests for TASK-003']));
});
