/** Finds actors by address, for callers outside of turns. */
import { BosunError } from '../../errors.ts';
import { checkAddress } from '../model/address.ts';
import { type Cell } from '../world/cell.ts';
import { type World } from '../world/world.ts';
import { type DurableView } from './durable-view.ts';

export class Directory {
  readonly #shown: DurableView;
  readonly #world: () => World | undefined;

  /**
   * Makes the directory.
   *
   * @param world Returns the population; undefined before the start.
   */
  constructor(shown: DurableView, world: () => World | undefined) {
    this.#shown = shown;
    this.#world = world;
  }

  find(address: string): Cell | undefined {
    return this.#world()?.addresses.get(address);
  }

  /** The living actor at an address. Throws BOSUN_ACTOR_UNKNOWN, or BOSUN_ADDRESS_INVALID for an invalid address. */
  living(address: string): Cell {
    return this.#known(address, this.find(address));
  }

  /**
   * The actor to be erased at an address, also one whose record is damaged; undefined for one that has ended. Throws
   * BOSUN_ACTOR_UNKNOWN.
   */
  eraseable(address: string): Cell | undefined {
    const found = this.find(address);
    return found ?? (this.#world()?.results.has(address) === true ? undefined : this.living(address));
  }

  /** The actor that readers see at an address, or one whose birth is not durable yet. Throws BOSUN_ACTOR_UNKNOWN. */
  observed(address: string): Cell {
    return this.#known(address, this.#shown.at(address) ?? this.find(address));
  }

  /** Whether readers see an actor at an address, or know that one is there which cannot be read. */
  isBorn(address: string): boolean {
    return this.#shown.at(address) !== undefined || this.#world()?.unreadable.at(address) !== undefined;
  }

  #known(address: string, cell: Cell | undefined): Cell {
    if (cell?.isIllegible === true) throw cell.suspension!;
    if (cell !== undefined) return cell;
    checkAddress(address);
    const world = this.#world();
    const why =
      world === undefined
        ? ': the system has not been started; call start() and await it'
        : world.results.has(address) === true
          ? ': it has ended, and system.result() has what became of it'
          : '';
    throw (
      world?.unreadable.at(address) ??
      new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address}${why}`, { details: { address } })
    );
  }
}
