/**
 * The head of an agent file in Markdown: fields between two lines of dashes. Read more leniently than YAML, because
 * many such files are none: a description goes on after a second colon, or holds tags and quotation marks. Pure.
 */

/** A file whose text is at hand. */
export interface AgentFile {
  /** The path as the user knows it. */
  readonly file: string;
  readonly text: string;
}

/** A problem of a file, with its line, from 1. */
export interface FileProblem {
  readonly line: number;
  /** The fault, and how to correct it. */
  readonly message: string;
}

/** A field of the front matter. */
export interface Field {
  readonly line: number;
  readonly value: string;
}

/** The front matter and the body of a file. */
export interface Parts {
  readonly fields: ReadonlyMap<string, Field>;
  readonly body: string;
}

const FENCE = /^---\s*$/;
/** Matches the start of a field, at the first column. Lines of a conversation in a description do not count. */
const FIELD = /^(?!(?:user|assistant|context|commentary|examples?|note)\s*:)([A-Za-z][\w-]*)\s*:(?:\s+(.*))?$/i;
const CURE = 'begin the file with ---, lines "name: ..." and "description: ...", and --- again';

/** Splits a file into the fields of its front matter and its body. */
export function partsOf(text: string): Parts | FileProblem {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return { line: 1, message: `the file is empty: ${CURE}` };
  if (!FENCE.test(lines[first]!)) return { line: first + 1, message: `there are no fields at the top: ${CURE}` };
  const end = lines.findIndex((line, index) => index > first && FENCE.test(line));
  if (end === -1) return { line: first + 1, message: 'the fields do not end: add a line of --- behind them' };
  return {
    fields: fieldsIn(lines.slice(first + 1, end), first + 2),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

/**
 * The fields of the front matter.
 *
 * @param from The number of the first line.
 */
function fieldsIn(lines: readonly string[], from: number): ReadonlyMap<string, Field> {
  const fields = new Map<string, { line: number; rows: string[] }>();
  let open: { line: number; rows: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name !== undefined && !fields.has(name)) {
      open = { line: from + index, rows: [value] };
      fields.set(name, open);
    } else open?.rows.push(line.trim());
  }
  return new Map([...fields].map(([name, { line, rows }]) => [name, { line, value: valueOf(rows) }]));
}

/** The value of a field: plain, in quotes, or a block behind `|` or `>`. */
function valueOf([head = '', ...rest]: readonly string[]): string {
  const isBlock = /^[|>][+-]?\d?$/.test(head.trim());
  const joined = (isBlock ? rest : [head, ...rest]).join('\n').trim();
  if (joined.length > 1 && joined.startsWith('"') && joined.endsWith('"')) return unquoted(joined);
  if (joined.length > 1 && joined.startsWith("'") && joined.endsWith("'"))
    return joined.slice(1, -1).replaceAll("''", "'");
  // An escaped line end in a value without quotes is meant as one.
  return joined.replaceAll('\\n', '\n').trim();
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text.replaceAll('\n', '\\n')));
  } catch {
    return text.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  }
}
