/**
 * Processes that commands have left running, found by marks in their environment, which every child inherits. Read from
 * /proc, in slices; a machine without /proc shows none. Independent of how commands are started.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import { CENSUS_SLICE, COMMAND_GRACE_MS } from '../limits.ts';

/** The environment variable that names the store of the system that started a process. */
export const STORE_MARK = 'BOSUN_STORE';

/** The environment variable that names the command to which a process belongs. */
export const NAME_MARK = 'BOSUN_TASK';

/** Interval of checks for dying processes. */
const DYING_MS = 10;

/** Milliseconds within which any killed process has died. */
export const DEATH_MS = 500;

/** Milliseconds that a group may take to end if its end cannot be observed: the grace of its leash, and some more. */
const GROUP_END_MS = COMMAND_GRACE_MS + 1_000;

/** Linux's flag of a process that is exiting. */
const PF_EXITING = 0x4;

export interface Process {
  readonly pid: number;
  /** Start time, which distinguishes it from a later process of the same number. */
  readonly startTime: string;
  readonly group: number;
  /** The name of the command that it belongs to; empty if that can no longer be read. */
  readonly name: string;
}

interface Stat extends Omit<Process, 'name'> {
  readonly parent: number;
  readonly isDead: boolean;
  readonly isDying: boolean;
}

interface Census {
  readonly marked: readonly Process[];
  /** Exiting processes: a process loses its environment first, while files of it may still be open. */
  readonly dying: readonly Process[];
}

/** Killed processes by the command that they belonged to; they may still be dying. */
export type Killed = ReadonlyMap<string, readonly Process[]>;

/** The processes that commands of one store have left running. */
export class LeftOvers {
  readonly #mark: string;
  readonly #proc: string;
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<Census> | undefined;
  #dying: readonly Process[] = [];

  /**
   * Makes the reader of a store's processes.
   *
   * @param proc The mount point of the proc file system.
   */
  constructor(store: string, proc = '/proc') {
    this.#mark = `${STORE_MARK}=${store}`;
    this.#proc = proc;
  }

  /**
   * Kills all processes with the mark of the store, or those of one command, together with their groups. Does not kill
   * this process or its ancestors.
   */
  async end(name?: string): Promise<Killed> {
    const killed = new Map<string, Process[]>();
    const known = new Set<string>();
    for (;;) {
      const { marked } = await this.#census();
      const left = marked.filter((found) => (name === undefined || found.name === name) && !known.has(keyOf(found)));
      if (left.length === 0) return killed;
      for (const found of left) {
        known.add(keyOf(found));
        killed.set(found.name, [...(killed.get(found.name) ?? []), found]);
      }
      for (const group of new Set(left.map((found) => found.group))) signalGroup(group, 'SIGKILL');
      // The group of a process may be invisible, as in a container.
      for (const { pid } of left.filter((found) => found.group <= 1)) send(pid, 'SIGKILL');
    }
  }

