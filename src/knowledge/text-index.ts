/**
 * A full-text index of short texts: BM25 over terms of `words.ts`, with texts added and removed one by one. A search
 * takes the rarest terms first, because frequent ones cost most and tell least; their frequencies are counted here.
 */
import MiniSearch, { type Query } from 'minisearch';
import { RARE_SHARE, SEARCH_TERMS_MAX, SEARCH_TERMS_MIN } from './limits.ts';
import { termsIn } from './words.ts';

/** Parameters of BM25: saturation and length, without a base score for each occurring term. */
const BM25 = { k: 1.2, b: 0.75, d: 0 } as const;

/** The weight of a word in a text's path, relative to a word in the text. */
const PATH_BOOST = 0.5;

/** The weight of a key or dependency with a name, relative to a text with it. */
const NAME_BOOST = 3;

/**
 * The schedule for clearing removed texts from the index: in slices while others are added, once a tenth is left to
 * clear.
 */
const VACUUM = { minDirtCount: 200, minDirtFactor: 0.1, batchSize: 500, batchWait: 10 } as const;

export interface IndexedText {
  readonly id: number;
  readonly text: string;
  readonly path: string;
  /**
   * The names of keys and dependencies in the text. A match with one of them counts more than one with an ordinary
   * word.
   */
  readonly names: string;
}

export class TextIndex {
  readonly #index = new MiniSearch<IndexedText>({
    fields: ['text', 'path', 'names'],
    tokenize: termsIn,
    processTerm: (term) => term,
    autoVacuum: VACUUM,
    searchOptions: { bm25: BM25, boost: { path: PATH_BOOST }, combineWith: 'OR' },
  });
  /** The number of texts that contain each term. */
  readonly #frequencies = new Map<string, number>();

  get size(): number {
    return this.#index.documentCount;
  }

  /** The number of different terms. */
  get termCount(): number {
    return this.#frequencies.size;
  }

  add(text: IndexedText): void {
    this.#index.add(text);
    this.#count(text, 1);
  }

  /** Removes a text that was added with this content. */
  remove(text: IndexedText): void {
    this.#index.discard(text.id);
    this.#count(text, -1);
  }

  /** The weight of a term: the fewer texts contain it, the higher; highest if none does. */
  weightOf(term: string): number {
    const having = this.#frequencies.get(term) ?? 0;
    return Math.log(1 + (this.size - having + 0.5) / (having + 0.5));
  }

  /** The texts that are most similar to the terms, the most similar first. */
  search(terms: ReadonlySet<string>, limit: number, isWanted: (id: number) => boolean): number[] {
    const queries = this.#rarest(terms).map((term) => ({ queries: [term], tokenize: (text: string) => [text] }));
    return this.#ids({ combineWith: 'OR', queries }, isWanted).slice(0, limit);
  }

  /** The texts that contain every term of a name; first those that also have the terms, or the name as a key. */
  named(name: string, terms: ReadonlySet<string>, limit: number, isWanted: (id: number) => boolean): number[] {
    const named: Query = { combineWith: 'AND', queries: [name], boost: { names: NAME_BOOST } };
    const having = this.#ids(named, isWanted);
    if (having.length <= limit) return having;
    const known = new Set(having);
    const about: Query = { combineWith: 'OR', queries: this.#rarest(terms) };
    return this.#ids({ combineWith: 'OR', queries: [named, about] }, (id) => known.has(id)).slice(0, limit);
  }

  #ids(query: Query, isWanted: (id: number) => boolean): number[] {
    return this.#index.search(query, { filter: ({ id }) => isWanted(id as number) }).map(({ id }) => id as number);
  }

  #rarest(terms: ReadonlySet<string>): string[] {
    const known = [...terms].filter((term) => this.#frequencies.has(term));
    const byFrequency = known.sort((a, b) => this.#frequencies.get(a)! - this.#frequencies.get(b)!);
    const rareMax = Math.max(1, this.size * RARE_SHARE);
    const rare = byFrequency.filter((term) => this.#frequencies.get(term)! < rareMax).slice(0, SEARCH_TERMS_MAX);
    return rare.length >= SEARCH_TERMS_MIN ? rare : byFrequency.slice(0, SEARCH_TERMS_MIN);
  }

  #count({ text, path, names }: IndexedText, by: 1 | -1): void {
    for (const term of new Set([...termsIn(text), ...termsIn(path), ...termsIn(names)])) {
      const frequency = (this.#frequencies.get(term) ?? 0) + by;
      if (frequency === 0) this.#frequencies.delete(term);
      else this.#frequencies.set(term, frequency);
    }
  }
}
