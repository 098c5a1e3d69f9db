/**
 * Placement of actors on the shards of a system that is spread over workers: one pure rule. An address is cut one
 * segment below the deepest spread Boss above it; the checksum of the rest gives the shard. So a child of a spread Boss
 * lives on one shard with everything below it, and every shard can compute the place by itself. The number of a life
 * gives its shard directly.
 */
import { checksum } from '../../checksum.ts';
import { ROOT } from './address.ts';

/** One of the shards of a system: a kernel with a store of its own. */
export interface ShardPlace {
  /** The index of the shard, from 0. */
  readonly index: number;
  readonly count: number;
}

/** The shard of an address; `every` for a Boss that has a partition on each. */
type Home = number | 'every';

export class Placement {
  readonly count: number;
  /** Addresses of the Bosses that have a partition on every shard. The root always has one and is not in here. */
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

/** The first life of a shard. Each shard uses every `count`th number, so that lives are unique in the system. */
export function firstLife({ index }: ShardPlace): number {
  return index + 1;
}

/** The shard that assigned the number of a life or of an ask. */
export function shardOfLife(life: number, count: number): number {
  return (life - 1) % count;
}
