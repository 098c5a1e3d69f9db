/** A command on its leash: the gate that it waits for, its exit code, and its end in every kind of end of its host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leash, type Leashed } from '../../src/spokes/leash.ts';
import { signalGroup } from '../../src/spokes/groups.ts';
import { LONG } from '../support/effort.ts';
import { endWith, isAlive, liveWith, textOf } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

let cwd: string;
let groups: number[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'bosun-leash-'));
  groups = [];
});
afterEach(() => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
  endWith(`TREE=${cwd}`);
  rmSync(cwd, { recursive: true });
});

async function leashed(run: string): Promise<Leashed> {
  const group = await leash(run, { cwd, env: { ...process.env, TREE: cwd } });
  for (const stream of [group.stdout, group.stderr]) stream.resume();
  groups.push(group.group);
  return group;
}

async function begun(run: string): Promise<Leashed> {
  const group = await leashed(run);
  group.begin('');
  return group;
}

async function pidIn(file: string): Promise<number> {
  const path = join(cwd, file);
  await until(
    () => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'),
    () => `the process number in ${file}`,
  );
  return Number(readFileSync(path, 'utf8'));
}

describe('a command on a leash', () => {
  it('never begins if its host ends before it opens the gate', async () => {
    const group = await leashed('touch begun');
    void group.end();
    expect(await group.exit).toEqual({ code: 125, killedBy: null });
    expect(existsSync(join(cwd, 'begun'))).toBe(false);
  });

  it('reports its exit code, or 128 plus the number of the signal that ended it', async () => {
    const exits = await Promise.all(
      ['true', 'exit 7', 'exit 200', 'kill -USR1 $$'].map(async (run) => {
        const group = await begun(run);
        const { code } = await group.exit;
        await group.dismiss();
        return code;
      }),
    );
    expect(exits).toEqual([0, 7, 200, 138]);
  });

  it('never outlives its host, and cannot kill its leash by a signal to its own group', LONG, async () => {
    const signals = 'HUP INT QUIT USR1 USR2 TERM';
    const group = await begun(
      `trap '' ${signals}; for s in ${signals}; do kill -$s 0; done; echo $$ > pid; sleep 1000 & wait`,
    );
    const pid = await pidIn('pid');
    void group.end();
    expect((await group.exit).killedBy).toBe('SIGKILL');
    await until(
      () => !isAlive(pid),
      () => 'the end of the command',
    );
  });

  it.each([
    ['ends', 'trap "echo bye > polite; exit" TERM; echo $$ > pid; until false; do sleep 0.01; done', 'polite'],
    ['kills', 'trap "" TERM; echo $$ > pid; exec sleep 1000', 'deaf'],
  ])('%s what the command has left in its group when it is dismissed', LONG, async (_, run, kind) => {
    const group = await begun(`sh -c '${run}' & exit 0`);
    const pid = await pidIn('pid');
    expect(await group.exit).toEqual({ code: 0, killedBy: null });
    expect(isAlive(pid)).toBe(true);
    await group.dismiss();
    await until(
      () => !isAlive(pid),
      () => 'the end of what the command has left',
    );
    expect(existsSync(join(cwd, 'polite'))).toBe(kind === 'polite');
    // The leash ends after what it has killed.
    await allAreGone();
  });

  it('ends soon after its host is killed, whatever its processes do (K2)', LONG, async () => {
    const commands = [
      'sleep 1000 & sh -c "sleep 1000; true" & wait',
      "trap '' TERM; sleep 1000 & wait; sleep 1000",
      // The shell has ended, and the process that it left holds the host's pipe.
      'sleep 1000 & exit 0',
    ];
    const host = hosting(`for (const run of ${JSON.stringify(commands)}) begun(await leash(run, place));`);
    const isSleep = (pid: number) => textOf(pid, 'cmdline').startsWith('sleep\u00001000');
    await until(
      () => liveWith(`TREE=${cwd}`).filter(isSleep).length === 4,
      () => 'the processes of the commands',
    );
    host.kill('SIGKILL');
    await allAreGone();
  });

  it('has what it has left killed, even if its host is killed after the dismissal (K2)', LONG, async () => {
    const deaf = "trap '' TERM; sleep 1000 > /dev/null 2>&1 & exit 0";
    const host = hosting(`const group = begun(await leash(${JSON.stringify(deaf)}, place));
      await group.exit;
      await group.dismiss();`);
    await until(
      () => groups.length === 1 && liveWith(`BOSUN_GROUP=${groups[0]}`).length === 1,
      () => 'the shell that watches what is left',
    );
    expect(isAlive(groups[0]!)).toBe(false);
    host.kill('SIGKILL');
    await allAreGone();
  });
});

/** Starts a host that runs a script with `leash`, `place` for commands, and `begun`, which opens the gate of one. */
function hosting(script: string): ChildProcess {
  const module = new URL('../../dist/spokes/leash.js', import.meta.url).href;
  const text = `import { leash } from '${module}';
    const place = { cwd: '.', env: process.env };
    const begun = (group) => {
      group.begin('');
      console.log(group.group);
      return group;
    };
    ${script}`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', text], {
    cwd,
    env: { ...process.env, TREE: cwd },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  host.stdout.on('data', (chunk: Buffer) => groups.push(...String(chunk).trim().split('\n').map(Number)));
  return host;
}

async function allAreGone(): Promise<void> {
  await until(
    () => liveWith(`TREE=${cwd}`).length === 0,
    () => `the end of ${liveWith(`TREE=${cwd}`).join(', ')}`,
  );
}
