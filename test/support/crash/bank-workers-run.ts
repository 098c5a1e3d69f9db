/**
 * The bank over two workers of one process, and over many processes: lets each be killed, keeps what it said, and makes
 * the copies to look at.
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
 * When a process dies. `random`: whenever the signal meets it. `unsaid`: by its own hand, when an order is durable and
 * before anybody is told.
 */
export type Moment = 'random' | 'unsaid';

/** What is known when some words have been said. */
interface Known {
  /** Per client, the highest order that was acknowledged, with all before it. */
  readonly told: readonly number[];
  /** Per worker, of each log of its store how much is synced. */
  readonly synced: readonly ReadonlyMap<string, number>[];
}

/** What a cut leaves, and what had been acknowledged by then. */
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
  /** By the words of all processes before the last one. */
  #before: Known = { told: Array.from({ length: CLIENTS }, () => 0), synced: WORKERS.map(() => new Map()) };
  /** Of the last one, in the order in which its threads said them. */
  #words: readonly string[] = [];

  /** @param acknowledge `early` is wrong on purpose: orders are acknowledged before they are durable. */
  constructor(root: string, acknowledge: 'durable' | 'early' = 'durable') {
    this.#root = root;
    this.#directory = join(root, 'bank');
    this.#acknowledge = acknowledge;
    mkdirSync(this.#directory, { recursive: true });
  }

  get acknowledged(): readonly number[] {
    return this.#knownAt(this.words).told;
  }

  /** How many words the last process said. */
  get words(): number {
    return this.#words.length;
  }

  /**
   * @param after So many words of a worker's write or an acknowledged order; at the moment `unsaid` so many
   *   acknowledged orders.
   */
  async runUntilKilled(moment: Moment, after: number): Promise<void> {
    const { code, signal, complaint } =
      moment === 'random' ? await this.#run({}, after) : await this.#run({ unsaidAfter: after }, null);
    if (signal !== 'SIGKILL')
      throw new Error(`the bank was to be killed and ended with ${signal ?? code}: ${complaint}`);
  }

  /** Without further orders, until nothing is under way. */
  async runUntilSettled(): Promise<void> {
    const { code, signal, complaint } = await this.#run({ isLast: true }, null);
    if (code !== 0) throw new Error(`the bank was to settle and ended with ${signal ?? code}: ${complaint}`);
  }

  /** @param killAfter So many words; null lets it live. */
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

  /** Copies of the stores to look at, since looking at one changes its files. */
  copy(name: string): string[] {
    const copy = join(this.#root, name);
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.#directory, copy, { recursive: true });
    return WORKERS.map((worker) => join(copy, worker));
  }

  /**
   * A copy as a power cut may leave it when the last process had said so many words. A prefix of them is a moment of
   * both stores: what a worker sends to the other leaves after the word about its write. In one process no memtable is
   * filled, so each store has one log for it, and an earlier moment is an earlier end of that log.
   *
   * @param keeps `synced`: every log ends at its last synced byte. `some`: somewhere behind it, which only the moment
   *   of death can leave.
   */
  cutCopy(name: string, random: Random, words: number, keeps: 'synced' | 'some' = 'synced'): Cut {
    const { told, synced } = this.#knownAt(words);
    const directories = this.copy(name);
    for (const [worker, directory] of directories.entries()) cutLogs(directory, synced[worker]!, keeps, random);
    return { directories, told };
  }

  /**
   * A copy in which one worker stands where the last process had said so many words, and the other at the end: no cut
   * leaves that.
   */
  tornCopy(name: string, random: Random, words: number): string[] {
    const directories = this.copy(name);
    cutLogs(directories[1]!, this.#knownAt(words).synced[1]!, 'synced', random);
    return directories;
  }

  /** Goes on from what a power cut left. */
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
