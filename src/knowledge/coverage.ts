/**
 * How much of a question a statement covers: the share of the weight of the question's terms that stand in its text,
 * its heading or key path, the path of its file, or beside it. Rare terms weigh most. Pure but for its index.
 */
import { type Question } from './question.ts';
import { type Statement } from './statement.ts';
import { type TextIndex } from './text-index.ts';
import { partTermsOf, termOf, termsOf } from './words.ts';

/** The weight of a term by its position. */
const IN_HEADING = 0.9;
const IN_PATH = 0.7;
const BESIDE = 0.5;

/** The share of its weight that the class in a question ("which library") has if the answer does not name it. */
const CLASS_SHARE = 0.5;

/**
 * The deduction for words of a key's name that were not asked about: `SEGMENT_CHARS_MAX` is not a number of segments.
 */
const OTHER_WORDS_COST = 0.5;

/** Words of a key's name that state a unit or bound, not the subject. */
const MEASURES = new Set(
  [
    ...'max min size default number total value ms millisecond second minute hour day kb mb gb kg percent'.split(' '),
  ].map((word) => termOf(word) ?? word),
);

/** The terms of a passage, extracted once per question. */
export interface PassageTerms {
  readonly path: ReadonlySet<string>;
  readonly statements: readonly StatementTerms[];
}

interface StatementTerms {
  readonly own: ReadonlySet<string>;
  readonly about: ReadonlySet<string>;
  /** The terms of a key's or constant's name that state its subject; empty for other forms. */
  readonly key: ReadonlySet<string>;
  readonly isProse: boolean;
}

export function passageTermsOf(statements: readonly Statement[], place: string): PassageTerms {
  return {
    path: termsOf(place),
    statements: statements.map(({ form, text, name, about }) => {
      const isKey = form === 'setting' || form === 'constant';
      const key = new Set(isKey ? [...partTermsOf(name)].filter((term) => !MEASURES.has(term)) : []);
      const isProse = form === 'sentence' || form === 'row' || form === 'title' || form === 'comment';
      return { own: termsOf(`${text} ${name}`), about: termsOf(about), key, isProse };
    }),
  };
}

/** Computes the coverage of one question over one index. */
export class Coverage {
  readonly #weights: ReadonlyMap<string, number>;
  readonly #class: string | null;

  constructor({ terms, class: klass }: Pick<Question, 'terms' | 'class'>, index: Pick<TextIndex, 'weightOf'>) {
    this.#weights = new Map([...terms].map((term) => [term, index.weightOf(term)]));
    this.#class = klass;
  }

  /**
   * The share of the question that the statement at this index of its passage covers, 0 to 1; 1 for a question without
   * terms.
   */
  of({ path, statements }: PassageTerms, place: number): number {
    const { own, about, key, isProse } = statements[place]!;
    // A sentence goes on from the one before; a key stands for itself.
    const beside = isProse ? [statements[place - 1]?.own, statements[place + 1]?.own] : [];
    const share = this.#share((term) => {
      if (own.has(term)) return 1;
      if (about.has(term)) return IN_HEADING;
      if (path.has(term)) return IN_PATH;
      return beside.some((terms) => terms?.has(term)) ? BESIDE : 0;
    });
    const others = [...key].filter((term) => !this.#weights.has(term)).length;
    return others === 0 ? share : share * (1 - (OTHER_WORDS_COST * others) / key.size);
  }

  /** The share of the question that a part of a text covers by itself. */
  ofText(text: string): number {
    const terms = termsOf(text);
    return this.#share((term) => (terms.has(term) ? 1 : 0));
  }

  #share(factorOf: (term: string) => number): number {
    let [sum, total] = [0, 0];
    for (const [term, weight] of this.#weights) {
      const factor = factorOf(term);
      sum += weight * factor;
      total += term === this.#class && factor === 0 ? CLASS_SHARE * weight : weight;
    }
    return total === 0 ? 1 : Math.min(1, sum / total);
  }
}
