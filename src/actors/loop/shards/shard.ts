/**
 * Which shard a store is: written into it with its first epoch and checked by every start, because a store that is
 * opened as another shard, or as one of another number of shards, would give lives twice and lose what is on its way.
 * So is that no actor stands where today's tree would not look for it. Nothing goes on on any shard before all have
 * found that they fit.
 */
import { BosunError } from '../../../errors.ts';
import { ordered, rowKey } from '../../model/row-keys.ts';
import { type Recovered, KEYSPACE } from '../../model/ports.ts';
import { type ActorState, type Identity } from '../../model/state.ts';
import { type World } from '../../world/world.ts';
import { type ShardParts } from './shard-link.ts';
import { type ShardPlace } from '../../model/placement.ts';

/** Of keyspace `shard`. */
const PLACE = 'shard';
const PLACE_KEY = rowKey(KEYSPACE.shard, PLACE);
const TAKEN_KEY = rowKey(KEYSPACE.shard, 'in!');

type PlaceRow = readonly [index: number, count: number];

/**
 * @returns Which shard the store is; undefined where it is the only one of its system.
 * @throws BOSUN_WORKERS_CHANGED where it is another one; what its record is damaged by.
 * @param hold Nothing will run: whatever it is, it may be looked at.
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
    `the store is ${nameOf(row && { index: row[0], count: row[1] })}, and is opened as ${nameOf(wanted)}`,
  );
}

/** Resolves when this store and those of the other shards fit. Rejects with BOSUN_WORKERS_CHANGED. */
export async function admitShard(shard: ShardParts, recovered: Recovered): Promise<void> {
  placeOf(shard, recovered, false);
  checkHomes(shard, recovered);
  await shard.gate();
}

/** Writes it down. */
export function recordPlace({ draft }: World, { index, count }: ShardPlace): void {
  const row: PlaceRow = [index, count];
  draft.put(PLACE_KEY, Object.freeze(row));
}

/** An actor that today's tree places on another shard is refused. One that its Boss is about to end does not count. */
function checkHomes({ placement, index, declared }: ShardParts, { rows, states }: Recovered): void {
  const identities = rows.get(KEYSPACE.identities);
  for (const row of identities?.values() ?? []) {
    const { address, childId, parent, bond } = row as Identity;
    const above = identities?.get(ordered(parent)) as Identity | undefined;
    if (bond !== 'supervised' || above === undefined || !placement.isSpread(above.address)) continue;
    const home = placement.homeOf(address);
    if (home === 'every' || home === index || (isDeclaredIn(states.get(parent), childId) && !declared.has(address)))
      continue;
    const why =
      `${address} lives on worker ${index}, and by the tree of today's code it would live on worker ${home}: a ` +
      'Boss whose children live together, or apart, stays so';
    throw new BosunError('BOSUN_WORKERS_CHANGED', why, { details: { address, index, home } });
  }
}

/** Whether the Boss had a child from the code, when it last heard of that. */
function isDeclaredIn(boss: ActorState | undefined, id: string): boolean {
  const { declared = [] } = (boss?.context ?? {}) as { declared?: readonly { readonly id: string }[] };
  return declared.some((spec) => spec.id === id);
}

function nameOf(place: ShardPlace | undefined): string {
  return place === undefined ? 'the only one of its system' : `worker ${place.index} of ${place.count}`;
}
