/**
 * Goes back to an older epoch of a damaged journal: later epochs leave the journal and are kept, byte for byte as they
 * were found, under `l!<group>!<key>`. This happens only on order: by an option of createSystem or of the command line,
 * or for the loss of unsynced epochs at a durability that allows it.
 */
import { type Store, type StoreWrite } from '../../actors/model/ports.ts';
import { BosunError } from '../../errors.ts';
import { asideKey, epochKey, keysUnder, PREFIX } from '../format/keys.ts';
import { type Survey } from './recovery.ts';

export interface SetAside {
  /** The epoch that the store is at now. */
  readonly recoveredTo: number;
  /** Keys of the records that were cut off, and their new keys. */
  readonly moved: ReadonlyMap<string, string>;
}

/**
 * Checks the epoch to go back to.
 *
 * @returns The epoch.
 * @throws BOSUN_CONFIG_INVALID for an epoch that cannot be chosen, and the damage itself where there is no epoch to go
 * back to.
 */
export function checkRecoverTo({ journalDamage, end }: Survey, wanted: number): number {
  if (journalDamage === null) {
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `recoverTo ${wanted}: the journal is sound up to its last epoch ${end.epoch}; there is no damage to recover from`,
    );
  }
  const { firstGoodEpoch: first, lastGoodEpoch: last } = journalDamage.details as {
    firstGoodEpoch: number | null;
    lastGoodEpoch: number | null;
  };
  if (first === null || last === null) throw journalDamage;
  if (Number.isSafeInteger(wanted) && wanted >= first && wanted <= last) return wanted;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `recoverTo ${wanted}: this store can be recovered to an epoch from ${first} to ${last}`,
    {
      details: { firstGoodEpoch: first, lastGoodEpoch: last },
    },
  );
}

/**
 * Sets epochs aside in one synced write: either the journal ends at the epoch and the rest is aside, or nothing has
 * changed.
 */
export async function setAside(store: Store, recoveredTo: number): Promise<SetAside> {
  const group = (await lastGroup(store)) + 1;
  const moved = new Map<string, string>();
  const writes: StoreWrite[] = [];
  for await (const batch of store.scan({ gte: epochKey(recoveredTo + 1), lt: keysUnder(PREFIX.epoch).lt })) {
    for (const [key, value] of batch) {
      const aside = asideKey(group, key);
      moved.set(key, aside);
      writes.push({ key: aside, value }, { key, value: null });
    }
  }
  if (writes.length > 0) await store.write(writes, { sync: true });
  return { recoveredTo, moved };
}

async function lastGroup(store: Store): Promise<number> {
  let last = 0;
  for await (const batch of store.scan(keysUnder(PREFIX.aside))) {
    for (const [key] of batch) last = Math.max(last, Number.parseInt(key.split('!')[1] ?? '', 16));
  }
  return last;
}
