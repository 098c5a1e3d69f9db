/**
 * A statement: one thing that a file says at one place, such as a sentence, a table row, a configuration key or an
 * import. What reads files makes statements; what finds evidence judges them. Data alone.
 */

/**
 * Forms of statements. `dependency`: an entry of a manifest. `setting`: a configuration key. `constant`: a named
 * constant of code. `sentence`: prose of a document, `row`: a row of its tables. `code`: a line of code that is nothing
 * else, `comment`: a comment of code or document, `title`: a heading.
 */
export type StatementForm =
  | 'dependency'
  | 'setting'
  | 'constant'
  | 'import'
  | 'sentence'
  | 'row'
  | 'title'
  | 'comment'
  | 'code';

export interface Statement {
  readonly form: StatementForm;
  /** The number of the first line, from 1. */
  readonly line: number;
  /** The text to show, with wrapped lines joined. */
  readonly text: string;
  /** The headings above, or the path of the key. They state the subject, which the text need not repeat. */
  readonly about: string;
  /** The name of a key, constant, dependency or module; empty for other forms. */
  readonly name: string;
  /** The value of a key or constant, the version of a dependency; empty for other forms. */
  readonly value: string;
  /** The heads of the columns of a table's row, whose cells are joined by ` | ` in the text. */
  readonly columns?: readonly string[];
}

/** Adjacent statements that are searched as one text. */
export interface Passage {
  readonly statements: readonly Statement[];
  /** The text to search. */
  readonly text: string;
}
