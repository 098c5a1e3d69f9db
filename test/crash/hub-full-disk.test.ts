/**
 * `bosun hub run` on real disks (each a tmpfs) that a session fills up: the one of the data directory, where its tree
 * is, and the one of the user's files. What the user has stays as it is, and a run goes on once there is room.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { reportOf } from '../support/crash/killed-hub.ts';
import { Repository } from '../support/git/repository.ts';

const NOTHING = { run: 'true' };
const RUN = ['hub', 'run', 'hub.json', '--json'];
/** The hand-offs of a run in which nothing goes wrong. */
const CHAIN = ['Executor -> Reviewer', 'Reviewer -> Tester', 'Tester -> Archivist'];
/** Lines of 64 bytes: their patch is as large as they are, and as a git object they take no room. */
const LINES = `yes ${'x'.repeat(63)} | head -c`;
const LARGE_BYTES = 3_500_000;

let work: Workspace;
let disks: string[];

beforeEach(() => {
  work = new Workspace();
  disks = [];
});
afterEach(async () => {
  for (const disk of disks) spawnSync('umount', ['-l', disk]);
  await work[Symbol.asyncDispose]();
});

/** Mounts a small disk at a directory of the workspace. */
function mount(name: string, size: string, skip: TestContext['skip']): void {
  const disk = work.file(name);
  mkdirSync(disk);
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]).status === 0;
  skip(!isMounted, 'this process has no right to mount a disk');
  disks.push(disk);
}

/** Makes room. */
function enlarge(name: string): void {
  expect(spawnSync('mount', ['-o', 'remount,size=64m', work.file(name)]).status).toBe(0);
}

/** A repository with changes of its user: a staged file, a changed one, and one that git does not know. */
function repositoryWithChanges(): Repository {
  const repository = new Repository({ 'src/a.txt': 'one\n', 'src/b.txt': 'b\n' }, work.file('shop'));
  repository.write({ 'src/b.txt': 'mine\n', 'staged.txt': 'mine\n', 'notes.txt': 'mine\n' });
  repository.git('add', 'staged.txt');
  return repository;
}

/** Writes the file of a run whose Executor is a script. */
function write(script: string, more: object = {}, agents: object = {}): void {
  const begun = 'echo "$BOSUN_SESSION" >> "$BOSUN_WORKSPACE/../begun"';
  const Executor = { run: `${begun}\n${script}\ntrue`, writes: { files: ['src/**'] }, attempts: 1, ...more };
  const all = { Executor, Reviewer: NOTHING, Tester: NOTHING, Archivist: NOTHING, ...agents };
  work.write('hub.json', JSON.stringify({ version: 1, hub: 'mend', goal: 'mend it', workspace: 'shop', agents: all }));
}

const begun = () => work.read('begun').trim().split('\n');

/** The hand-offs of a run that has ended: `Executor -> Reviewer`. */
function chainOf(ended: Parameters<typeof reportOf>[0]): string[] {
  return reportOf(ended)!.lineage.map(({ from, recommended }) => `${from} -> ${recommended}`);
}

/** Everything of the user's but for some files. */
function ownBut(own: ReturnType<Repository['own']>, ...changed: string[]) {
  return Object.entries(own).filter(([key]) => !changed.includes(key));
}

const answers = (...fields: string[]) => work.bosun(['gates', 'answer', 'R-1-G1', ...fields, '--by', 'ada']);

