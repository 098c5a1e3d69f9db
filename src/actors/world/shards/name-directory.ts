/**
 * Names of other shards: who has a system id or a registered name there. Each shard tells the others of its own, in the
 * epoch in which they change, and what they are told is a row there, so that a crash changes nothing of what a turn can
 * find. It follows behind: two shards may give one name at the same time, and then each finds its own.
 */
import { keyText, rowKey } from '../../model/row-keys.ts';
import { KEYSPACE, type RowKey } from '../../model/ports.ts';
import { type Ref } from '../../model/ref.ts';
import { shardOfLife } from '../../model/placement.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'draft' | 'refOf'>;

/** Of keyspace `shard`, under `name!<shard>!<name>`. */
type NameRow = readonly [life: number, address: string];

export class NameDirectory {
  readonly #world: Needs;
  readonly #count: number;
  /** By name, then by shard. */
  readonly #holders = new Map<string, Map<number, NameRow>>();

  constructor(world: Needs, count: number) {
    this.#world = world;
    this.#count = count;
  }

  /** Takes in a row that recovery found, if it is a name's. */
  load(key: string, row: unknown): void {
    const [kind, shard = '', ...name] = key.split('!');
    if (kind === 'name') this.#hold(decodeURIComponent(name.join('!')), parseInt(shard, 16), row as NameRow);
  }

  /** Who has a name on another shard; the first shard counts. */
  find(name: string): Ref | undefined {
    const holders = this.#holders.get(name);
    if (holders === undefined) return undefined;
    const [life, address] = holders.get(Math.min(...holders.keys()))!;
    return this.#world.refOf(life, address);
  }

  names(): Iterable<string> {
    return this.#holders.keys();
  }

  /** Another shard tells that one of its actors has a name. */
  named(name: string, life: number, address: string): void {
    const shard = shardOfLife(life, this.#count);
    const row: NameRow = Object.freeze([life, address] as const);
    this.#hold(name, shard, row);
    this.#world.draft.put(nameKey(shard, name), row);
  }

  /** Another shard tells that one of its actors has a name no more. */
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
