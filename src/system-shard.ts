/**
 * The parts of a system that is one shard of several: its part of the tree, the placement by which all shards find
 * actors, and the module that runs beside it.
 */
import { type ShardParts } from './actors/loop/shards/shard-link.ts';
import { Placement, type ShardPlace } from './actors/model/placement.ts';
import { type Wire } from './actors/model/wire.ts';
import { type BossSpec } from './supervisor/child-spec.ts';
import { partitionOf, spreadTree } from './supervisor/partition.ts';

export interface ShardOptions extends ShardPlace {
  readonly wire: Wire;
  readonly gate: () => Promise<void>;
}

/**
 * The module of a gateway that runs beside the system of each worker. Named, not imported, because it is needed only
 * with a gateway.
 */
export const WORKER_GATEWAY_MODULE = new URL(
  import.meta.url.endsWith('.ts') ? './gateway/workers/worker-gateway.ts' : './gateway/workers/worker-gateway.js',
  import.meta.url,
);

/**
 * Returns the root spec and the shard for the kernel. Throws BOSUN_CHILD_SPEC_INVALID for a tree that cannot be spread.
 */
export function shardOf(
  root: BossSpec,
  options: ShardOptions | undefined,
): { readonly root: BossSpec; readonly shard?: ShardParts } {
  if (options === undefined) return { root };
  const tree = spreadTree(root);
  const placement = new Placement(options.count, tree.spread);
  const part = partitionOf(root, tree, (address) => placement.homeOf(address) === options.index);
  return { root: part, shard: { ...options, placement, declared: tree.declared } };
}
