/** Processes as Linux reports them, by files in /proc. A machine without /proc has none. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux's flag of a process that is exiting. */
const PF_EXITING = 0x4;

/** A process. Its start time distinguishes it from a later process of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export interface ProcessState extends ProcessIdentity {
  readonly group: number;
  readonly parent: number;
  /** Whether it has ended, though its parent may not have taken notice. */
  readonly isDead: boolean;
  readonly isDying: boolean;
}

/** A reader of /proc. Every call reads anew. */
export class Proc {
  readonly #root: string;

  /**
   * Makes a reader.
   *
   * @param root The mount point of the proc file system.
   */
  constructor(root = '/proc') {
    this.#root = root;
  }

  /** Whether the machine has it: this process is in it. */
  get exists(): boolean {
    return this.state(process.pid) !== undefined;
  }

  pids(): number[] {
    try {
      return readdirSync(this.#root).map(Number).filter(Number.isInteger);
    } catch {
      // The machine has no /proc.
      return [];
    }
  }

  /** The state of a process; undefined if there is none of this number. */
  state(pid: number): ProcessState | undefined {
    const text = this.#text(`${pid}/stat`);
    if (text === undefined) return undefined;
    // The program's name may contain anything; the fields begin after its closing bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    const isDead = state === 'Z' || state === 'X';
    return {
      pid,
      startTime: fields[19]!,
      group: Number(group),
      parent: Number(parent),
      isDead,
      isDying: !isDead && (Number(fields[6]) & PF_EXITING) !== 0,
    };
  }

  /** Whether a process has ended. */
  isDead({ pid, startTime }: ProcessIdentity): boolean {
    const state = this.state(pid);
    return state === undefined || state.isDead || state.startTime !== startTime;
  }

  /**
   * The entries of the environment that a process began with, each ended by a null character; undefined if it cannot
   * be read, because the process is gone or another user's.
   */
  environment(pid: number): string | undefined {
    return this.#text(`${pid}/environ`);
  }

  #text(file: string): string | undefined {
    try {
      return readFileSync(`${this.#root}/${file}`, 'utf8');
    } catch {
      // The process is gone or another user's, and not ours in either case.
      return undefined;
    }
  }
}