describe('a session that fills the disk of the data directory', () => {
  // What it prints is on record with its end, which does not fit into the rest of the last page of the store's log.
  const FILLS = `echo two >> src/a.txt; head -c 6000 /dev/urandom | base64 | tee /dev/stderr
    [ -e "$BOSUN_WORKSPACE/../room" ] || head -c 99999999 /dev/zero > src/filler`;
  const makeRoom = () => {
    rmSync(work.file('data/work/R-1-1/src/filler'));
    work.write('room', '');
  };

  it('is begun again by the first start that has room, and starts before that say what they lack', async ({ skip }) => {
    mount('data', '8m', skip);
    const repository = repositoryWithChanges();
    const own = repository.own();
    write(FILLS);
    const running = work.spawn(RUN);
    await running.says('the store cannot be written, trying again');
    await running.end('SIGKILL');
    expect(repository.own()).toEqual(own);
    const refused = await work.bosun(RUN);
    expect([refused.code, linesOf(refused.err)]).toEqual([
      1,
      [{ type: 'error', code: 'BOSUN_STORE_FAILED', message: expect.stringContaining('No space left on device') }],
    ]);
    expect(repository.own()).toEqual(own);
    makeRoom();
    const ended = await work.bosun(RUN);
    expect([ended.code, chainOf(ended)]).toEqual([0, CHAIN]);
    expect(begun()).toEqual(['R-1-1', 'R-1-1']);
    expect(repository.read('src/a.txt')).toBe('one\ntwo\n');
    expect(ownBut(repository.own(), 'src/a.txt')).toEqual(ownBut(own, 'src/a.txt'));
    expect(repository.trees('../data/work')).toEqual([]);
  });

  it('has failed when there is room again, and its run goes on', async ({ skip }) => {
    mount('data', '8m', skip);
    const repository = repositoryWithChanges();
    const own = repository.own();
    write(FILLS, { fallback: 'Revisionist' }, { Revisionist: NOTHING });
    const running = work.spawn(RUN);
    await running.says('the store cannot be written, trying again');
    makeRoom();
    const ended = await running.ended;
    expect([ended.code, chainOf(ended)]).toEqual([0, ['Revisionist -> Executor', ...CHAIN]]);
    expect(begun()).toEqual(['R-1-1', 'R-1-3']);
    expect(repository.read('src/a.txt')).toBe('one\ntwo\n');
    expect(ownBut(repository.own(), 'src/a.txt')).toEqual(ownBut(own, 'src/a.txt'));
  });
});

describe('changes that find the disk full when they are merged', () => {
  it('change no file of the user, and stay in their tree until there is room for their patch', async ({ skip }) => {
    mount('data', '6m', skip);
    const repository = repositoryWithChanges();
    const own = repository.own();
    write(`echo two >> src/a.txt; ${LINES} ${LARGE_BYTES} > src/large.txt`);
    const ended = await work.bosun(RUN);
    expect([ended.code, chainOf(ended)]).toEqual([3, ['Executor -> Revisionist']]);
    expect(repository.own()).toEqual(own);
    // Half a patch would be said to be the whole of its changes.
    expect([work.has('data/work/R-1-1.patch'), work.has('data/work/R-1-1/src/large.txt')]).toEqual([false, true]);
    enlarge('data');
    await answers('choice=spawn', 'role=Executor');
    const after = await work.bosun(RUN);
    expect([after.code, chainOf(after)]).toEqual([0, ['Executor -> Revisionist', ...CHAIN]]);
    expect(repository.read('src/large.txt')).toHaveLength(LARGE_BYTES);
    expect(ownBut(repository.own(), 'src/a.txt', 'src/large.txt')).toEqual(ownBut(own, 'src/a.txt'));
    const patches = ['R-1-1', 'R-1-2'].map((session) => readFileSync(work.file(`data/work/${session}.patch`)));
    expect(patches[0]!.equals(patches[1]!)).toBe(true);
    expect(repository.trees('../data/work')).toEqual([]);
  });
});

describe('changes that do not fit onto the disk of the user when they are merged', () => {
  it('change no file, leave none of their own, and are merged when there is room', async ({ skip }) => {
    mount('shop', '2m', skip);
    const repository = repositoryWithChanges();
    const own = repository.own();
    write('echo two >> src/a.txt; head -c 3000000 /dev/urandom > src/large.bin; echo z > src/z.txt');
    const ended = await work.bosun(RUN);
    expect([ended.code, chainOf(ended)]).toEqual([3, ['Executor -> Revisionist']]);
    expect(repository.own()).toEqual(own);
    enlarge('shop');
    await answers('choice=spawn', 'role=Executor');
    const after = await work.bosun(RUN);
    expect([after.code, chainOf(after)]).toEqual([0, ['Executor -> Revisionist', ...CHAIN]]);
    expect([repository.read('src/z.txt'), readFileSync(work.file('shop/src/large.bin')).length]).toEqual([
      'z\n',
      3_000_000,
    ]);
    expect(ownBut(repository.own(), 'src/a.txt', 'src/large.bin', 'src/z.txt')).toEqual(ownBut(own, 'src/a.txt'));
  });
});
