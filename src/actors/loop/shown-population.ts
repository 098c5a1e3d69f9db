/** The actors that readers see, by address, all of them and those of each agent; and the members of groups. */
import { KEYSPACE } from '../model/ports.ts';
import { keyText } from '../model/row-keys.ts';
import { type Cell } from '../world/cell.ts';
import type { World } from '../world/world.ts';
import { AddressIndex, type ListedPart } from './address-index.ts';

/** Hexadecimal digits of a life, at the end of the key of a member of a group. */
const LIFE_DIGITS = 14;

export class ShownPopulation {
  readonly #byAddress = new AddressIndex();
  /** The same actors by agent, so that the few of one agent are found among many others. */
  readonly #byAgent = new Map<string, AddressIndex>();
  #residents: World['cells'] | undefined;

  /** Initialises the population with these actors, best in order of addresses. */
  load(cells: Iterable<Cell>, residents: World['cells']): void {
    this.#residents = residents;
    this.#byAddress.load(cells);
    const byAgent = new Map<string, Cell[]>();
    for (const cell of this.#byAddress.cells()) {
      const same = byAgent.get(cell.agent);
      if (same === undefined) byAgent.set(cell.agent, [cell]);
      else same.push(cell);
    }
    for (const [agent, same] of byAgent) this.#ofAgent(agent).load(same);
  }

  at(address: string): Cell | undefined {
    return this.#byAddress.at(address);
  }

  /** The actors, in order of addresses, for a reader between whose steps actors may come and go. */
  inTurn(): Iterable<Cell> {
    return this.#byAddress.inTurn();
  }

  /** An actor and all below it as {@link AddressIndex.below} yields them; only those of an agent if one is given. */
  below(top: Cell, part: ListedPart = {}, agent?: string): Iterable<Cell | undefined> {
    const index = agent === undefined ? this.#byAddress : this.#byAgent.get(agent);
    return index?.below(top, part) ?? [];
  }

  /** The children of an actor, in order of birth. */
  childrenOf(parent: Cell): Cell[] {
    const children: Cell[] = [];
    for (const cell of this.#byAddress.below(parent)) if (cell?.parent === parent) children.push(cell);
    return children.sort((a, b) => a.life - b.life);
  }

  add(cell: Cell): void {
    const before = this.#byAddress.set(cell);
    if (before !== undefined && before.agent !== cell.agent) this.#forget(before);
    this.#ofAgent(cell.agent).set(cell);
  }

  /** Removes an actor, unless another one lives at its address by now. */
  remove(cell: Cell): void {
    if (this.#byAddress.at(cell.address) !== cell) return;
    this.#byAddress.delete(cell.address);
    this.#forget(cell);
  }

  /** The addresses of actors by their lives, in order of birth. */
  addressesOf(lives: ReadonlySet<number>): string[] {
    const found = new Map<number, string>();
    for (const life of lives) {
      const cell = this.#residents?.resident(life);
      if (cell !== undefined && this.#byAddress.at(cell.address) === cell) found.set(life, cell.address);
    }
    // Those that have just ended are in no map any more, until that is durable.
    if (found.size < lives.size)
      for (const { life, address } of this.#byAddress.cells()) if (lives.has(life)) found.set(life, address);
    return [...found].sort(([a], [b]) => a - b).map(([, address]) => address);
  }

  /** Removes an actor from those of its agent. */
  #forget({ agent, address }: Cell): void {
    const same = this.#ofAgent(agent);
    same.delete(address);
    if (same.isEmpty) this.#byAgent.delete(agent);
  }

  #ofAgent(agent: string): AddressIndex {
    let index = this.#byAgent.get(agent);
    if (index === undefined) this.#byAgent.set(agent, (index = new AddressIndex()));
    return index;
  }
}

/** Children by parent, in order of birth. */
export function familiesAmong(cells: Iterable<Cell | undefined>): ReadonlyMap<Cell, readonly Cell[]> {
  const families = new Map<Cell, Cell[]>();
  const byAge = [...cells].filter((cell) => cell !== undefined).sort((a, b) => a.life - b.life);
  for (const cell of byAge) {
    if (cell.parent === undefined) continue;
    const siblings = families.get(cell.parent);
    if (siblings === undefined) families.set(cell.parent, [cell]);
    else siblings.push(cell);
  }
  return families;
}

/** The members of groups, by their lives. */
export class ShownMembers {
  /** Lives by the beginning of their keys. */
  readonly #groups = new Map<string, Set<number>>();

  of(group: string): ReadonlySet<number> {
    return this.#groups.get(`${KEYSPACE.groups}!${keyText(group)}!`) ?? new Set();
  }

  /** Shows a row of a member; null if it has left. */
  show(key: string, row: unknown): void {
    const [group, life] = [key.slice(0, -LIFE_DIGITS), parseInt(key.slice(-LIFE_DIGITS), 16)];
    const lives = this.#groups.get(group) ?? new Set();
    if (row !== null) this.#groups.set(group, lives.add(life));
    else if (lives.delete(life) && lives.size === 0) this.#groups.delete(group);
  }
}
