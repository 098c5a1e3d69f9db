/**
 * The identity of a shard: written into its store with the first epoch and checked by every start, because a store
 * opened as another shard, or with another number of shards, would assign lives twice and lose messages in transit. A
 * start also checks that no stored actor is placed elsewhere by today's tree. No shard runs before all of them have
 * passed.
 */
import { BosunError } from '../../../errors.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Recovered, KEYSPACE } from '../../model/ports.ts';
import { supervisedIn } from '../../world/stored-actors.ts';
import { type World } from '../../world/world.ts';
import { type ShardParts } from './shard-link.ts';
import { type ShardPlace } from '../../model/placement.ts';

/** The key of the identity within keyspace `shard`. */
const PLACE = 'shard';
const PLACE_KEY = rowKey(KEYSPACE.shard, PLACE);
const TAKEN_KEY = rowKey(KEYSPACE.shard, 'in!');

type PlaceRow = readonly [index: number, count: number];

/**
 * Checks the identity of a store.
 *
 * @returns The shard of the store; undefined if it is the only one of its system.
 * @throws BOSUN_WORKERS_CHANGED if it is another shard; the damage of its record.
 * @param hold Nothing will run: any store may be inspected.
 */
export function placeOf(wanted: ShardPlace | undefined, recovered: Recovered, hold: boolean): ShardPlace | undefined {
  const damage = recovered.damage.find(({ details }) =>
    [PLACE_KEY, TAKEN_KEY].some((key) => String(details['key']).startsWith(key)),
  );
  if (damage !== undefined) throw damage;
  const row = recovered.rows.get(KEYSPACE.shard)?.get(PLACE) as PlaceRow | undefined;
  if (hold) return row && { index: row[0], count: row[1] };
  if (recovered.epoch === 0 || (row?.[0] === wanted?.index && row?.[1] === wanted?.count)) return wanted;
  throw new BosunError(
    'BOSUN_WORKERS_CHANGED',
    `the store belongs to ${nameOf(row && { index: row[0], count: row[1] })}, but is opened for ${nameOf(wanted)}`,
  );
}

/** Resolves when this store and those of the other shards fit. Rejects with BOSUN_WORKERS_CHANGED. */
export async function admitShard(shard: ShardParts, recovered: Recovered): Promise<void> {
  placeOf(shard, recovered, false);
  checkHomes(shard, recovered);
  await shard.gate();
}

/** Writes the identity of the shard. */
export function recordPlace({ draft }: World, { index, count }: ShardPlace): void {
  const row: PlaceRow = [index, count];
  draft.put(PLACE_KEY, Object.freeze(row));
}

/** Refuses an actor that today's tree places on another shard, unless its Boss is about to end it. */
function checkHomes({ placement, index, declared }: ShardParts, recovered: Recovered): void {
  for (const { address, above, isDeclared } of supervisedIn(recovered)) {
    if (!placement.isSpread(above)) continue;
    const home = placement.homeOf(address);
    if (home === 'every' || home === index || (isDeclared() && !declared.has(address))) continue;
    const why =
      `${address} is stored on worker ${index}, but the current tree places it on worker ${home}: whether a Boss ` +
      'keeps its children together or spreads them cannot be changed';
    throw new BosunError('BOSUN_WORKERS_CHANGED', why, { details: { address, index, home } });
  }
}

function nameOf(place: ShardPlace | undefined): string {
  return place === undefined ? 'a system without workers' : `worker ${place.index} of ${place.count}`;
}
