/** Questions about actors as they are stored, for those of them that have no cell. Pure. */
import { type Recovered, type RowKey } from '../model/ports.ts';
import { childKey } from '../model/row-keys.ts';
import { type ActorState, type Identity } from '../model/state.ts';
import { type Cell } from './cell.ts';

/** The address of a stored actor; undefined where nobody is stored. */
export function addressOf(stored: Identity | undefined): string | undefined {
  return stored?.address;
}

/**
 * The actor that a stored one belongs to.
 *
 * @returns Undefined for the root; null if it is not in memory and cannot be found.
 */
export function ownerOf({ parent }: Identity, find: (life: number) => Cell | undefined): Cell | undefined | null {
  return parent === 0 ? undefined : (find(parent) ?? null);
}

/** The key of the record of a stored actor at its Boss. */
export function recordKeyOf({ parent, childId }: Identity): RowKey {
  return childKey(parent, childId);
}

/** A stored actor with the Boss to which it belongs. */
export interface StoredChild {
  readonly address: string;
  /** The address of its Boss. */
  readonly above: string;
  /** Tells whether the code declared it when its Boss last received the declaration. */
  readonly isDeclared: () => boolean;
}

/** Yields the children of stored Bosses, without those whose Boss is damaged. */
export function* supervisedIn({ identities, states }: Pick<Recovered, 'identities' | 'states'>): Iterable<StoredChild> {
  for (const { address, childId, parent, bond } of identities.values()) {
    const above = bond === 'supervised' ? addressOf(identities.get(parent)) : undefined;
    if (above === undefined) continue;
    yield { address, above, isDeclared: () => isDeclaredIn(states.get(parent), childId) };
  }
}

function isDeclaredIn(boss: ActorState | undefined, id: string): boolean {
  const { declared = [] } = (boss?.context ?? {}) as { declared?: readonly { readonly id: string }[] };
  return declared.some((spec) => spec.id === id);
}

/** The life that is stored at an address; undefined if there is none. Looks through all identities. */
export function lifeAt(address: string, { identities }: Pick<Recovered, 'identities'>): number | undefined {
  for (const [life, stored] of identities) if (stored.address === address) return life;
  return undefined;
}
