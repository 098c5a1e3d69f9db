/**
 * Who must be in memory at a start, read from the rows that say so: whoever has unread messages, timers, durable
 * actions to be run or something held against it, whoever the roll names (Bosses, children of machines, live effects,
 * actors that have not begun), whoever was born in the journal, and whom all these belong to. Nobody else's record is
 * read. It decides nothing: what an actor has to be called for is the kernel's rule (src/actors/loop/residency).
 */
import {
  type Identity,
  type RowKey,
  type Store,
  type Keyspace,
  KEYSPACE,
  keyspaceOf,
  keyWithin,
} from '../actors/model/ports.ts';
import { CHILD_TABLE_ROWS_AT_START } from '../limits.ts';
import { keysUnder, numberedKey, numberIn } from './keys.ts';
import { type Replay } from './replay.ts';

/** Keyspaces with a row for every actor, or every child. */
export const READ_SINGLY: readonly Keyspace[] = [KEYSPACE.identities, KEYSPACE.addresses, KEYSPACE.children];

/**
 * Reads those who are called, and child tables of Bosses, in order of their births, as long as all of them together are
 * small.
 *
 * @param marked Lives of actors that an earlier recovery found unreadable.
 * @returns Lives of the Bosses whose whole child table was read.
 */
export async function callRoll(store: Store, replay: Replay, marked: Iterable<number>): Promise<Set<number>> {
  const called = new Set<number>([...marked, ...replay.stranded.keys()]);
  for (const key of replay.rows.keys()) {
    const life = calledBy(key, replay);
    if (life !== undefined) called.add(life);
  }
  // A set that grows while it is gone through: whom they belong to is called too.
  for (const life of called) {
    const key = numberedKey(KEYSPACE.identities, life);
    replay.fetchRow(key);
    replay.fetchState(life);
    const row = replay.rows.get(key);
    const { parent } = row === undefined ? { parent: 0 } : (replay.decode(key, row) as Identity);
    if (parent > 0) called.add(parent);
  }
  return readTables(
    store,
    replay,
    [...called].sort((a, b) => a - b),
  );
}

/** Whom a row calls. */
function calledBy(key: RowKey, replay: Replay): number | undefined {
  switch (keyspaceOf(key)) {
    case KEYSPACE.identities:
    case KEYSPACE.roll:
    case KEYSPACE.held:
      return numberIn(key);
    case KEYSPACE.mailboxes:
    case KEYSPACE.timers:
    case KEYSPACE.outbox:
      // The life that it belongs to comes first in all of them.
      return (replay.decode(key, replay.rows.get(key)!) as readonly [number])[0];
    case KEYSPACE.keepsakes:
      return Number.parseInt(keyWithin(key), 16);
    default:
      return undefined;
  }
}

async function readTables(store: Store, replay: Replay, lives: readonly number[]): Promise<Set<number>> {
  const whole = new Set<number>();
  let left = CHILD_TABLE_ROWS_AT_START;
  for (const life of lives) {
    if (!isBoss(life, replay)) continue;
    const rows: (readonly [key: RowKey, value: Uint8Array])[] = [];
    for await (const batch of store.scan({ ...keysUnder(`${numberedKey(KEYSPACE.children, life)}!`), limit: left + 1 }))
      rows.push(...(batch as typeof rows));
    if (rows.length > left) continue;
    left -= rows.length;
    whole.add(life);
    for (const [key, value] of rows) if (!replay.window.rows.has(key)) replay.loadRow(key, value);
  }
  return whole;
}

/** Only Bosses are on the roll and are nobody's but a Boss's; a child that has not begun has no children. */
function isBoss(life: number, replay: Replay): boolean {
  const key = numberedKey(KEYSPACE.identities, life);
  const row = replay.rows.get(key);
  return (
    row !== undefined &&
    (replay.decode(key, row) as Identity).bond === 'supervised' &&
    replay.rows.has(numberedKey(KEYSPACE.roll, life))
  );
}
