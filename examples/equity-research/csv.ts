/**
 * Reads comma-separated text strictly: RFC 4180 quoting, one record a line, every record as wide as the header.
 * It knows no column; `figures.ts` gives the cells their meaning. Anything odd is an error that names its line.
 */

/** A record with the line it came from, so that later complaints can name it too. */
export interface CsvRecord {
  /** Line in the file, the header being line 1. */
  readonly line: number;
  /** Cell text by column name. Empty cells are empty strings. */
  readonly cells: Readonly<Record<string, string>>;
}

/** A file that is not what it promises to be. The message starts with `file:line:`. */
export class CsvError extends Error {
  override readonly name = 'CsvError';

  /**
   * @param fileName As it should appear in the message.
   * @param line From 1.
   */
  constructor(fileName: string, line: number, problem: string) {
    super(`${fileName}:${line}: ${problem}`);
  }
}

/**
 * Parses the whole text.
 *
 * @param columns The header that the file must have, in order.
 * @returns The records in file order. A newline at the end of the file is fine, an empty line elsewhere is not.
 * @throws CsvError at the first problem.
 */
export function parseCsv(text: string, fileName: string, columns: readonly string[]): CsvRecord[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  checkHeader(lines[0], fileName, columns);
  return lines.slice(1).map((content, index) => {
    const line = index + 2;
    const values = splitLine(content, fileName, line);
    if (values.length !== columns.length) {
      throw new CsvError(fileName, line, `expected ${columns.length} cells, found ${values.length}`);
    }
    return { line, cells: Object.fromEntries(columns.map((column, position) => [column, values[position] ?? ''])) };
  });
}

function checkHeader(content: string | undefined, fileName: string, columns: readonly string[]): void {
  if (content === undefined) throw new CsvError(fileName, 1, 'the file is empty');
  const found = splitLine(content, fileName, 1);
  const width = Math.max(found.length, columns.length);
  for (let position = 0; position < width; position += 1) {
    if (found[position] !== columns[position]) {
      const wanted = columns[position] ?? 'no further column';
      throw new CsvError(fileName, 1, `column ${position + 1} is "${found[position] ?? ''}", expected "${wanted}"`);
    }
  }
}

/** One cell: quoted (a doubled quote is a quote) or bare (no quotes at all), up to a comma or the end. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

function splitLine(content: string, fileName: string, line: number): string[] {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(content);
    if (match === null) throw new CsvError(fileName, line, `misplaced quote in cell ${cells.length + 1}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return cells;
  }
}
