/**
 * A full-text index of short texts: BM25 over terms of `words.ts`, with texts added and removed one by one. A search
 * takes the rarest terms first, because frequent ones cost most and tell least; their frequencies are counted here.
 */
import MiniSearch from 'minisearch';
import { RARE_SHARE, SEARCH_TERMS_MAX, SEARCH_TERMS_MIN } from './limits.ts';
import { termOf, tokensOf } from './words.ts';

/** Parameters of BM25: saturation and length, without a base score for each occurring term. */
const BM25 = { k: 1.2, b: 0.75, d: 0 } as const;

/** The weight of a word in a text's path, relative to a word in the text. */
const PATH_BOOST = 0.5;

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

export interface TextHit {
  readonly id: number;
  readonly score: number;
  /** The score relative to that of a text consisting of exactly the searched terms: 0 to 1. */
  readonly likeness: number;
}

export interface TextSearch {
  readonly limit: number;
  /** The fewest terms that are searched, however frequent they are. */
  readonly termsMin?: number;
  readonly isWanted?: (id: number) => boolean;
}

export class TextIndex {
  readonly #index = new MiniSearch<IndexedText>({
    fields: ['text', 'path', 'names'],
    tokenize: tokensOf,
    processTerm: termOf,
    autoVacuum: VACUUM,
    searchOptions: { bm25: BM25, boost: { path: PATH_BOOST }, combineWith: 'OR' },
  });
  /** The number of texts that contain each term. */
  readonly #frequencies = new Map<string, number>();
  #termCount = 0;

  get size(): number {
    return this.#index.documentCount;
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

  /** Whether any text contains the term. */
  has(term: string): boolean {
    return this.#frequencies.has(term);
  }

  /** The texts that are most similar to the terms. */
  search(terms: ReadonlySet<string>, { limit, termsMin = SEARCH_TERMS_MIN, isWanted }: TextSearch): TextHit[] {
    const chosen = this.#rarest(terms, termsMin);
    if (chosen.length === 0) return [];
    // Words that no text has are part of what was asked: a text without them is less like it.
    const unknown = [...terms].filter((term) => !this.has(term));
    const self = this.#selfScore([...chosen, ...unknown], terms.size);
    const filter = isWanted === undefined ? {} : { filter: ({ id }: { readonly id: number }) => isWanted(id) };
    // Terms are searched as they are: they have been through the rules of words.
    const asTerms = { tokenize: (text: string) => text.split(' '), processTerm: (term: string) => term };
    return this.#index
      .search(chosen.join(' '), { ...asTerms, ...filter })
      .slice(0, limit)
      .map(({ id, score }) => ({ id: id as number, score, likeness: Math.min(1, score / self) }));
  }

  /** The texts that contain every term of a name, in one word or in parts. */
  named(name: string, isWanted: (id: number) => boolean): number[] {
    const queries = [...name.matchAll(/\S+/g)].map(([word]) => word).filter((word) => tokensOf(word).some(termOf));
    if (queries.length === 0) return [];
    const found = this.#index.search({ combineWith: 'AND', queries }, { filter: ({ id }) => isWanted(id as number) });
    return found.map(({ id }) => id as number);
  }

  #rarest(terms: ReadonlySet<string>, termsMin: number): string[] {
    const known = [...terms].filter((term) => this.has(term));
    const byFrequency = known.sort((a, b) => this.#frequencies.get(a)! - this.#frequencies.get(b)!);
    const rareMax = Math.max(1, this.size * RARE_SHARE);
    const rare = byFrequency.filter((term) => this.#frequencies.get(term)! < rareMax).slice(0, SEARCH_TERMS_MAX);
    return rare.length >= termsMin ? rare : byFrequency.slice(0, termsMin);
  }

  /** The score of a text of `length` terms that contains each of these terms. */
  #selfScore(terms: readonly string[], length: number): number {
    const average = this.size === 0 ? 1 : Math.max(1, this.#termCount / this.size);
    const lengthPart = BM25.k * (1 - BM25.b + (BM25.b * length) / average);
    const sum = terms.reduce((total, term) => total + this.weightOf(term), 0);
    // MiniSearch multiplies a score by the number of query terms that the text has.
    return (terms.length * sum * (BM25.k + 1)) / (1 + lengthPart);
  }

  #count({ text, path }: IndexedText, by: 1 | -1): void {
    const terms = new Set<string>();
    for (const token of [...tokensOf(text), ...tokensOf(path)]) {
      const term = termOf(token);
      if (term !== null) terms.add(term);
    }
    this.#termCount += by * terms.size;
    for (const term of terms) {
      const frequency = (this.#frequencies.get(term) ?? 0) + by;
      if (frequency === 0) this.#frequencies.delete(term);
      else this.#frequencies.set(term, frequency);
    }
  }
}
