/** The facts without which a figure means nothing: the machine, its load, its disk, and the commit. */
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { spread } from './statistics.mjs';

const FILE_SYSTEMS = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
]);

const SYNCS = 200;
const SYNC_BYTES = 4_096;

export function describeMachine(directory) {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' ') + ' UTC',
    commit: commitOf(),
    node: process.version,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: `${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores`,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    governor: governor(),
    openFiles: openFiles(),
    ...describeDisk(directory),
  };
}

export function loadAverage() {
  return os.loadavg().map((load) => Number(load.toFixed(2)));
}

/** The frequency governor of the processor; undefined if the system does not tell, as in most virtual machines. */
function governor() {
  try {
    return readFileSync('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Files that a process may open: the present and the hard limit. W3 needs many. */
function openFiles() {
  const limit = (kind) => execFileSync('/bin/sh', ['-c', `ulimit -${kind}n`], { encoding: 'utf8' }).trim();
  return { soft: limit('S'), hard: limit('H') };
}

/** The commit, read only. A figure of changed files says so. */
function commitOf() {
  try {
    const git = (...args) =>
      execFileSync('git', ['--no-optional-locks', ...args], { encoding: 'utf8', cwd: import.meta.dirname }).trim();
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(exclude,top)docs/benchmark*');
    return git('rev-parse', '--short=10', 'HEAD') + (changed === '' ? '' : ' with uncommitted changes');
  } catch {
    return 'unknown';
  }
}

function describeDisk(directory) {
  mkdirSync(directory, { recursive: true });
  const type = statfsSync(directory).type;
  return { fileSystem: FILE_SYSTEMS.get(type) ?? `0x${type.toString(16)}`, syncMs: syncMs(directory) };
}

/** Milliseconds to append and sync a page, the lower bound of every acknowledgement. */
export function syncMs(directory) {
  const file = join(directory, 'sync-probe');
  const descriptor = openSync(file, 'w');
  const bytes = new Uint8Array(SYNC_BYTES).fill(7);
  try {
    return spread(
      Array.from({ length: SYNCS }, () => {
        const startMs = performance.now();
        writeSync(descriptor, bytes);
        fdatasyncSync(descriptor);
        return performance.now() - startMs;
      }),
    );
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
}
