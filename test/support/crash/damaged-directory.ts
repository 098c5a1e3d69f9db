/**
 * A directory of LevelDB, kept in memory, damaged copies of which are written to disk; and the reports of a store in
 * it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Recovered, type Store, type StoreWrite, KEYSPACE } from '../../../src/actors/model/ports.ts';
import { BosunError } from '../../../src/errors.ts';
import { createJournal } from '../../../src/persistence/journal/journal.ts';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { plainReferences } from '../../../src/persistence/format/plain-references.ts';
import { verify } from '../../../src/persistence/upkeep/verify.ts';
import { numberedKey, PREFIX, stateKey } from '../../../src/persistence/format/keys.ts';

/** Small, so that a short story fills several tables of LevelDB. */
const WRITE_BUFFER_BYTES = 64 * 1024;

export interface Files {
  readonly names: readonly string[];
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly bytes: number;
}

/** The damage of one byte. */
export interface Damage {
  readonly name: string;
  readonly offset: number;
  /** The inverted bit; 8: all of them. */
  readonly bit: number;
}

/** All data that a system would serve: each actor's state and each row by key, and the number of the epoch. */
export type Served = ReadonlyMap<string, string>;

export interface Start {
  /** The error that refused the start; null if it was not refused. */
  readonly refused: BosunError | null;
  readonly served: Served;
  /** Damage that was reported and did not keep the system from starting. */
  readonly reported: readonly BosunError[];
}

/**
 * Writes batches as a system would, from two processes, so that some are in tables of LevelDB and some in its log.
 *
 * @param shareInTables Share of the batches that the first process writes.
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

/** A store that leaves the checks of its files to LevelDB. */
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

/** Starts as a system does, up to the point where turns would begin. */
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

function servedBy({ epoch, identities, states, rows }: Recovered): Served {
  const served = new Map([['epoch', String(epoch)]]);
  for (const [life, state] of states) served.set(stateKey(life), JSON.stringify(state));
  for (const [life, identity] of identities)
    served.set(numberedKey(KEYSPACE.identities, life), JSON.stringify(identity));
  for (const [keyspace, entries] of rows)
    for (const [key, row] of entries) served.set(`${keyspace}!${key}`, JSON.stringify(row));
  return served;
}

/** Kinds of data that a story must have written for the damage to reach them. */
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

/** @returns The complaints of `bosun verify`; none for an intact store. */
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
