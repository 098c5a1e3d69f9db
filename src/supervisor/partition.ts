/**
 * Partitions a tree over workers: which Bosses have a partition on each worker, and the part of the tree on one worker.
 * As in Elixir's PartitionSupervisor, every partition is a Boss of its own, with its own children and its own
 * intensity. Pure.
 */
import { childAddress, ROOT } from '../actors/model/address.ts';
import { BosunError } from '../errors.ts';
import { type BossSpec, type ChildSpec } from './child-spec.ts';
import { rulesOf } from './strategies.ts';

interface SpreadTree {
  /** Addresses of the Bosses below the root that have a partition on every worker. */
  readonly spread: ReadonlySet<string>;
  /** Addresses of all children declared under those, and under the root. */
  readonly declared: ReadonlySet<string>;
}

/** Plans the partition of a tree. Throws BOSUN_CHILD_SPEC_INVALID for a root whose children belong together. */
export function spreadTree(root: BossSpec): SpreadTree {
  if (!isSpread(root)) {
    throw new BosunError(
      'BOSUN_CHILD_SPEC_INVALID',
      `tree: strategy ${root.strategy} keeps the children of the root together, which leaves nothing for a ` +
        'second worker',
    );
  }
  const spread = new Set<string>();
  const declared = new Set<string>();
  walk(ROOT, root, { spread, declared });
  return { spread, declared };
}

/** The tree of one worker: each spread Boss with the children that live there. */
export function partitionOf(root: BossSpec, { spread }: SpreadTree, isHere: (address: string) => boolean): BossSpec {
  const partition = (boss: BossSpec, at: string): BossSpec => ({
    ...boss,
    children: boss.children.flatMap((child): ChildSpec[] => {
      const address = childAddress(at, child.id);
      if ('boss' in child && spread.has(address)) return [{ ...child, boss: partition(child.boss, address) }];
      return isHere(address) ? [child] : [];
    }),
  });
  return partition(root, ROOT);
}

function walk(
  at: string,
  { children }: BossSpec,
  into: { readonly spread: Set<string>; readonly declared: Set<string> },
): void {
  for (const child of children) {
    const address = childAddress(at, child.id);
    into.declared.add(address);
    // An id of several segments is placed by its first segment, like all ids with that prefix.
    if (!('boss' in child) || child.id.includes('/') || !isSpread(child.boss)) continue;
    into.spread.add(address);
    walk(address, child.boss, into);
  }
}

/**
 * Whether a Boss can be spread. Groups, significant children and a bound on children need all children in one place.
 */
function isSpread({ strategy, autoShutdown = 'never', maxChildren }: BossSpec): boolean {
  return autoShutdown === 'never' && maxChildren === undefined && rulesOf(strategy).joins === undefined;
}
