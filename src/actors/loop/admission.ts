/**
 * The checks of a store before anything of it runs: that it is the shard that it is opened as, and that its host takes
 * it. A start that is refused has changed nothing.
 */
import { ROOT } from '../model/address.ts';
import { type Recovered, KEYSPACE } from '../model/ports.ts';
import { childIn } from '../model/row-keys.ts';
import { lifeAt } from '../world/stored-actors.ts';
import { type ShardParts } from './shards/shard-link.ts';
import { admitShard } from './shards/shard.ts';

/**
 * Checks the ids of the stored children of the root; undefined if a partial read has left them out, since there are too
 * many. Throws to refuse the store.
 */
export type Admits = (ids: readonly string[] | undefined) => void;

interface Admission {
  readonly shard?: ShardParts | undefined;
  readonly admits?: Admits | undefined;
}

/** Resolves when the store may run. Rejects with BOSUN_WORKERS_CHANGED, and with what the host throws. */
export async function admit({ shard, admits }: Admission, recovered: Recovered): Promise<void> {
  admits?.(childrenOfRoot(recovered));
  if (shard !== undefined) await admitShard(shard, recovered);
}

function childrenOfRoot(recovered: Recovered): readonly string[] | undefined {
  const { rows, part } = recovered;
  const root = lifeAt(ROOT, recovered);
  if (root === undefined) return [];
  if (part !== undefined && !part.tables.has(root)) return undefined;
  const children = [...(rows.get(KEYSPACE.children)?.keys() ?? [])].map(childIn);
  return children.flatMap(([boss, id]) => (boss === root ? [id] : []));
}
