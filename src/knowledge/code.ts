/**
 * Code to statements: imports, named constants and comments, in the languages that repositories are mostly written in.
 * It reads lines by their form and parses no language. Pure.
 */
import { ABOUT_CHARS_MAX, CODE_LINE_CHARS_MAX, STATEMENT_CHARS_MAX } from './limits.ts';
import { type Statement, type StatementForm } from './statement.ts';

/** Matches lines that may import a module; most do not. */
const MAY_IMPORT = /^(?:#|(?:export|from|pub|use|using)\b)|\b(?:require|import)/;

/** Patterns of lines that import modules. The first group is the module. */
const IMPORTS: readonly RegExp[] = [
  /^(?:import|export)\b.*\bfrom\s*['"]([^'"]+)['"]/,
  /^import\s*['"]([^'"]+)['"]/,
  /\brequire\(\s*['"]([^'"]+)['"]\s*\)/,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/,
  /^from\s+([\w.]+)\s+import\b/,
  /^import\s+(?:static\s+)?([\w.]+)(?:\s*;)?(?:\s*\bas\s+\w+)?$/,
  /^(?:pub\s+)?use\s+([\w:]+)/,
  /^using\s+([\w.]+)\s*;/,
  /^require(?:_once)?\s*(?:\(\s*)?['"]([^'"]+)['"]/,
  /^#\s*include\s*[<"]([^>"]+)[>"]/,
];

/** Matches a line of a block `import ( ... )`. */
const IN_IMPORT_BLOCK = /^(?:[\w.]+\s+)?"([^"]+)"$/;

/** Patterns of what stands before the `=` of a constant or a setting in code. The first group is the name. */
const CONSTANTS: readonly RegExp[] = [
  /^(?:public\s+|private\s+|protected\s+)?static\s+final\s+[\w<>[\].]+\s+(\w+)$/,
  new RegExp(
    String.raw`^(?:export\s+)?(?:public\s+|private\s+|protected\s+|internal\s+|pub(?:\(\w+\))?\s+)?(?:static\s+)?` +
      String.raw`(?:final\s+)?(?:const|val|static|readonly|define)\s+(?!\w+\s+extends\b)(?:\w+\s+)??` +
      String.raw`([\w$]+)(?:\s*:.+|\s+[\w.]+)?$`,
  ),
  /^([A-Z][A-Z0-9_]{2,})(?:\s*:\s*\w+)?\s*:?$/,
  /^([a-z]\w*)(?:\s*:\s*\w+)?$/,
];
/** Matches lines that may define a constant. */
const MAY_DEFINE = /=|^#define/;
const DEFINE = /^#define\s+(\w+)\s+(.+)$/;

