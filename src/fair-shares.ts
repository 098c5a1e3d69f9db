/**
 * A bounded collection shared by many owners: sockets of addresses, sessions of callers. When it is too full, the owner
 * that has the most loses its oldest, so a greedy owner takes from itself. This class only decides who loses one; its
 * users have the bound and carry out the rest.
 */

export class FairShares<T> {
  readonly #owners = new Map<T, string>();
  /** Things by owner, oldest first. */
  readonly #shares = new Map<string, Set<T>>();
  /** Owners by their number of things, which gives the largest share without a search. */
  readonly #bySize = new Map<number, Set<string>>();
  #most = 0;

  get size(): number {
    return this.#owners.size;
  }

  /** Adds a thing as the newest of its owner, even if it was present before. */
  enter(one: T, owner: string): void {
    this.leave(one);
    const share = this.#shares.get(owner) ?? new Set();
    this.#shares.set(owner, share);
    this.#owners.set(one, owner);
    share.add(one);
    this.#resized(owner, share.size - 1, share.size);
  }

  /**
   * Removes a thing.
   *
   * @returns Whether it was present.
   */
  leave(one: T): boolean {
    const owner = this.#owners.get(one);
    if (owner === undefined) return false;
    const share = this.#shares.get(owner)!;
    this.#owners.delete(one);
    share.delete(one);
    if (share.size === 0) this.#shares.delete(owner);
    this.#resized(owner, share.size + 1, share.size);
    return true;
  }

  /**
   * The things of the owner that has the most, oldest first, which is the order in which they give way. Empty if there
   * are none.
   */
  *firstToGo(): IterableIterator<T> {
    const [owner] = this.#bySize.get(this.#most) ?? [];
    if (owner !== undefined) yield* this.#shares.get(owner)!;
  }

  #resized(owner: string, before: number, after: number): void {
    this.#bySize.get(before)?.delete(owner);
    if (this.#bySize.get(before)?.size === 0) this.#bySize.delete(before);
    if (after > 0) {
      const equals = this.#bySize.get(after);
      if (equals === undefined) this.#bySize.set(after, new Set([owner]));
      else equals.add(owner);
    }
    // A share changes by one at a time, so the largest is this one, or the one that was largest.
    if (after > this.#most || (before === this.#most && !this.#bySize.has(before))) this.#most = after;
  }
}

const OWNER_END = '/';

/** A name that includes its owner. The name itself has no slash. */
export function ownedName(owner: string, name: string): string {
  return `${owner}${OWNER_END}${name}`;
}

/** The owner in a name: the part before its last slash. All names without a slash belong to one owner. */
export function ownerIn(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(OWNER_END)));
}
