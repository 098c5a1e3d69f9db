/** The hash by which two runs are compared: 64 bits over texts in their order, quick enough for every turn. */

/** The prime of FNV-1a, and for the second half a factor of MurmurHash3 (both public domain). */
const PRIME = 0x01000193;
const FACTOR = 0x85ebca6b;

export class RunHash {
  #low = 0x811c9dc5;
  #high = 0x1b873593;

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      this.#low = Math.imul(this.#low ^ code, PRIME);
      this.#high = Math.imul(this.#high ^ code ^ 0x5a, FACTOR);
    }
  }

  get text(): string {
    return [this.#low, this.#high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
