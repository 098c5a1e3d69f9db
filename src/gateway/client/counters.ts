/**
 * What a gateway counts: what it let in, what it turned away and why. Numbers since it was made, for people and tests.
 */
export class Counters {
  readonly #counts = new Map<string, number>();

  /** @param what One of a closed list of names; nothing that a client chose. */
  add(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** By name, in the order of the alphabet. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
