/**
 * Documents to statements: Markdown and plain text. Sentences that are wrapped are joined and keep the line where they
 * begin; a row of a table is told with its heading; what stands in a comment or a code block is not a sentence. Pure.
 */
import { ABOUT_CHARS_MAX, COLUMNS_MAX, STATEMENT_CHARS_MAX } from './limits.ts';
import { type Statement, type StatementForm } from './statement.ts';

const HEADING = /^ {0,3}(#{1,6})(?:\s+(\S.*))?\s*$/s;
/** Matches the marks that close a heading. */
const HEADING_END = /(?<=\s)#+$/;
const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const ROW = /^\s*\|(.+)\|\s*$/;
const RULE_ROW = /^\s*\|[\s:|-]+\|\s*$/;
/** Matches a heading at the beginning of its paragraph: `**Not chosen.** Everything else.` */
const LABEL = /^\*\*([^*]{2,40}?)[.:]\*\*(?:\s|$)/;

/** Characters of a line `Key: value`, and of its value; a longer one is a sentence with a colon. */
const KEY_LINE_CHARS_MAX = 300;
const KEY_VALUE_CHARS_MAX = 120;

const KEY_VALUE = /^(?:\*\*)?([\p{L}][\p{L}\p{N} _/-]{1,60}?)(?:\*\*)?:(?:\*\*)?\s+(\S.*)$/u;

/** Matches the end of a sentence: before a capital, a digit or a quote, and not after an abbreviation. */
const SENTENCE_END = /(?<=[.!?]["'`)]?)(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.)\s+(?=[\p{Lu}\d"'`*[])/u;

interface Block {
  readonly line: number;
  readonly texts: string[];
}

/** Reads a document into statements. */
export function statementsOfProse(text: string): Statement[] {
  return new ProseReader(text.split(/\r?\n/)).read();
}

class ProseReader {
  readonly #lines: readonly string[];
  readonly #statements: Statement[] = [];
  readonly #trail: string[] = [];
  #block: Block | undefined;
  #columns: readonly string[] | undefined;
  /** The headings above, and the same with the columns of the table: texts that many statements share. */
  #about = '';
  #aboutRow = '';
  #isComment = false;
  #fence: string | undefined;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  read(): Statement[] {
    let from = 0;
    if (this.#lines[0] === '---') from = this.#frontMatter();
    for (let index = from; index < this.#lines.length; index += 1) this.#line(this.#lines[index]!, index + 1);
    this.#endBlock();
    return this.#statements;
  }

  /**
   * Reads the keys before the text.
   *
   * @returns The index of the first line after them.
   */
  #frontMatter(): number {
    const end = this.#lines.indexOf('---', 1);
    if (end === -1) return 0;
    for (let index = 1; index < end; index += 1) this.#keyValue(this.#lines[index]!, index + 1, 'setting');
    return end + 1;
  }

  #line(line: string, number: number): void {
    if (this.#fence !== undefined || FENCE.test(line)) return this.#fenced(line, number);
    if (this.#isComment || /^\s*<!--/.test(line)) return this.#comment(line, number);
    const heading = HEADING.exec(line);
    if (heading !== null) return this.#heading(heading[1]!.length, titleOf(heading[2] ?? ''), number);
    const row = ROW.exec(line);
    if (row !== null) return this.#row(line, row[1]!, number);
    this.#columns = undefined;
    if (line.trim() === '') return this.#endBlock();
    if (/^ {4,}\S/.test(line) && this.#block === undefined) return this.#add('code', line.trim(), number);
    if (ITEM.test(line)) this.#endBlock();
    this.#block ??= { line: number, texts: [] };
    this.#block.texts.push(line.replace(ITEM, '').trim());
  }

  #fenced(line: string, number: number): void {
    this.#endBlock();
    const fence = FENCE.exec(line)?.[1];
    if (this.#fence === undefined) this.#fence = fence;
    else if (fence?.startsWith(this.#fence) === true) this.#fence = undefined;
    else if (line.trim() !== '') this.#add('code', line.trim(), number);
  }

  #comment(line: string, number: number): void {
    this.#endBlock();
    this.#isComment = !line.includes('-->');
    const text = line.replaceAll(/<!--|-->/g, '').trim();
    if (text !== '') this.#add('comment', text, number);
  }

  #heading(level: number, title: string, number: number): void {
    this.#endBlock();
    this.#trail.length = Math.min(this.#trail.length, level - 1);
    this.#about = aboutOf(this.#trail);
    this.#add('title', title, number);
    while (this.#trail.length < level - 1) this.#trail.push('');
    this.#trail.push(title.slice(0, ABOUT_CHARS_MAX));
    this.#about = aboutOf(this.#trail);
  }

  #row(line: string, inner: string, number: number): void {
    this.#endBlock();
    if (RULE_ROW.test(line)) return;
    const cells = inner.split(/(?<!\\)\|/, COLUMNS_MAX).map((cell) => cell.trim().slice(0, STATEMENT_CHARS_MAX));
    if (this.#columns === undefined) {
      this.#columns = cells;
      this.#aboutRow = [this.#about, ...cells].join(' ').slice(0, this.#about.length + ABOUT_CHARS_MAX);
      return;
    }
    const [name = '', value = ''] = cells;
    if (cells.every((cell) => cell === '')) return;
    const text = cells.join(' | ').slice(0, STATEMENT_CHARS_MAX);
    const columns = this.#columns;
    this.#statements.push({ form: 'row', line: number, text, about: this.#aboutRow, name, value, columns });
  }

  #endBlock(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.#block = undefined;
    if (block.texts.length === 1 && this.#keyValue(block.texts[0]!, block.line, 'row')) return;
    const label = LABEL.exec(block.texts[0]!)?.[1];
    const about = this.#about;
    if (label !== undefined) this.#about = aboutOf([...this.#trail, label]);
    this.#sentences(block);
    this.#about = about;
  }

  #sentences(block: Block): void {
    // The offset of each line in the joined text tells where a sentence begins.
    const starts: number[] = [];
    let joined = '';
    for (const text of block.texts) {
      if (joined !== '') joined += ' ';
      starts.push(joined.length);
      joined += text;
    }
    let [at, place] = [0, 0];
    for (const sentence of joined.split(SENTENCE_END)) {
      at = joined.indexOf(sentence, at);
      while (place + 1 < starts.length && starts[place + 1]! <= at) place += 1;
      this.#add('sentence', sentence, block.line + place);
      at += sentence.length;
    }
  }

  /** Reads `Key: value` on a line of its own. */
  #keyValue(text: string, line: number, form: StatementForm): boolean {
    if (text.length > KEY_LINE_CHARS_MAX) return false;
    const [, name, value] = KEY_VALUE.exec(text) ?? [];
    if (name === undefined || value === undefined || value.length > KEY_VALUE_CHARS_MAX) return false;
    this.#statements.push({ form, line, text, about: this.#about, name, value: value.replace(/[.;]$/, '') });
    return true;
  }

  #add(form: StatementForm, text: string, line: number): void {
    // An item or a heading without words.
    if (text === '') return;
    const kept = text.slice(0, STATEMENT_CHARS_MAX);
    this.#statements.push({ form, line, text: kept, about: this.#about, name: '', value: '' });
  }
}

/** The text of a heading without the marks that close it. */
function titleOf(text: string): string {
  const title = text.trimEnd();
  return title.replace(HEADING_END, '').trimEnd() || title;
}

function aboutOf(titles: readonly string[]): string {
  return titles.filter((title) => title !== '').join(' > ');
}