  /** Resolves when all of the processes are dead. Rejects when the signal is aborted before. */
  async dead(processes: readonly Process[], signal?: AbortSignal): Promise<void> {
    let left = processes;
    for (;;) {
      left = left.filter((one) => !this.#isDead(one));
      if (left.length === 0) return;
      await after(DYING_MS);
      signal?.throwIfAborted();
    }
  }

  /**
   * Resolves when the processes of a group that were dying at the last census are dead. Without /proc: when the group
   * is empty, or the time of its leash is over.
   */
  async groupDead(group: number, signal: AbortSignal): Promise<void> {
    if (this.#stat(process.pid) !== undefined)
      return this.dead(
        this.#dying.filter((one) => one.group === group),
        signal,
      );
    return groupEmpty(group, GROUP_END_MS);
  }

  /** Starts a reading of /proc. Concurrent calls share one reading. */
  #census(): Promise<Census> {
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      const census = this.#read();
      this.#reading = census;
      return census;
    });
    return this.#next;
  }

  async #read(): Promise<Census> {
    const marked: Process[] = [];
    const dying: Process[] = [];
    const spared = this.#lineage();
    for (const [index, pid] of this.#pids().entries()) {
      if (index % CENSUS_SLICE === 0) await nextTurn();
      const environment = this.#environment(pid);
      const stat = environment?.isOurs === true || environment?.isEmpty === true ? this.#stat(pid) : undefined;
      if (stat !== undefined && environment!.isOurs && !spared.some(({ group }) => group === stat.group))
        marked.push({ ...identityOf(stat), name: environment!.name });
      else if (stat?.isDying === true) dying.push({ ...identityOf(stat), name: '' });
    }
    this.#dying = dying;
    return { marked, dying };
  }

  /**
   * The marks in the environment of a process; undefined if it cannot be read, because the process is gone or another
   * user's.
   */
  #environment(pid: number): { isOurs: boolean; isEmpty: boolean; name: string } | undefined {
    const text = this.#text(`${pid}/environ`);
    if (text === undefined) return undefined;
    const entries = text.includes(this.#mark) ? text.split('\0') : [];
    const name = entries.find((entry) => entry.startsWith(`${NAME_MARK}=`)) ?? '';
    return {
      isOurs: entries.includes(this.#mark),
      isEmpty: text === '',
      name: name.slice(NAME_MARK.length + 1),
    };
  }

  /** This process and its ancestors: a command may have started it. */
  #lineage(): readonly Stat[] {
    const lineage: Stat[] = [];
    for (let stat = this.#stat(process.pid); stat !== undefined; stat = this.#stat(stat.parent)) lineage.push(stat);
    return lineage;
  }

  #isDead({ pid, startTime }: Process): boolean {
    const stat = this.#stat(pid);
    return stat === undefined || stat.isDead || stat.startTime !== startTime;
  }

  #stat(pid: number): Stat | undefined {
    const text = this.#text(`${pid}/stat`);
    if (text === undefined) return undefined;
    // The program's name may contain anything; the fields begin after its closing bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    return {
      pid,
      startTime: fields[19]!,
      group: Number(group),
      parent: Number(parent),
      isDead: state === 'Z' || state === 'X',
      isDying: state !== 'Z' && state !== 'X' && (Number(fields[6]) & PF_EXITING) !== 0,
    };
  }

  #pids(): number[] {
    try {
      return readdirSync(this.#proc).map(Number).filter(Number.isInteger);
    } catch {
      // The machine has no /proc.
      return [];
    }
  }

  #text(file: string): string | undefined {
    try {
      return readFileSync(`${this.#proc}/${file}`, 'utf8');
    } catch {
      // The process is gone or another user's, and not ours in either case.
      return undefined;
    }
  }
}

/** Sends a signal to all processes of a group. Does nothing if there are none. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  // 0 would be our own group, and 1 every process of the machine.
  if (group > 1) send(-group, signal);
}

/** Resolves in the next round of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.defer(resolve));
}

/** Resolves when a group is empty, including unreaped processes, or the time is over. */
export async function groupEmpty(group: number, withinMs: number): Promise<void> {
  const untilMs = systemClock.monotonicMs() + withinMs;
  while (send(-group, 0) && systemClock.monotonicMs() < untilMs) await after(DYING_MS);
}

/**
 * Sends a signal.
 *
 * @returns Whether there was any process.
 */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  assert(target !== 0 && target !== -1, 'a signal goes to somebody in particular');
  try {
    return process.kill(target, signal);
  } catch {
    // The process has ended meanwhile.
    return false;
  }
}

function identityOf({ pid, startTime, group }: Stat): Omit<Process, 'name'> {
  return { pid, startTime, group };
}

function keyOf({ pid, startTime }: Process): string {
  return `${pid} ${startTime}`;
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.setTimeout(resolve, ms));
}
