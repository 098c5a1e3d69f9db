/** Processes of this machine as Linux reports them: whether one lives, and which ones carry a mark. */
import { readdirSync, readFileSync } from 'node:fs';
import { COMMAND_GRACE_MS } from '../../../src/limits.ts';

/** Whether a process lives. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Ids of the living processes that have an entry, `NAME=value`, in their environment. */
export function liveWith(entry: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => textOf(pid, 'environ').split('\0').includes(entry) && isAlive(pid));
}

/** Ends the living processes that have an entry, `NAME=value`, in their environment. */
export function endWith(entry: string): void {
  for (const pid of liveWith(entry)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Living processes started by commands of a store, with the task of each; leashes are left out. */
export function commandProcesses(store: string): { readonly pid: number; readonly task: string }[] {
  return liveWith(`BOSUN_STORE=${store}`)
    .filter((pid) => !isLeash(pid))
    .map((pid) => ({ pid, task: /(?:^|\0)BOSUN_TASK=([^\0]*)/.exec(textOf(pid, 'environ'))?.[1] ?? '' }))
    .filter(({ pid, task }) => task !== '' && isAlive(pid));
}

/** Living leashes: processes that hold a command of a store, or are about to end it. */
export function leashes(store: string): number[] {
  return liveWith(`BOSUN_STORE=${store}`).filter(isLeash);
}

/**
 * Whether a process belongs to a leash, by its command line: the shells that run it, one that follows it, and the sleep
 * between its two signals.
 */
function isLeash(pid: number): boolean {
  const words = textOf(pid, 'cmdline').split('\0');
  return /BOSUN_(RUN|GROUP)/.test(words[2] ?? '') || words.join(' ').trim() === `sleep ${COMMAND_GRACE_MS / 1_000}`;
}

/** The text of a process in /proc; empty if the process has ended meanwhile. */
export function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A shell command that writes into the file `verdict` whether the process named in the file `pid` lives. */
export const JUDGE =
  `p=$(cat pid); if [ -d /proc/$p ] && ! grep -q '^State:.*[ZX]' /proc/$p/status; then echo alive > verdict; else ` +
  'echo ended > verdict; fi';
