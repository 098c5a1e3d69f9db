/** Counters of what a gateway admitted and refused, and why, since it was made. For people and tests. */
export class Counters {
  readonly #counts = new Map<string, number>();

  /**
   * Adds to a count.
   *
   * @param what A name from a closed list, never chosen by a client.
   */
  add(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** The counts by name, in alphabetical order. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
