/**
 * Where an actor lives in a system that is spread over workers: the one rule, pure. An address is cut one segment below
 * the deepest spread Boss above it, and the checksum of what is left says the shard. So a child of a spread Boss lives
 * with all that is below it, wherever its Boss keeps it, and nobody has to be asked. Lives say their shard by
 * themselves.
 */
import { checksum } from '../../checksum.ts';
import { ROOT } from './address.ts';

/** One of the shards of a system: a kernel with a store of its own. */
export interface ShardPlace {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** The shard of an address; `every` for a Boss that has a partition on each. */
type Home = number | 'every';

export class Placement {
  readonly count: number;
  /** Addresses of the Bosses that have a partition on every shard, but for the root, which always has. */
  readonly #spread: ReadonlySet<string>;

  constructor(count: number, spread: ReadonlySet<string>) {
    this.count = count;
    this.#spread = spread;
  }

  isSpread(address: string): boolean {
    return address === ROOT || this.#spread.has(address);
  }

  homeOf(address: string): Home {
    if (this.isSpread(address)) return 'every';
    let end = address.indexOf('/');
    while (end !== -1 && this.#spread.has(address.slice(0, end))) end = address.indexOf('/', end + 1);
    return checksum(end === -1 ? address : address.slice(0, end)) % this.count;
  }
}

/** The first life of a shard. Each gives out every `count`th number, so that no two give out the same. */
export function firstLife({ index }: ShardPlace): number {
  return index + 1;
}

/** The shard that gave out a life, or the number of an ask. */
export function shardOfLife(life: number, count: number): number {
  return (life - 1) % count;
}
