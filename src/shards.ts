/**
 * The shards of a system, as the system reaches them: one in this thread, or several in threads of their own. Calls are
 * placed here by the rows of their table (system-calls.ts).
 */
import { type Hearer } from './actors/api/actor-handle.ts';
import { type CallPlace, ShardNumbers } from './actors/api/call-row.ts';
import { ROOT } from './actors/model/address.ts';
import { BosunError } from './errors.ts';
import { shown } from './lending.ts';
import { type Shard } from './shard.ts';
import {
  type AnyCall,
  type CallArguments,
  callNamed,
  type CallName,
  type CallResult,
  type WatchArguments,
  watchNamed,
  type WatchName,
  type WatchWord,
} from './system-calls.ts';
import { type SendRequest } from './system-options.ts';

/** How a system reaches its shards. */
export interface Shards {
  readonly count: number;
  /** Whether arguments leave this thread, so that they are checked and copied first. */
  readonly areApart: boolean;
  /** Resolves when the system was stopped; rejects with the reason if it closed by itself. */
  readonly closed: Promise<void>;
  /** Resolves in either case. */
  readonly over: Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The shards that have an address or a partition of it. Throws BOSUN_ADDRESS_INVALID, BOSUN_SYSTEM_CLOSED. */
  homesOf(address: string): readonly number[];
  /** Carries out a call at one shard. Rejects as the call does, and with BOSUN_WORKER_DOWN, BOSUN_SYSTEM_CLOSED. */
  call(
    shard: number,
    name: CallName,
    args: readonly unknown[],
    how: { readonly isRepeatable: boolean },
  ): Promise<unknown>;
  /**
   * Begins a watch at one shard, which goes on over its deaths.
   *
   * @returns A function that ends it.
   */
  watch<Name extends WatchName>(
    shard: number,
    name: Name,
    args: WatchArguments<Name>,
    hearer: Hearer<WatchWord<Name>>,
  ): () => void;
  sendMany(requests: readonly SendRequest[]): Promise<void>;
  /** Ends the thread of a shard as a crash would. Rejects with BOSUN_CONFIG_INVALID where there are no threads. */
  kill(shard: number): Promise<void>;
}

/** Calls at the shards, placed by their rows. */
export class PlacedCalls {
  readonly #shards: Shards;
  readonly #numbers: ShardNumbers;
  readonly #all: readonly number[];
  /** Number of calls that went to shards in turn. */
  #turns = 0;

  constructor(shards: Shards) {
    this.#shards = shards;
    this.#numbers = new ShardNumbers(shards.count);
    this.#all = Array.from({ length: shards.count }, (_, shard) => shard);
  }

  /** Carries out a call. Rejects as its row says, and as Shards.call does. */
  call<Name extends CallName>(name: Name, args: CallArguments<Name>): Promise<CallResult<Name>> {
    // Not async: promises are most of the cost of a send to another thread.
    try {
      const row = callNamed(name);
      const result = this.#call(name, row, args) as Promise<CallResult<Name>>;
      return row.isReader === true ? result.then(shown) : result;
    } catch (error) {
      return Promise.reject(error as BosunError);
    }
  }

  #call(name: CallName, row: AnyCall, given: readonly unknown[]): Promise<unknown> {
    const how = { isRepeatable: row.isRepeatable(...given) };
    const args = this.#shards.areApart && row.admitted !== undefined ? row.admitted(...given) : given;
    const at = (shard: number) => this.#shards.call(shard, name, row.at?.(this.#numbers, shard, args) ?? args, how);
    const places = this.#placesOf(row, args);
    if (places.length === 1 && row.merged === undefined) return at(places[0]!);
    return Promise.all(places.map(at)).then((results) => {
      if (row.merged === undefined) return results[0];
      return row.merged(
        results.map((result, index) => [places[index]!, result]),
        this.#numbers,
        args,
      );
    });
  }

  #placesOf({ place, address = first }: AnyCall, args: readonly unknown[]): readonly number[] {
    const kind: CallPlace = typeof place === 'function' ? place(...args) : place;
    if (kind === 'all') return this.#all;
    if (kind === 'numbered') return [this.#numberedAt(args[0] as number)];
    const homes = this.#shards.homesOf(address(...args) as string);
    if (kind === 'first') return homes.length === 1 ? homes : [homes[0]!];
    return kind === 'each' ? homes : [homes[this.#turns++ % homes.length]!];
  }

  /** The shard that gave out a number; the first for what is no number, which it refuses. */
  #numberedAt(number: number): number {
    return Number.isSafeInteger(number) && number > 0 ? this.#numbers.own(number).shard : 0;
  }

  /** The shown number of what a shard has numbered. */
  shown(shard: number, number: number): number {
    return this.#numbers.shown(shard, number);
  }
}

/** The one shard of a system in this thread. */
export class OneShard implements Shards {
  readonly count = 1;
  readonly areApart = false;
  readonly shard: Shard;

  constructor(shard: Shard) {
    this.shard = shard;
  }

  get closed(): Promise<void> {
    return this.shard.closed;
  }

  get over(): Promise<void> {
    return this.shard.over;
  }

  async start(): Promise<void> {
    await this.shard.start();
  }

  stop(): Promise<void> {
    return this.shard.stop();
  }

  homesOf(): readonly number[] {
    return HERE;
  }

  call(_: number, name: CallName, args: readonly unknown[]): Promise<unknown> {
    const result = callNamed(name).run(this.shard, ...args);
    return result instanceof Promise ? result : Promise.resolve(result);
  }

  watch<Name extends WatchName>(
    _: number,
    name: Name,
    args: WatchArguments<Name>,
    hearer: Hearer<WatchWord<Name>>,
  ): () => void {
    try {
      return watchNamed(name)(this.shard, hearer as Hearer<unknown>, ...args);
    } catch (error) {
      hearer.lost?.(error as BosunError);
      return () => {};
    }
  }

  sendMany(requests: readonly SendRequest[]): Promise<void> {
    return this.shard.sendMany(requests);
  }

  kill(): Promise<void> {
    return Promise.reject(
      new BosunError('BOSUN_CONFIG_INVALID', 'this system has no workers: its shard is in this thread'),
    );
  }
}

const HERE = [0] as const;

/** The address of a call that names none of its own. */
function first(address?: unknown): string {
  return (address ?? ROOT) as string;
}
