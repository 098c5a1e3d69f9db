/** Processes that commands have left running: found by their marks wherever they have gone, ended, and waited for. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CENSUS_SLICE } from '../../src/limits.ts';
import { signalGroup } from '../../src/spokes/groups.ts';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { nextTurn } from '../../src/spokes/waits.ts';
import { ratioOf } from '../support/processor-time.ts';
import { endWith, isAlive, liveWith } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;

/** Beyond any number that a process can have. */
const NOBODY = 5_000_000;

let store: string;
let directory: string;
let groups: number[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bosun-processes-'));
  store = directory;
  groups = [];
});
afterEach(() => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
  endWith(`BOSUN_STORE=${store}`);
  rmSync(directory, { recursive: true });
});

/** Starts a shell in a new process group, as a command of the store. */
function left(run: string, marks: Readonly<Record<string, string>> = {}): number {
  const child = spawn('/bin/sh', ['-c', run], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], BOSUN_STORE: store, BOSUN_TASK: 'a', ...marks },
  });
  groups.push(child.pid!);
  return child.pid!;
}

/** Waits for a number of processes with an entry in their environment. */
async function live(entry: string, count: number): Promise<number[]> {
  await until(
    () => liveWith(entry).length === count,
    () => `${count} processes with ${entry}`,
  );
  return liveWith(entry);
}

describe('a left-over process', () => {
  it('is ended with all its children, even those that left the group by setsid (K2)', async () => {
    left('sleep 1000 & setsid sleep 1000 & (setsid sh -c "sleep 1000 & wait" &) ; wait', { TREE: store });
    const pids = await live(`TREE=${store}`, 5);
    const leftOvers = new LeftOvers(store);
    await leftOvers.dead([...(await leftOvers.end()).values()].flat());
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('is ended with processes of its group that have removed the marks', async () => {
    // Its own mark: another run of this test may be under way.
    const gone = `GONE=${store}`;
    left(`env -i ${gone} sleep 1000 & wait`);
    const [group] = groups;
    await until(
      () => liveWith(gone).length > 0,
      () => 'the process without marks',
    );
    const leftOvers = new LeftOvers(store);
    await leftOvers.dead([...(await leftOvers.end()).values()].flat());
    await until(
      () => !isAlive(group!) && liveWith(gone).length === 0,
      () => 'the end of the group',
    );
  });

  it('is ended alone if its command is named, and never if it belongs to another store', async () => {
    const [a, b, other] = [
      left('exec sleep 1000'),
      left('exec sleep 1000', { BOSUN_TASK: 'b' }),
      left('exec sleep 1000', { BOSUN_STORE: 'x' }),
    ];
    await live(`BOSUN_STORE=${store}`, 2);
    const leftOvers = new LeftOvers(store);
    await leftOvers.dead([...(await leftOvers.end((name) => name === 'a')).values()].flat());
    expect([a, b, other].map(isAlive)).toEqual([false, true, true]);
    await leftOvers.dead([...(await leftOvers.end()).values()].flat());
    expect([b, other].map(isAlive)).toEqual([false, true]);
  });

  it('is never an ancestor of the host', async () => {
    const module = new URL('../../dist/spokes/processes.js', import.meta.url).href;
    const host = `
      import { LeftOvers } from '${module}';
      const killed = await new LeftOvers('${store}').end();
      console.log(killed.size);`;
    // The shell stands for a terminal that a command has opened and a user works in.
    const shell = spawn('/bin/sh', ['-c', '"$NODE" --input-type=module -e "$HOST"; echo alive'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { BOSUN_STORE: store, NODE: process.execPath, HOST: host },
    });
    let said = '';
    for await (const chunk of shell.stdout) said += String(chunk);
    expect(said).toBe('0\nalive\n');
  });
});

describe('a scan of all processes', () => {
  /** A separate /proc directory that contains this process. */
  const proc = (count: number): string => {
    for (const pid of [process.pid, ...Array.from({ length: count - 1 }, (_, index) => NOBODY + index)]) processIn(pid);
    return directory;
  };
  const processIn = (pid: number, { flags = 0, group = 1, environment = 'A=1\0' } = {}) => {
    mkdirSync(join(directory, String(pid)), { recursive: true });
    writeFileSync(join(directory, String(pid), 'environ'), environment);
    const fields = ['S', 0, group, 1, 0, 0, flags, ...Array.from({ length: 12 }, () => 0), 77];
    writeFileSync(join(directory, String(pid), 'stat'), `${pid} (a (name) ) ${fields.join(' ')}`);
  };

  it(`blocks the event loop for at most ${CENSUS_SLICE} processes at a time (K3)`, async () => {
    const leftOvers = new LeftOvers(store, proc(4 * CENSUS_SLICE));
    let isOver = false;
    const end = leftOvers.end().then(() => (isOver = true));
    let rounds = 0;
    for (; !isOver; rounds += 1) await nextTurn();
    await end;
    expect(rounds).toBeGreaterThanOrEqual(4);
  });

  it('is shared by all simultaneous callers (K3)', async () => {
    const leftOvers = new LeftOvers(store, proc(2 * CENSUS_SLICE));
    const ratio = await ratioOf(
      () => Promise.all(Array.from({ length: 200 }, (_, name) => leftOvers.end((found) => found === `${name}`))),
      () => leftOvers.end(),
    );
    // Unshared it would be 200.
    expect(ratio).toBeLessThan(20);
  });

  it('includes a dying process of a group that has lost its marks but not its files (K1)', async () => {
    const leftOvers = new LeftOvers(store, proc(10));
    processIn(NOBODY, { flags: 0x4, group: NOBODY, environment: '' });
    await leftOvers.end();
    let isOver = false;
    const waiting = leftOvers.groupDead(NOBODY, never).then(() => (isOver = true));
    for (let round = 0; round < 10; round += 1) await nextTurn();
    expect(isOver).toBe(false);
    rmSync(join(directory, String(NOBODY)), { recursive: true });
    await waiting;
  });
});

describe('a host without /proc', () => {
  it('finds no left-over processes, and waits for a group until it is empty', async () => {
    const pid = left('exec sleep 1000');
    const leftOvers = new LeftOvers(store, join(directory, 'none'));
    expect(await leftOvers.end()).toEqual(new Map());
    let isOver = false;
    const waiting = leftOvers.groupDead(pid, never).then(() => (isOver = true));
    for (let round = 0; round < 10; round += 1) await nextTurn();
    expect({ isOver, isAlive: isAlive(pid) }).toEqual({ isOver: false, isAlive: true });
    signalGroup(pid, 'SIGKILL');
    await waiting;
    expect(isAlive(pid)).toBe(false);
  });
});
