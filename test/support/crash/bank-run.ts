/**
 * The bank over many processes: starts them one after the other, has them killed, records their acknowledgements, and
 * makes copies of the store for audits.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Random } from '../../../src/actors/model/ports.ts';
import { lived } from './bank-process.ts';

const CHILD = fileURLToPath(new URL('../fixtures/crash/bank-child.mjs', import.meta.url));

export const CLIENTS = 8;

/** Misses allowed: LevelDB may delete the older of two logs between the check and the signal. */
const SWITCHES_MISSED_MAX = 10;

/**
 * The moment of a child's death. `random`: at a signal from outside. By its own hand: `fold`, between two slices of
 * one; `switch`, while two logs of LevelDB are live; `unsaid`, after orders are durable and before anybody is told.
 * `settled`: no kill; it ends when nothing is under way.
 */
export type Moment = 'random' | 'fold' | 'switch' | 'unsaid' | 'settled';

/** Deliberate faults of a bank, to show that the audit finds them. */
export interface Sabotage {
  /** Orders are acknowledged before they are durable. */
  readonly acknowledge?: 'early';
  /** Nothing is synced. */
  readonly durability?: 'process';
  /** A repeated order is carried out again. */
  readonly repeats?: 'obeyed';
}

/** The child's report of each write, once it is durable. */
interface Written {
  /** The log of LevelDB that was written to. */
  readonly file: string;
  /** Synced bytes of that log. */
  readonly bytes: number;
  /** The highest acknowledged order per client by then. */
  readonly told: readonly number[];
  /** The part of a fold in the batch: images of actors, or the cut that follows the last of them. */
  readonly fold: 'images' | 'cut' | 'other';
}

export class Bank {
  readonly directory: string;
  /** The highest acknowledged order per client; all before it are acknowledged too. */
  readonly acknowledged: number[] = Array.from({ length: CLIENTS }, () => 0);
  /** Orders sent again although the store had them. */
  repeats = 0;
  readonly #root: string;
  readonly #synced: string;
  readonly #sabotage: Sabotage;
  /** Reports of children's writes, as far as they have been read. */
  readonly #reports: Written[] = [];
  #reportBytes = 0;

  constructor(root: string, sabotage: Sabotage = {}) {
    this.#root = root;
    this.#sabotage = sabotage;
    this.directory = join(root, 'bank');
    this.#synced = join(root, 'synced.jsonl');
    mkdirSync(this.directory, { recursive: true });
  }

  /**
   * Runs a child until it is dead. Rejects if it ends in another way than it was told to.
   *
   * @param afterOrders Acknowledged orders after which it dies at the first such moment.
   */
  async run(moment: Moment, afterOrders: number): Promise<void> {
    await this.#runOnce(moment, afterOrders);
    for (
      let missed = 0;
      moment === 'switch' && logsIn(this.directory).length < 2 && missed < SWITCHES_MISSED_MAX;
      missed++
    ) {
      await this.#runOnce(moment, afterOrders);
    }
  }

  async #runOnce(moment: Moment, afterOrders: number): Promise<void> {
    const { directory, acknowledged } = this;
    const { acknowledge = 'durable', durability = 'disk', repeats = 'ignored' } = this.#sabotage;
    const options = {
      directory,
      synced: this.#synced,
      acknowledged,
      durability,
      acknowledge,
      repeats,
      moment,
      afterOrders,
    };
    let orders = 0;
    const { code, signal, complaint } = await lived(CHILD, options, (line) => {
      if (!this.#heard(line)) return false;
      orders += 1;
      return moment === 'random' && orders === afterOrders;
    });
    if (moment === 'settled' ? code !== 0 : signal !== 'SIGKILL') {
      throw new Error(`the bank was to end at the moment "${moment}" and ended with ${signal ?? code}: ${complaint}`);
    }
  }

