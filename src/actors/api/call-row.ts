/**
 * A row of the table of calls that a host makes at the shards of a system: its arguments, where it is carried out, and
 * how the results of several shards become one. Types and numbers only; the table itself is `system-calls.ts`.
 */

/**
 * Where a call is carried out. `first`: at the shard of its address, of a Boss with partitions at the first. `each`: at
 * every shard that has the address or a partition of it. `turn`: at one of them, in turn. `all`: at every shard.
 * `numbered`: at the shard that its first argument, a number shown by a read, was given out by.
 */
export type CallPlace = 'first' | 'each' | 'turn' | 'all' | 'numbered';

/** A result and the shard that it comes from. */
export type ShardResult<Result> = readonly [shard: number, result: Result];

/** A call by a host: what it does at one shard (`Inside`), and how it is spread over several. */
export interface CallRow<Inside, Args extends readonly unknown[], Result> {
  readonly place: CallPlace | ((...args: Args) => CallPlace);
  /** The address that decides the shard. Default: the first argument. */
  readonly address?: ((...args: Args) => string) | undefined;
  /** Whether repeating it after the death of a shard has no further effect. */
  readonly isRepeatable: (...args: Args) => boolean;
  /** Checks and copies what the caller hands over before it leaves for another thread. Throws BOSUN_VALUE_REFUSED. */
  readonly admitted?: ((...args: Args) => readonly unknown[]) | undefined;
  /** The arguments for one shard, where they name numbers of its own. Default: the same for all. */
  readonly at?: ((numbers: ShardNumbers, shard: number, args: Args) => readonly unknown[]) | undefined;
  /** Default: the result of the first shard. */
  readonly merged?:
    | ((results: readonly ShardResult<Result>[], numbers: ShardNumbers, args: Args) => Result)
    | undefined;
  /** Whether the result holds stored values, of which the caller gets copies (lending.ts). */
  readonly isReader?: boolean | undefined;
  readonly run: (inside: Inside, ...args: Args) => Result | Promise<Result>;
}

/**
 * One range for the numbers that each shard assigns itself (of dead letters, orders and turns): shards take turns, as
 * if a round over all shards assigned them. So a shown number identifies its shard, the numbers of each shard increase,
 * and with one shard they are its own.
 */
export class ShardNumbers {
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  shown(shard: number, number: number): number {
    return (number - 1) * this.#count + shard + 1;
  }

  own(shown: number): { readonly shard: number; readonly number: number } {
    return { shard: (shown - 1) % this.#count, number: Math.floor((shown - 1) / this.#count) + 1 };
  }

  /** The highest own number whose shown one is not above `shown`; 0 if all are. */
  upTo(shown: number, shard: number): number {
    return Math.floor((shown - 1 - shard) / this.#count) + 1;
  }

  /** The rows of all shards, with shown numbers. */
  all<Row extends { readonly number: number }>(results: readonly ShardResult<readonly Row[]>[]): Row[] {
    return results.flatMap(([shard, rows]) => rows.map((row) => ({ ...row, number: this.shown(shard, row.number) })));
  }
}
