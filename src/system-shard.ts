/**
 * What makes a system one shard of a larger one: its part of the tree, where all others find whom they look for, and
 * what stands beside it.
 */
import { type ShardParts } from './actors/loop/shards/shard-link.ts';
import { Placement, type ShardPlace } from './actors/model/placement.ts';
import { type Wire } from './actors/model/ports.ts';
import { type BossSpec } from './supervisor/child-spec.ts';
import { partitionOf, spreadTree } from './supervisor/partition.ts';

export interface ShardOptions extends ShardPlace {
  readonly wire: Wire;
  readonly gate: () => Promise<void>;
}

/**
 * The module of what a gateway has beside the system of each worker. Named, not imported: who has no gateway does
 * without it.
 */
export const WORKER_GATEWAY_MODULE = new URL(
  import.meta.url.endsWith('.ts') ? './gateway/workers/worker-gateway.ts' : './gateway/workers/worker-gateway.js',
  import.meta.url,
);

/** The root and the shard for the kernel. Throws BOSUN_CHILD_SPEC_INVALID for a tree that cannot be spread. */
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
