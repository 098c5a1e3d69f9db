/**
 * A directory of LevelDB, kept in memory, of which damaged copies are put on disk; and what a store in it says of
 * itself.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Recovered, type Store, type StoreWrite, KEYSPACE } from '../../../src/actors/model/ports.ts';
import { BosunError } from '../../../src/errors.ts';
import { createJournal } from '../../../src/persistence/journal.ts';
import { levelStore } from '../../../src/persistence/level-store.ts';
import { plainReferences } from '../../../src/persistence/plain-references.ts';
import { verify } from '../../../src/persistence/verify.ts';
import { PREFIX, stateKey } from '../../../src/persistence/keys.ts';

/** Small, so that a short story fills several tables of LevelDB. */
const WRITE_BUFFER_BYTES = 64 * 1024;

export interface Files {
  readonly names: readonly string[];
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly bytes: number;
}

/** One byte that is not what it was. */
export interface Damage {
  readonly name: string;
  readonly offset: number;
  /** Which bit of it is inverted; 8: all of them. */
  readonly bit: number;
}

/**
 * Everything a system would serve: each actor's state under its key, each row under its key, and the number of the
 * epoch.
 */
export type Served = ReadonlyMap<string, string>;

export interface Start {
  /** What the start was refused with; null where it was not. */
  readonly refused: BosunError | null;
  readonly served: Served;
  /** Damage that was reported and did not keep the system from starting. */
  readonly reported: readonly BosunError[];
}

/**
 * Writes batches as a system would have, over two processes, so that some are in tables of LevelDB and some in its log.
 *
 * @param shareInTables Of the batches: those the first process wrote.
 */
export async function filesOf(
  directory: string,
  batches: readonly (readonly StoreWrite[])[],
  shareInTables: number,
): Promise<Files> {
  const first = Math.floor(batches.length * shareInTables);
  for (const part of [batches.slice(0, first), batches.slice(first)]) {
    const store = levelStore(directory, { writeBufferBytes: WRITE_BUFFER_BYTES });
    await store.open();
    for (const batch of part) await store.write(batch, { sync: false });
    await store.close();
  }
  const names = readdirSync(directory)
    .filter((name) => name !== 'LOCK')
    .toSorted();
  const contents = new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
  return { names, contents, bytes: [...contents.values()].reduce((sum, { length }) => sum + length, 0) };
}

export function putDamaged(directory: string, { contents }: Files, damage: Damage | null): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of contents) {
    if (name !== damage?.name) {
      writeFileSync(join(directory, name), content);
      continue;
    }
    const damaged = Uint8Array.from(content);
    damaged[damage.offset]! ^= damage.bit === 8 ? 0xff : 1 << damage.bit;
    writeFileSync(join(directory, name), damaged);
  }
}

/** A store that leaves the checking of its files to LevelDB. */
export function trusting(directory: string): Store {
  const store = levelStore(directory);
  return {
    name: store.name,
    open: () => store.open({ lossy: true }),
    close: () => store.close(),
    get: (key) => store.get(key),
    scan: (range) => store.scan(range),
    write: (writes, options) => store.write(writes, options),
  };
}

/** Starts as a system does, up to where turns would begin. */
export async function start(directory: string, store: Store = levelStore(directory)): Promise<Start> {
  const reported: BosunError[] = [];
  const journal = createJournal(store, { onDamage: (damage) => reported.push(damage) });
  try {
    return { refused: null, served: servedBy(await journal.open(plainReferences)), reported };
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return { refused: error, served: new Map(), reported };
  } finally {
    await journal.close();
  }
}

function servedBy({ epoch, states, rows }: Recovered): Served {
  const served = new Map([['epoch', String(epoch)]]);
  for (const [life, state] of states) served.set(stateKey(life), JSON.stringify(state));
  for (const [keyspace, entries] of rows)
    for (const [key, row] of entries) served.set(`${keyspace}!${key}`, JSON.stringify(row));
  return served;
}

/** Those that a story has to have written, for damage to meet them. */
export const KINDS = [
  'states',
  'identities',
  'addresses',
  'systemIds',
  'timers',
  'roll',
  'children',
  'sessions',
  'deadLetters',
];

/** Names of the keyspaces that have rows, and `states`. */
export function kindsIn(served: Served): string[] {
  const kinds = [...Object.entries(KEYSPACE).map(([name, letter]) => [name, `${letter}!`]), ['states', PREFIX.state]];
  const keys = [...served.keys()];
  return kinds.flatMap(([name, prefix]) => (keys.some((key) => key.startsWith(prefix!)) ? [name!] : []));
}

/** @returns What `bosun verify` complains of: nothing for a store that it calls sound. */
export async function complaintsOf(directory: string): Promise<string[]> {
  const store = levelStore(directory, { createIfMissing: false });
  try {
    await store.open();
    return (await verify(store)).findings.map(({ message }) => message);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return [error.message];
  } finally {
    await store.close();
  }
}
