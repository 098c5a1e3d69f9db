/**
 * How much of a question a statement covers: the share of the weight of the question's terms that stand in its text,
 * its heading or key path, the path of its file, or beside it. Rare terms weigh most. Pure but for its index.
 */
import { type Question } from './question.ts';
import { type Statement } from './statement.ts';
import { type TextIndex } from './text-index.ts';
import { isGeneric, partTermsOf, termsOf } from './words.ts';

/** The weight of a term by its position. */
const IN_HEADING = 0.9;
const IN_PATH = 0.7;
const BESIDE = 0.5;

/** The share of its weight that a word has which stands in questions about any subject. */
const GENERIC_SHARE = 0.35;

/**
 * How much more of a question a line has to cover if the question has few words of its own: those occur together by
 * chance.
 */
const STRICTER: readonly number[] = [0.4, 0.3, 0.1];

/** The most words that are few, and the share of the question that a line can cover that has only a part of them. */
const FEW_WORDS = 2;
const PART_OF_FEW_MAX = 0.5;

/** The share of its weight that the class in a question ("which library") has if the answer does not name it. */
const CLASS_SHARE = 0.5;

/**
 * The deduction for words of a key's name that were not asked about: `SEGMENT_CHARS_MAX` is not a number of segments.
 */
const OTHER_WORDS_COST = 0.5;

/** Words of a key's name that state a unit or bound, not the subject. */
const MEASURES = termsOf(
  'max min default number total value millisecond second minute hour day week kb mb gb megabyte kg percent',
);

/** Whether a word of a key's name states a unit or bound, not the subject. */
export function isMeasure(term: string): boolean {
  return MEASURES.has(term);
}

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
    statements: statements.map(({ form, text, name, about, columns }) => {
      const isKey = form === 'setting' || form === 'constant';
      const key = new Set(
        isKey ? [...partTermsOf(name)].filter((term) => !MEASURES.has(term) && !isGeneric(term)) : [],
      );
      const isProse = form === 'sentence' || form === 'row' || form === 'title' || form === 'comment';
      return {
        own: columns === undefined ? termsOf(`${text} ${name}`) : rowTerms(text, name),
        about: termsOf(about),
        key,
        isProse,
      };
    }),
  };
}

/** The terms of a table's row. A number in it names something only in the first cell; elsewhere it is a value. */
function rowTerms(text: string, name: string): ReadonlySet<string> {
  return new Set([...termsOf(name), ...[...termsOf(text)].filter((term) => !/^[\d.,]+$/.test(term))]);
}

/** Computes the coverage of one question over one index. */
export class Coverage {
  readonly #weights: ReadonlyMap<string, number>;
  readonly #class: string | null;
  /** The question's own words if they are few: a line without one of them is about something else. */
  readonly #few: readonly string[];
  /** The terms of the question. */
  readonly terms: ReadonlySet<string>;
  /** The number of the question's own words. */
  readonly specificity: number;

  constructor({ terms, class: klass }: Pick<Question, 'terms' | 'class'>, index: Pick<TextIndex, 'weightOf'>) {
    const weightOf = (term: string) => index.weightOf(term) * (isGeneric(term) ? GENERIC_SHARE : 1);
    this.#weights = new Map([...terms].map((term) => [term, weightOf(term)]));
    this.terms = terms;
    this.#class = klass;
    const own = [...terms].filter((term) => !isGeneric(term));
    this.specificity = own.length;
    this.#few = own.length <= FEW_WORDS ? own.filter((term) => term !== klass) : [];
  }

  /** The share that a line has to cover for what takes `share` of a question of many words. */
  required(share: number): number {
    return Math.min(0.95, share + (STRICTER[this.specificity] ?? 0));
  }

  /**
   * The share of the question that the statement at this index of its passage covers, 0 to 1; 1 for a question without
   * terms.
   */
  of(passage: PassageTerms, place: number): number {
    const given = this.#share((term) => factorOf(passage, place, term));
    const isPart = this.#few.some((term) => factorOf(passage, place, term) === 0);
    const share = isPart ? Math.min(PART_OF_FEW_MAX, given) : given;
    const { key } = passage.statements[place]!;
    const others = [...key].filter((term) => !this.#weights.has(term)).length;
    return others === 0 ? share : share * (1 - (OTHER_WORDS_COST * others) / key.size);
  }

  /**
   * The share that the statement covers of what another one covers of the question. If it is high, both speak about the
   * same thing.
   */
  ofSame(
    passage: PassageTerms,
    place: number,
    other: { readonly passage: PassageTerms; readonly place: number },
  ): number {
    return this.#share(
      (term) => factorOf(passage, place, term),
      (term) => factorOf(other.passage, other.place, term),
    );
  }

  /** The share of the question that a part of a text covers by itself. */
  ofText(text: string): number {
    const terms = termsOf(text);
    return this.#share((term) => (terms.has(term) ? 1 : 0));
  }

  #share(factorOf: (term: string) => number, partOf: (term: string) => number = () => 1): number {
    let [sum, total] = [0, 0];
    for (const [term, whole] of this.#weights) {
      const factor = factorOf(term);
      const weight = whole * partOf(term);
      sum += weight * factor;
      total += term === this.#class && factor === 0 ? CLASS_SHARE * weight : weight;
    }
    return total === 0 ? 1 : Math.min(1, sum / total);
  }
}

/** How much of a term a statement has, by where it stands. */
function factorOf({ path, statements }: PassageTerms, place: number, term: string): number {
  const { own, about, isProse } = statements[place]!;
  if (own.has(term)) return 1;
  if (about.has(term)) return IN_HEADING;
  if (path.has(term)) return IN_PATH;
  // A sentence goes on from the one before; a key stands for itself.
  const isBeside = isProse && [place - 1, place + 1].some((at) => statements[at]?.own.has(term) === true);
  return isBeside ? BESIDE : 0;
}
