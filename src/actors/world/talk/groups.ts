/**
 * Groups and registered names. An actor may join a group several times and leaves it as often; a name is held by one
 * actor at a time, with a value. Both are rows, changed in the turn that orders it, and given up in the epoch in which
 * the holder ends or begins anew.
 */
import { type Cell } from '../cell.ts';
import { KEYSPACE, type RowKey } from '../../model/ports.ts';
import { ordered, keyText, rowKey } from '../../model/row-keys.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'cells' | 'draft' | 'names' | 'shards'>;

/** The row of a name. */
export type NameRow = readonly [life: number, value: unknown];

export class Groups {
  readonly #world: Needs;
  /** How often each life has joined, per group. */
  readonly #members = new Map<string, Map<number, number>>();
  readonly #groupsOf = new Map<number, Set<string>>();
  readonly #holders = new Map<string, { readonly life: number; readonly value: unknown }>();
  readonly #namesOf = new Map<number, Set<string>>();

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Loads a row that recovery found: `<group>!<life>`. */
  loadMember(key: string, joins: number): void {
    this.#index(decodeURIComponent(key.slice(0, -15)), parseInt(key.slice(-14), 16), joins);
  }

  loadName(key: string, [life, value]: NameRow): void {
    if (this.#world.cells.mayHave(life)) this.#hold(decodeURIComponent(key), life, value);
  }

  /** The number of groups that an actor is in and of names that it holds. */
  count({ life }: Cell): number {
    return (this.#groupsOf.get(life)?.size ?? 0) + (this.#namesOf.get(life)?.size ?? 0);
  }

  join({ life }: Cell, group: string): void {
    const joins = (this.#members.get(group)?.get(life) ?? 0) + 1;
    this.#index(group, life, joins);
    this.#world.draft.put(memberKey(group, life), joins);
  }

  leave({ life }: Cell, group: string): void {
    const joins = this.#members.get(group)?.get(life);
    if (joins === undefined) return;
    if (joins === 1) this.#removeMember(group, life);
    else {
      this.#members.get(group)!.set(life, joins - 1);
      this.#world.draft.put(memberKey(group, life), joins - 1);
    }
  }

  /** Members in order of birth, once each. */
  members(group: string): Cell[] {
    const lives = [...(this.#members.get(group)?.keys() ?? [])].sort((a, b) => a - b);
    return lives.flatMap((life) => this.#world.cells.get(life) ?? []);
  }

  /** The holder of a name. */
  holder(name: string): Cell | undefined {
    const held = this.#holders.get(name);
    return held && this.#world.cells.get(held.life);
  }

  /**
   * Gives a free name to an actor, or another value to a name that it has. @returns The holder, if another actor has
   * it.
   */
  register(cell: Cell, name: string, value: unknown): Cell | undefined {
    const holder = this.holder(name) ?? this.#world.names.get(name);
    if (holder !== undefined && (holder !== cell || this.#world.names.has(name))) return holder;
    this.#hold(name, cell.life, value);
    const row: NameRow = [cell.life, value];
    this.#world.draft.put(rowKey(KEYSPACE.names, keyText(name)), Object.freeze(row));
    this.#world.shards?.tellName('named', name, cell.identity);
    return undefined;
  }

  unregister({ life }: Cell, name: string): void {
    if (this.#holders.get(name)?.life === life) this.#removeName(name, life);
  }

  /** Removes an actor from all groups and names, because its life is over or starts again. */
  ended({ life }: Cell): void {
    for (const group of [...(this.#groupsOf.get(life) ?? [])]) this.#removeMember(group, life);
    for (const name of [...(this.#namesOf.get(life) ?? [])]) this.#removeName(name, life);
  }

  #index(group: string, life: number, joins: number): void {
    if (!this.#world.cells.mayHave(life)) return;
    this.#members.set(group, (this.#members.get(group) ?? new Map<number, number>()).set(life, joins));
    this.#groupsOf.set(life, (this.#groupsOf.get(life) ?? new Set<string>()).add(group));
  }

  #hold(name: string, life: number, value: unknown): void {
    this.#holders.set(name, { life, value });
    this.#namesOf.set(life, (this.#namesOf.get(life) ?? new Set<string>()).add(name));
  }

  #removeMember(group: string, life: number): void {
    const members = this.#members.get(group);
    members?.delete(life);
    if (members?.size === 0) this.#members.delete(group);
    const groups = this.#groupsOf.get(life);
    groups?.delete(group);
    if (groups?.size === 0) this.#groupsOf.delete(life);
    this.#world.draft.remove(memberKey(group, life));
  }

  #tellNameless(name: string, life: number): void {
    this.#world.shards?.tellName('nameless', name, {
      life,
      address: this.#world.cells.get(life)?.address ?? '',
    });
  }

  #removeName(name: string, life: number): void {
    this.#holders.delete(name);
    const names = this.#namesOf.get(life);
    names?.delete(name);
    if (names?.size === 0) this.#namesOf.delete(life);
    this.#world.draft.remove(rowKey(KEYSPACE.names, keyText(name)));
    this.#tellNameless(name, life);
  }
}

function memberKey(group: string, life: number): RowKey {
  return `${KEYSPACE.groups}!${keyText(group)}!${ordered(life)}`;
}
