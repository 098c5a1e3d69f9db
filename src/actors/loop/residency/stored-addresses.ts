/** Finds stored actors by address: a row leads to each child of a Boss. */
import { isBosunError } from '../../../errors.ts';
import { KEYSPACE, type RowKey, type Shelf } from '../../model/ports.ts';
import { addressOf } from '../../world/stored-actors.ts';
import { type World } from '../../world/world.ts';

interface Parts {
  readonly world: World;
  readonly shelf: Shelf;
  /** Reads a row. Throws BOSUN_STORE_DAMAGED. */
  readonly row: (key: RowKey) => unknown;
  /** Lives that have ended in epochs that are not durable. */
  readonly departed: ReadonlySet<number>;
}

export class StoredAddresses {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The life at an address; 0 if there is none. */
  lifeAt(address: string): number {
    try {
      return (this.#parts.row(`${KEYSPACE.addresses}!${address}`) as number | undefined) ?? 0;
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      this.#parts.shelf.tell(error);
      return this.#lookFor(address);
    }
  }

  /** Searches the identities, possibly all of them, because the index row is damaged. */
  #lookFor(address: string): number {
    const { world, shelf, departed } = this.#parts;
    for (let life = world.nextNumber('life') - 1; life > 0; life--) {
      const found = world.cells.resident(life)?.address ?? addressOf(shelf.identity(life));
      if (found !== address || departed.has(life)) continue;
      world.draft.put(`${KEYSPACE.addresses}!${address}`, life);
      return life;
    }
    world.draft.remove(`${KEYSPACE.addresses}!${address}`);
    return 0;
  }
}

/** The addresses above an address, nearest first. */
export function* addressesAbove(address: string): Generator<string> {
  for (let end = address.lastIndexOf('/'); end > 0; end = address.lastIndexOf('/', end - 1))
    yield address.slice(0, end);
}
