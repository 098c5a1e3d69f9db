/**
 * Living processes of shell commands, found by the mark in their environment, as Linux reports them in /proc. A zombie
 * does not live.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { COMMAND_GRACE_MS } from '../dist/limits.js';

/** The entry in the environment of all processes of a data directory; undefined if there is no such directory. */
export function markOf(data) {
  const facts = statSync(data, { bigint: true, throwIfNoEntry: false });
  return facts && `BOSUN_STORE=${facts.dev}:${facts.ino}`;
}

/** Living processes with a mark: number, start time, environment, and whether they belong to a leash. */
export function processesWith(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = textOf(pid, 'environ').split('\0');
      const startTime = environment.includes(mark) ? startTimeOf(pid) : undefined;
      return startTime === undefined ? [] : [{ pid: Number(pid), startTime, environment, isLeash: isLeash(pid) }];
    });
}

/** Whether a process that was found before still lives. */
export function isAlive({ pid, startTime }) {
  return startTimeOf(pid) === startTime;
}

/** Kills all processes with a mark, also those that they start meanwhile. */
export function killWith(mark) {
  for (let left = processesWith(mark); left.length > 0; left = processesWith(mark)) {
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

/**
 * The start time of a process, which distinguishes it from a later one of the same number; undefined if it does not
 * live.
 */
function startTimeOf(pid) {
  const stat = textOf(pid, 'stat');
  // The program's name may contain anything; the fields begin after its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]?$/.test(fields[0]) ? undefined : fields[19];
}

/** Whether a process is a shell of a leash, or the sleep between its two signals. */
function isLeash(pid) {
  const words = textOf(pid, 'cmdline').split('\0');
  return words[2]?.includes('BOSUN_RUN') === true || words.join(' ').trim() === `sleep ${COMMAND_GRACE_MS / 1_000}`;
}

/** The text of a file of a process; empty if the process has ended meanwhile. */
function textOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
