/**
 * The actors that must be in memory at a start, found from rows: those with unread messages, timers, unfinished durable
 * actions or restrictions, those in the roll (live effects, actors that have not begun), Bosses and children of
 * machines, those born in the journal, and the parents of all of these. No other record is read. What an actor is
 * called for is the kernel's rule (src/actors/loop/residency).
 */
import { type RowKey, type Store, type Keyspace, KEYSPACE, keyspaceOf, keyWithin } from '../../actors/model/ports.ts';
import { isEnrolled } from '../../actors/model/state.ts';
import { CHILD_TABLE_ROWS_AT_START } from '../../limits.ts';
import { keysUnder, numberedKey, numberIn } from '../format/keys.ts';
import { type Replay } from './replay.ts';

/** Keyspaces with a row for every actor, or every child. */
export const READ_SINGLY: readonly Keyspace[] = [KEYSPACE.addresses, KEYSPACE.children];

/**
 * Reads the actors that must be in memory, and child tables of Bosses in order of birth, as long as these are small in
 * total.
 *
 * @param marked Lives of actors that an earlier recovery found unreadable.
 * @returns Lives of the Bosses whose whole child table was read.
 */
export async function callRoll(store: Store, replay: Replay, marked: Iterable<number>): Promise<Set<number>> {
  const called = new Set<number>([...marked, ...replay.stranded.keys(), ...replay.identities.keys()]);
  for (const key of replay.rows.keys()) {
    const life = calledBy(key, replay);
    if (life !== undefined) called.add(life);
  }
  // The set grows during the loop: parents are called too.
  for (const life of called) {
    replay.fetchActor(life);
    const parent = replay.identities.get(life)?.parent ?? 0;
    if (parent > 0) called.add(parent);
  }
  return readTables(
    store,
    replay,
    [...called].sort((a, b) => a - b),
  );
}

/** The actor for which a row makes a start read it. */
function calledBy(key: RowKey, replay: Replay): number | undefined {
  switch (keyspaceOf(key)) {
    case KEYSPACE.roll:
    case KEYSPACE.held:
      return numberIn(key);
    case KEYSPACE.mailboxes:
    case KEYSPACE.timers:
    case KEYSPACE.outbox:
      // The life of the owner comes first in all of these rows.
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
    for (const [key, value] of rows) if (replay.window.rowOf(key) === undefined) replay.loadRow(key, value);
  }
  return whole;
}

function isBoss(life: number, replay: Replay): boolean {
  const identity = replay.identities.get(life);
  return identity?.bond === 'supervised' && isEnrolled(identity);
}
