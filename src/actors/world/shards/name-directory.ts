/**
 * Names of other shards: the holders of system ids and registered names there. Each shard announces its own in the
 * epoch in which they change, and the others store the announcement as a row, so that a crash does not change what a
 * turn can find. Eventually consistent: two shards may give one name at the same time, and then each finds its own.
 */
import { keyText, rowKey } from '../../model/row-keys.ts';
import { KEYSPACE, type RowKey } from '../../model/ports.ts';
import { type Ref } from '../../model/ref.ts';
import { shardOfLife } from '../../model/placement.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'draft' | 'refOf'>;

/** A row of keyspace `shard`, under `name!<shard>!<name>`. */
type NameRow = readonly [life: number, address: string];

export class NameDirectory {
  readonly #world: Needs;
  readonly #count: number;
  /** Holders by name, then by shard. */
  readonly #holders = new Map<string, Map<number, NameRow>>();

  constructor(world: Needs, count: number) {
    this.#world = world;
    this.#count = count;
  }

  /** Loads a row that recovery found, if it is a name's. */
  load(key: string, row: unknown): void {
    const [kind, shard = '', ...name] = key.split('!');
    if (kind === 'name') this.#hold(decodeURIComponent(name.join('!')), parseInt(shard, 16), row as NameRow);
  }

  /** The holder of a name on another shard; the first shard counts. */
  find(name: string): Ref | undefined {
    const holders = this.#holders.get(name);
    if (holders === undefined) return undefined;
    const [life, address] = holders.get(Math.min(...holders.keys()))!;
    return this.#world.refOf(life, address);
  }

  names(): Iterable<string> {
    return this.#holders.keys();
  }

  /** Enters a name of another shard's actor. */
  named(name: string, life: number, address: string): void {
    const shard = shardOfLife(life, this.#count);
    const row: NameRow = Object.freeze([life, address] as const);
    this.#hold(name, shard, row);
    this.#world.draft.put(nameKey(shard, name), row);
  }

  /** Removes a name of another shard's actor. */
  nameless(name: string, life: number): void {
    const shard = shardOfLife(life, this.#count);
    const holders = this.#holders.get(name);
    if (holders?.get(shard)?.[0] !== life) return;
    holders.delete(shard);
    if (holders.size === 0) this.#holders.delete(name);
    this.#world.draft.remove(nameKey(shard, name));
  }

  #hold(name: string, shard: number, row: NameRow): void {
    const holders = this.#holders.get(name) ?? new Map<number, NameRow>();
    this.#holders.set(name, holders.set(shard, row));
  }
}

function nameKey(shard: number, name: string): RowKey {
  return rowKey(KEYSPACE.shard, `name!${shard.toString(16).padStart(4, '0')}!${keyText(name)}`);
}
