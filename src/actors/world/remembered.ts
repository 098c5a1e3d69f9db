/**
 * Remembers requests that may be repeated, by the id that a repeat names: sessions, asks. Each is forgotten some time
 * after its last use. Where there is no room for a new one, an old one of the owner that has the most gives way
 * ({@link ownerIn} returns the owner of an id), so that no owner displaces the requests of others.
 */
import { FairShares, ownerIn } from '../../fair-shares.ts';
import { REPEAT_MS_MIN } from '../../limits.ts';

/** Old entries forgotten at a time: more than one request can add, and few enough not to delay it. */
const FORGOTTEN_AT_ONCE = 8;

/** The most entries checked for one that may give way: more than a caller of a gateway may have in use. */
const LOOKED_AT_FOR_ROOM = 2_000;

export class Remembered<T extends { readonly usedAtMs: number }> {
  /** Entries by id, least recently used first. */
  readonly #byId = new Map<string, T>();
  readonly #shares = new FairShares<string>();
  /** A time before which no entry was used. */
  #oldestMs = -Infinity;

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  /** Enters an entry as the most recently used, also where it was in here before. */
  enter(id: string, one: T): void {
    this.#byId.delete(id);
    this.#byId.set(id, one);
    this.#shares.enter(id, ownerIn(id));
  }

  leave(id: string): void {
    this.#byId.delete(id);
    this.#shares.leave(id);
  }

  /** Forgets some entries that were not used after `ms`, oldest first. */
  forgetThrough(ms: number, forgotten: (one: T) => void): void {
    if (ms < this.#oldestMs) return;
    let left = FORGOTTEN_AT_ONCE;
    for (const [id, one] of this.#byId) {
      if (one.usedAtMs > ms || left-- === 0) {
        this.#oldestMs = one.usedAtMs;
        return;
      }
      this.leave(id);
      forgotten(one);
    }
  }

  /**
   * The entry that gives way for a new one. None if all checked ones are in use, or were used so recently that a
   * client that lost its answer may still return.
   */
  toGiveWay(nowMs: number, isInUse: (one: T) => boolean = () => false): T | undefined {
    let left = LOOKED_AT_FOR_ROOM;
    for (const id of this.#shares.firstToGo()) {
      const one = this.#byId.get(id)!;
      if (one.usedAtMs > nowMs - REPEAT_MS_MIN || left-- === 0) return undefined;
      if (!isInUse(one)) return one;
    }
    return undefined;
  }
}
