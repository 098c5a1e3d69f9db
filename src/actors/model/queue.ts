/**
 * A first-in, first-out queue with O(1) push and shift: shifting an array takes time linear in its length. A ring that
 * keeps its capacity while it is emptied and refilled, as most queues are thousands of times a second.
 */

/** The initial capacity in items: a power of two, as all later ones. */
const ROOM_MIN = 64;

export class Queue<T> {
  #ring: (T | undefined)[] = new Array<T | undefined>(ROOM_MIN);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#ring.length) this.#resize(this.#size * 2);
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = item;
    this.#size += 1;
  }

  /** Puts an item in front of all others. */
  unshift(item: T): void {
    if (this.#size === this.#ring.length) this.#resize(this.#size * 2);
    this.#head = (this.#head - 1) & (this.#ring.length - 1);
    this.#ring[this.#head] = item;
    this.#size += 1;
  }

  peek(): T | undefined {
    return this.#ring[this.#head];
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#ring[this.#head];
    // The queue must not keep a consumed item alive.
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size -= 1;
    // Capacity left from a burst is halved step by step, so that no single call costs more than the rest.
    if (this.#ring.length > ROOM_MIN && this.#size < this.#ring.length / 8) this.#resize(this.#ring.length / 2);
    return item;
  }

  /** Removes the item at an index and leaves the others in order. Takes time linear in the index. */
  take(place: number): T | undefined {
    if (place <= 0) return this.shift();
    if (place >= this.#size) return undefined;
    const item = this.#at(place);
    const mask = this.#ring.length - 1;
    for (let index = place; index > 0; index--) this.#ring[(this.#head + index) & mask] = this.#at(index - 1);
    this.shift();
    return item;
  }

  clear(): void {
    this.#ring = new Array<T | undefined>(ROOM_MIN);
    this.#head = this.#size = 0;
  }

  toArray(): T[] {
    return Array.from({ length: this.#size }, (_, index) => this.#at(index));
  }

  #at(index: number): T {
    return this.#ring[(this.#head + index) & (this.#ring.length - 1)] as T;
  }

  #resize(room: number): void {
    const ring = new Array<T | undefined>(room);
    for (let index = 0; index < this.#size; index++) ring[index] = this.#at(index);
    this.#ring = ring;
    this.#head = 0;
  }
}
