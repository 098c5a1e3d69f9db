/** Rewrites all tables of a LevelDB, so that nothing deleted is left in its files. */
import { type Level } from 'level';

/** A database with the method of `level` in Node that its types leave out. */
type Compactable = Level<string, Uint8Array> & { compactRange(from: string, to: string): Promise<void> };

/** Keys before and behind all others; they are there only while tables are rewritten. */
const EDGES = ['\0', '\x7f\x7f'] as const;

/**
 * Rewrites all tables. LevelDB merges tables of one level with those of the next that they overlap; a table that none
 * above it overlaps keeps what was deleted. So one is written that overlaps all of them.
 */
export async function rewritten(given: Level<string, Uint8Array>): Promise<void> {
  const database = given as Compactable;
  const [low, high] = EDGES;
  await database.compactRange(low, high);
  await database.batch(EDGES.map((key) => ({ type: 'put', key, value: new Uint8Array() })));
  await database.compactRange(low, high);
  await database.batch(EDGES.map((key) => ({ type: 'del', key })));
}