  /** @returns Whether an order was acknowledged. */
  #heard(line: string): boolean {
    const [word, session, sequence] = line.split(' ');
    if (word === 'repeat') this.repeats += 1;
    if (word !== 'acknowledged') return false;
    this.acknowledged[Number(session)] = Math.max(this.acknowledged[Number(session)]!, Number(sequence));
    return true;
  }

  /** Folds that moved the cut so far. */
  get folds(): number {
    return this.#written().filter(({ fold }) => fold === 'cut').length;
  }

  /** Whether the last write before the crash was a slice of a fold that is not its last. */
  get isFolding(): boolean {
    return this.#written().at(-1)?.fold === 'images';
  }

  /** Copies the store, since reading a store changes its files. */
  copy(name: string): string {
    const copy = join(this.#root, name);
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.directory, copy, { recursive: true });
    return copy;
  }

  /**
   * Makes a copy as a power cut at the moment of death may leave it: all synced bytes of each log, perhaps some
   * unsynced ones, and perhaps garbage.
   *
   * @param keeps `synced`: every log ends at its last synced byte. `some`: somewhere behind it.
   * @returns The copy, and how many logs it has. /
   */
  cutCopy(name: string, random: Random, keeps: 'synced' | 'some' = 'some'): { copy: string; logs: number } {
    const copy = this.copy(name);
    const synced = new Map<string, number>();
    for (const { file, bytes } of this.#written()) synced.set(file, bytes);
    return { copy, logs: cutLogs(copy, synced, keeps, random) };
  }

  /**
   * Makes a copy as a power cut after one of the earlier writes would have left it: the newest log ends at the bytes
   * synced then. The logs before it were synced to their ends, and LevelDB's later files say the same.
   *
   * @returns The copy, how many logs it has, and what had been acknowledged by then. Null where the newest log has no
   *   write yet. /
   */
  earlierCopy(
    name: string,
    random: Random,
  ): { copy: string; logs: number; told: readonly number[]; isFolding: boolean } | null {
    const newest = logsIn(this.directory).at(-1);
    const writes = this.#written().filter(({ file }) => file === newest);
    const write = writes[Math.floor(random.next() * writes.length)];
    if (newest === undefined || write === undefined) return null;
    const copy = this.copy(name);
    truncateSync(join(copy, newest), write.bytes);
    if (random.next() < 1 / 3) appendFileSync(join(copy, newest), garbage(random));
    return { copy, logs: logsIn(copy).length, told: write.told, isFolding: write.fold === 'images' };
  }

  /** Makes a copy whose newest log ends anywhere: an earlier state, which must be as consistent as the last. */
  rewoundCopy(name: string, random: Random): string {
    const copy = this.copy(name);
    const newest = logsIn(copy).at(-1);
    if (newest === undefined) return copy;
    const path = join(copy, newest);
    truncateSync(path, Math.floor(random.next() * (statSync(path).size + 1)));
    return copy;
  }

  /** Continues from the state that a power cut left. */
  adopt(copy: string): void {
    rmSync(this.directory, { recursive: true });
    cpSync(copy, this.directory, { recursive: true });
  }

  #written(): readonly Written[] {
    if (!existsSync(this.#synced)) return [];
    const news = readFileSync(this.#synced).subarray(this.#reportBytes);
    const whole = news.subarray(0, news.lastIndexOf(10) + 1);
    this.#reportBytes += whole.length;
    for (const line of whole.toString().split('\n')) if (line !== '') this.#reports.push(JSON.parse(line) as Written);
    return this.#reports;
  }
}

/**
 * Cuts each log of a directory as a power cut may, a third of them with garbage at the end.
 *
 * @param synced Bytes of each log to keep in any case; 0 for a log that is not listed.
 * @returns Number of logs.
 */
export function cutLogs(
  directory: string,
  synced: ReadonlyMap<string, number>,
  keeps: 'synced' | 'some',
  random: Random,
): number {
  const logs = logsIn(directory);
  for (const log of logs) {
    const path = join(directory, log);
    const least = synced.get(log) ?? 0;
    const more = keeps === 'synced' ? 0 : Math.floor(random.next() * (statSync(path).size - least + 1));
    truncateSync(path, least + more);
    if (random.next() < 1 / 3) appendFileSync(path, garbage(random));
  }
  return logs.length;
}

/** Log files, the oldest first. */
function logsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.log'))
    .toSorted();
}

function garbage(random: Random): Buffer {
  return Buffer.from(
    Array.from({ length: 1 + Math.floor(random.next() * 5_000) }, () => Math.floor(random.next() * 256)),
  );
}
