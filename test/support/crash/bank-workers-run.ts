/**
 * The bank over two workers of one process, and over many processes: has each killed, records their output, and makes
 * copies of the stores for audits.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Random } from '../../../src/actors/model/ports.ts';
import { type End, lived } from './bank-process.ts';
import { CLIENTS, cutLogs } from './bank-run.ts';

const CHILD = fileURLToPath(new URL('../fixtures/crash/bank-workers-child.mjs', import.meta.url));

const WORKERS = ['0', '1'];

/**
 * The moment of a process's death. `random`: at a signal from outside. `unsaid`: by its own hand, when an order is
 * durable and before anybody is told.
 */
export type Moment = 'random' | 'unsaid';

/** The facts known after some words of output. */
interface Known {
  /** The highest acknowledged order per client; all before it are acknowledged too. */
  readonly told: readonly number[];
  /** Synced bytes of each log of each worker's store. */
  readonly synced: readonly ReadonlyMap<string, number>[];
}

/** The state that a cut leaves, and the orders acknowledged by then. */
interface Cut {
  readonly directories: readonly string[];
  readonly told: readonly number[];
}

export class SpreadBank {
  /** Folds that moved the cut of a store. */
  folds = 0;
  readonly #root: string;
  readonly #directory: string;
  readonly #acknowledge: 'durable' | 'early';
  /** Facts from the words of all processes before the last one. */
  #before: Known = { told: Array.from({ length: CLIENTS }, () => 0), synced: WORKERS.map(() => new Map()) };
  /** Words of the last process, in the order in which its threads wrote them. */
  #words: readonly string[] = [];

  /** @param acknowledge `early` is a deliberate fault: orders are acknowledged before they are durable. */
  constructor(root: string, acknowledge: 'durable' | 'early' = 'durable') {
    this.#root = root;
    this.#directory = join(root, 'bank');
    this.#acknowledge = acknowledge;
    mkdirSync(this.#directory, { recursive: true });
  }

  get acknowledged(): readonly number[] {
    return this.#knownAt(this.words).told;
  }

  /** Number of words of the last process. */
  get words(): number {
    return this.#words.length;
  }

  /**
   * @param after Number of words about writes or acknowledged orders; at the moment `unsaid`, number of acknowledged
   *   orders.
   */
  async runUntilKilled(moment: Moment, after: number): Promise<void> {
    const { code, signal, complaint } =
      moment === 'random' ? await this.#run({}, after) : await this.#run({ unsaidAfter: after }, null);
    if (signal !== 'SIGKILL')
      throw new Error(`the bank was to be killed and ended with ${signal ?? code}: ${complaint}`);
  }

  /** Runs without further orders until nothing is under way. */
  async runUntilSettled(): Promise<void> {
    const { code, signal, complaint } = await this.#run({ isLast: true }, null);
    if (code !== 0) throw new Error(`the bank was to settle and ended with ${signal ?? code}: ${complaint}`);
  }

  /** @param killAfter Number of words; null lets the process live. */
  async #run(
    ending: { readonly unsaidAfter?: number; readonly isLast?: boolean },
    killAfter: number | null,
  ): Promise<End> {
    this.#before = this.#knownAt(this.words);
    const said: string[] = [];
    this.#words = said;
    const options = {
      directory: this.#directory,
      acknowledged: this.acknowledged,
      acknowledge: this.#acknowledge,
      ...ending,
    };
    const end = await lived(CHILD, options, (line) => said.push(line) === killAfter);
    this.folds += said.filter((word) => word.endsWith(' cut')).length;
    return end;
  }

  /** Copies the stores, since reading a store changes its files. */
  copy(name: string): string[] {
    const copy = join(this.#root, name);
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.#directory, copy, { recursive: true });
    return WORKERS.map((worker) => join(copy, worker));
  }

  /**
   * Makes a copy as a power cut may leave it after so many words of the last process. A prefix of the words is a moment
   * of both stores: a message to the other worker leaves after the word about its write. No memtable fills up in one
   * process, so each store has one log for it, and an earlier moment is an earlier end of that log.
   *
   * @param keeps `synced`: every log ends at its last synced byte. `some`: somewhere behind it, which only the moment
   *   of death can leave. /
   */
  cutCopy(name: string, random: Random, words: number, keeps: 'synced' | 'some' = 'synced'): Cut {
    const { told, synced } = this.#knownAt(words);
    const directories = this.copy(name);
    for (const [worker, directory] of directories.entries()) cutLogs(directory, synced[worker]!, keeps, random);
    return { directories, told };
  }

  /** Makes a copy with one worker at an earlier moment and the other at the end: a state that no cut leaves. */
  tornCopy(name: string, random: Random, words: number): string[] {
    const directories = this.copy(name);
    cutLogs(directories[1]!, this.#knownAt(words).synced[1]!, 'synced', random);
    return directories;
  }

  /** Continues from the state that a power cut left. */
  adopt({ directories }: Cut): void {
    rmSync(this.#directory, { recursive: true });
    for (const [worker, directory] of directories.entries())
      cpSync(directory, join(this.#directory, WORKERS[worker]!), { recursive: true });
  }

  #knownAt(words: number): Known {
    const told = [...this.#before.told];
    const synced = this.#before.synced.map((logs) => new Map(logs));
    for (const word of this.#words.slice(0, words)) {
      const [kind, of, what, bytes] = word.split(' ');
      if (kind === 'acknowledged') told[Number(of)] = Math.max(told[Number(of)]!, Number(what));
      if (kind === 'synced') synced[WORKERS.indexOf(of!)]!.set(what!, Number(bytes));
    }
    return { told, synced };
  }
}