/** Matches a key of a map or an option: `timeout: 30,`, `'page_max' => 250,`. */
const PAIR = /^['":]?([A-Za-z_][\w-]*)['"]?\s{0,20}(?:=>|:)\s{1,20}(\S.*)$/;

/** Matches a call that sets one value, and a key whose value is within lists: `minBound(75)`, `limits: [lines: 80]`. */
const SETTER = /^\.?([A-Za-z_]\w*)\(\s{0,9}(-?\d[\w.]*|true|false)\s{0,9}\)[,;]?$/;
const NESTED = new RegExp(
  String.raw`^['":]?(\w[\w-]*)['"]?(?:\s{0,9}(?:=>|:|=)\s{0,9}[[{(]\s{0,9}['":]?\w[\w-]*['"]?){1,3}` +
    String.raw`\s{0,9}(?:=>|:|=)\s{0,9}(\d[\w.]*)\s{0,9}[\])}]{1,3},?$`,
);

/** Matches lines that open a block, which says what stands in it. */
const OPENS = /(?:[[({,]|\bdo|->|=>)$/;

/** Matches a text in quotes, and what may stand behind it. */
const QUOTED = /^(?:"([^"]*)"|'([^']*)'|`([^`$]*)`)(?:\s+as const)?\s*[,;]{0,2}\s*(?:$|\/\/|#|\/\*)/;
/** Matches the comment behind a value that is no text. */
const COMMENT_BEHIND = /\/\/|\s#|\/\*/;
const LITERAL = /^(?:-?\d[\d_]*(?:\.[\d_]+)?(?:\s*(?:<<|\*)\s*\d[\d_]*)*(?:[A-Za-z]\w*)?|true|false|True|False)$/;
/** Matches calls that make a duration. No other call counts as a value. */
const SPAN = /^(?:[\w:]*Duration::from_\w+\(\d[\d_]*\)|\d[\d_]* \* time\.\w+)$/;
const COMMENT = /^(?:\/\/|#(?!\s*(?:include|define|\[))|\/\*|\*|--\s|;|"""|''')/;

/** Most blocks around a line of which one is told, and characters of the line that opens one. */
const BLOCKS_MAX = 8;
const BLOCK_CHARS_MAX = 60;

/** Reads a file of code. */
export function statementsOfCode(text: string): Statement[] {
  const statements: Statement[] = [];
  let isImportBlock = false;
  /** The mark that ends a comment or documentation of several lines. */
  let end: string | undefined;
  /** The comment directly above, which describes the constant. */
  let above = '';
  const blocks = new Blocks();
  text.split(/\r?\n/).forEach((whole, index) => {
    const line = index + 1;
    const shown = whole.trim();
    if (end !== undefined || COMMENT.test(shown)) {
      if (shown !== '') statements.push(of('comment', line, shown));
      if (above.length < ABOUT_CHARS_MAX) above += `${above === '' ? '' : ' '}${shown.slice(0, ABOUT_CHARS_MAX)}`;
      end = endOfComment(shown, end);
      return;
    }
    if (shown === '') {
      above = '';
      return;
    }
    const about = `${above} ${blocks.around(whole, shown)}`.trim().slice(0, ABOUT_CHARS_MAX);
    above = '';
    if (/^import\s*\($/.test(shown)) isImportBlock = true;
    else if (isImportBlock && shown === ')') isImportBlock = false;
    const module = isImportBlock ? IN_IMPORT_BLOCK.exec(shown)?.[1] : importIn(shown);
    if (module !== undefined) statements.push(of('import', line, shown, module));
    else {
      const constant = constantIn(shown, line);
      statements.push(constant === undefined ? of('code', line, shown) : { ...constant, about });
    }
  });
  return statements;
}

function importIn(line: string): string | undefined {
  if (line.length > CODE_LINE_CHARS_MAX || !MAY_IMPORT.test(line)) return undefined;
  for (const pattern of IMPORTS) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The blocks around a line by their indentation: a class, a function, a section of a configuration. */
class Blocks {
  readonly #open: { readonly indent: number; readonly text: string }[] = [];

  /** The lines that open the blocks around this one. Opens a block if this line does. */
  around(whole: string, shown: string): string {
    const indent = whole.length - whole.trimStart().length;
    while (this.#open.length > 0 && this.#open.at(-1)!.indent >= indent) this.#open.pop();
    const around = this.#open.map(({ text }) => text).join(' ');
    if (this.#open.length < BLOCKS_MAX && OPENS.test(shown))
      this.#open.push({ indent, text: shown.slice(0, BLOCK_CHARS_MAX) });
    return around;
  }
}

function constantIn(shown: string, line: number): Statement | undefined {
  if (shown.length > CODE_LINE_CHARS_MAX) return undefined;
  const [, key, paired] = PAIR.exec(shown) ?? [];
  const pair = key === undefined ? undefined : valueIn(paired!);
  if (pair !== undefined) return of('constant', line, shown, key, pair);
  const [, set, single] = SETTER.exec(shown) ?? NESTED.exec(shown) ?? [];
  if (set !== undefined) return of('constant', line, shown, set, single);
  if (!MAY_DEFINE.test(shown)) return undefined;
  const sign = shown.indexOf('=');
  const [name, given] = DEFINE.exec(shown)?.slice(1) ?? [nameIn(shown.slice(0, sign)), shown.slice(sign + 1)];
  const value = name === undefined ? undefined : valueIn(given!.trim());
  return value === undefined ? undefined : of('constant', line, shown, name, value);
}

function nameIn(before: string): string | undefined {
  const text = before.trimEnd();
  for (const pattern of CONSTANTS) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The value in the text behind a name: a number, a text, a truth or a duration, without a comment behind it. */
function valueIn(given: string): string | undefined {
  const [quoted, ...texts] = QUOTED.exec(given) ?? [];
  if (quoted !== undefined) return texts.find((text) => text !== undefined);
  const comment = given.search(COMMENT_BEHIND);
  const said = (comment === -1 ? given : given.slice(0, comment)).trimEnd().replace(/[,;]{1,2}$/, '');
  const value = said.replace(/ as const$/, '');
  return LITERAL.test(value) || SPAN.test(value) ? value : undefined;
}

/**
 * Finds the end of a comment.
 *
 * @returns The mark that still has to follow after this line; undefined if the comment has ended.
 */
function endOfComment(shown: string, end: string | undefined): string | undefined {
  if (end !== undefined) return shown.includes(end) ? undefined : end;
  for (const [begin, mark] of [
    ['/*', '*/'],
    ['"""', '"""'],
    ["'''", "'''"],
  ] as const) {
    if (shown.startsWith(begin)) return shown.slice(begin.length).includes(mark) ? undefined : mark;
  }
  return undefined;
}

function of(form: StatementForm, line: number, text: string, name = '', value = ''): Statement {
  return { form, line, text: text.slice(0, STATEMENT_CHARS_MAX), about: '', name, value };
}
