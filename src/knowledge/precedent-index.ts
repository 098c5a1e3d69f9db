/**
 * Records with an id and a scope, searched by their text: precedents of answers, or anything else that is short and
 * many. Records are put and removed one by one; a search takes the rarest terms of its text.
 */
import { TextIndex } from './text-index.ts';
import { termsOf } from './words.ts';

export interface TextRecord {
  readonly id: string;
  readonly text: string;
  readonly scope: string;
}

export interface PrecedentHit {
  readonly id: string;
  readonly scope: string;
  /** The record's similarity to the searched text, relative to the text's own score: 0 to 1. */
  readonly likeness: number;
}

export interface PrecedentSearch {
  readonly text: string;
  /** The scopes to search; null for all. */
  readonly scopes: readonly string[] | null;
  readonly limit: number;
}

export class PrecedentIndex {
  readonly #index = new TextIndex();
  readonly #numbers = new Map<string, number>();
  readonly #records = new Map<number, TextRecord>();
  #last = 0;

  get size(): number {
    return this.#records.size;
  }

  /** Adds a record, or replaces the one with the same id. */
  put(record: TextRecord): void {
    this.remove(record.id);
    const number = (this.#last += 1);
    this.#numbers.set(record.id, number);
    this.#records.set(number, record);
    this.#index.add({ id: number, text: record.text, path: '', names: '' });
  }

  remove(id: string): void {
    const number = this.#numbers.get(id);
    if (number === undefined) return;
    this.#index.remove({ id: number, text: this.#records.get(number)!.text, path: '', names: '' });
    this.#records.delete(number);
    this.#numbers.delete(id);
  }

  find({ text, scopes, limit }: PrecedentSearch): PrecedentHit[] {
    const wanted = scopes === null ? undefined : new Set(scopes);
    const search =
      wanted === undefined ? { limit } : { limit, isWanted: (id: number) => wanted.has(this.#records.get(id)!.scope) };
    return this.#index.search(termsOf(text), search).map(({ id, likeness }) => {
      const { id: name, scope } = this.#records.get(id)!;
      return { id: name, scope, likeness };
    });
  }
}
