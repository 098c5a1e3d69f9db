/**
 * The world outside of Bosun, as a payment service or a chat would be. It keeps in a file of its own what it was asked
 * to do, and counts by the key of each request: what it has done under a key it does not do again. A request without a
 * key is carried out as often as it comes.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

interface Request {
  /** The effect id; null for a request without one. */
  readonly key: string | null;
  readonly what: string;
  readonly atMs: number;
}

/** The requests that were alike: those under one key, or those without one that say the same. */
export interface Counted {
  readonly what: string;
  readonly key: string | null;
  readonly asked: number;
  readonly done: number;
}

export class Outside {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, '');
  }

  /** Asks for something under a key. Returns whether it was done now, rather than before. */
  once(key: string, what: string): boolean {
    const isNew = !this.#requests().some((request) => request.key === key);
    this.#append({ key, what, atMs: Date.now() });
    return isNew;
  }

  /** Asks for something without a key. */
  again(what: string): void {
    this.#append({ key: null, what, atMs: Date.now() });
  }

  /** All requests, in the order in which they first came. */
  counted(): Counted[] {
    const counts = new Map<string, Counted>();
    for (const { key, what } of this.#requests()) {
      const name = key ?? `without a key: ${what}`;
      const { asked, done } = counts.get(name) ?? { asked: 0, done: 0 };
      counts.set(name, { what, key, asked: asked + 1, done: key === null || done === 0 ? done + 1 : done });
    }
    return [...counts.values()];
  }

  #append(request: Request): void {
    appendFileSync(this.#file, `${JSON.stringify(request)}\n`);
  }

  #requests(): Request[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Request]));
  }
}
