/**
 * Processes that commands have left running, found by marks in their environment, which every child inherits. Read from
 * /proc, in slices; a machine without /proc shows none. Independent of how commands are started.
 */
import { COMMAND_GRACE_MS, CENSUS_SLICE } from '../limits.ts';
import { DYING_MS, groupEnd, send, signalGroup } from './groups.ts';
import { Proc, type ProcessIdentity, type ProcessState } from './proc.ts';
import { after, nextTurn } from './waits.ts';

/** The environment variable that names the store of the system that started a process. */
export const STORE_MARK = 'BOSUN_STORE';

/** The environment variable that names the command to which a process belongs. */
export const NAME_MARK = 'BOSUN_TASK';

/** Milliseconds that a group may take to end if its end cannot be observed: the grace of its leash, and some more. */
const GROUP_END_MS = COMMAND_GRACE_MS + 1_000;

/** A process that belongs to a command. */
export interface Process extends ProcessIdentity {
  readonly group: number;
  /** The name of the command that it belongs to; empty if that can no longer be read. */
  readonly name: string;
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
  readonly #proc: Proc;
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
    this.#proc = new Proc(proc);
  }

  /**
   * Kills all processes with the mark of the store, or those of some commands, together with their groups. Does not
   * kill this process or its ancestors.
   */
  async end(isMeant: (name: string) => boolean = () => true): Promise<Killed> {
    const killed = new Map<string, Process[]>();
    const known = new Set<string>();
    for (;;) {
      const { marked } = await this.#census();
      const left = marked.filter((found) => isMeant(found.name) && !known.has(keyOf(found)));
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
      left = left.filter((one) => !this.#proc.isDead(one));
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
    if (this.#proc.exists)
      return this.dead(
        this.#dying.filter((one) => one.group === group),
        signal,
      );
    await groupEnd(group, GROUP_END_MS, this.#proc);
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
    for (const [index, pid] of this.#proc.pids().entries()) {
      if (index % CENSUS_SLICE === 0) await nextTurn();
      const environment = this.#environment(pid);
      const stat = environment?.isOurs === true || environment?.isEmpty === true ? this.#proc.state(pid) : undefined;
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
    const text = this.#proc.environment(pid);
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
  #lineage(): readonly ProcessState[] {
    const lineage: ProcessState[] = [];
    for (let stat = this.#proc.state(process.pid); stat !== undefined; stat = this.#proc.state(stat.parent))
      lineage.push(stat);
    return lineage;
  }
}

function identityOf({ pid, startTime, group }: ProcessState): Omit<Process, 'name'> {
  return { pid, startTime, group };
}

function keyOf({ pid, startTime }: ProcessIdentity): string {
  return `${pid} ${startTime}`;
}
