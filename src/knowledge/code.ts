/**
 * Code to statements: imports, named constants and comments, in the languages that repositories are mostly written in.
 * It reads lines by their form and parses no language. Pure.
 */
import { type Statement, type StatementForm } from './statement.ts';

/** Patterns of lines that import modules. The first group is the module. */
const IMPORTS: readonly RegExp[] = [
  /^\s*(?:import|export)\b.*\bfrom\s*['"]([^'"]+)['"]/,
  /^\s*import\s*['"]([^'"]+)['"]/,
  /\brequire\(\s*['"]([^'"]+)['"]\s*\)/,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/,
  /^\s*from\s+([\w.]+)\s+import\b/,
  /^\s*import\s+(?:static\s+)?([\w.]+)\s*;?\s*(?:as\s+\w+)?$/,
  /^\s*(?:pub\s+)?use\s+([\w:]+)/,
  /^\s*using\s+([\w.]+)\s*;/,
  /^\s*require(?:_once)?\s*\(?\s*['"]([^'"]+)['"]/,
  /^\s*#\s*include\s*[<"]([^>"]+)[>"]/,
];

/** Matches a line of a block `import ( ... )`. */
const IN_IMPORT_BLOCK = /^\s*(?:[\w.]+\s+)?"([^"]+)"\s*$/;

/**
 * Patterns of constants and settings in code: the name, then its value. A call counts as a value only if it makes a
 * duration.
 */
const CONSTANTS: readonly RegExp[] = [
  /^\s*(?:public\s+|private\s+|protected\s+)?static\s+final\s+[\w<>[\].]+\s+(\w+)\s*=\s*(.+?);\s*$/,
  new RegExp(
    String.raw`^\s*(?:export\s+)?(?:public\s+|private\s+|protected\s+|internal\s+|pub(?:\(\w+\))?\s+)?(?:sta` +
      String.raw`tic\s+)?(?:final\s+)?(?:const|val|static|readonly|define)\s+(?:\w+\s+)??([\w$]+)(?:\s*:\s*[^=` +
      String.raw`]+|\s+[\w.]+)?\s*=\s*(.+?);?\s*$`,
    '',
  ),
  /^\s*([A-Z][A-Z0-9_]{2,})\s*(?::\s*\w+)?\s*:?=\s*(.+?),?\s*$/,
  /^\s*([a-z]\w*)\s*(?::\s*\w+\s*)?=\s*([\d"'`].*?|true|false|True|False),?;?\s*$/,
  /^\s*#define\s+(\w+)\s+(.+?)\s*$/,
];

const LITERAL = /^(?:-?[\d_]+(?:\.\d+)?(?:\s*(?:<<|\*)\s*[\d_]+)*\w*|"[^"]*"|'[^']*'|`[^`$]*`|true|false|True|False)$/;
const SPAN = /^(?:[\w:]*Duration::from_\w+\(\d[\d_]*\)|\d[\d_]* \* time\.\w+)$/;
const COMMENT = /^\s*(?:\/\/|#(?!\s*(?:include|define|\[))|\/\*|\*|--\s|;|"""|''')/;

/** Most characters of a comment that describe a constant. */
const ABOUT_CHARS_MAX = 300;

/** Reads a file of code. */
export function statementsOfCode(text: string): Statement[] {
  const statements: Statement[] = [];
  let isImportBlock = false;
  /** The mark that ends a comment or documentation of several lines. */
  let end: string | undefined;
  /** The comment directly above, which describes the constant. */
  let above: string[] = [];
  text.split(/\r?\n/).forEach((whole, index) => {
    const line = index + 1;
    const shown = whole.trim();
    if (end !== undefined || COMMENT.test(whole)) {
      if (shown !== '') statements.push(of('comment', line, shown));
      above.push(shown);
      end = endOfComment(shown, end);
      return;
    }
    const about = above.join(' ').slice(0, ABOUT_CHARS_MAX);
    above = [];
    if (shown === '') return;
    if (/^\s*import\s*\(\s*$/.test(whole)) isImportBlock = true;
    else if (isImportBlock && shown === ')') isImportBlock = false;
    const module = isImportBlock ? IN_IMPORT_BLOCK.exec(whole)?.[1] : importIn(whole);
    if (module !== undefined) statements.push(of('import', line, shown, module));
    else {
      const constant = constantIn(whole, line);
      statements.push(constant === undefined ? of('code', line, shown) : { ...constant, about });
    }
  });
  return statements;
}

function importIn(line: string): string | undefined {
  for (const pattern of IMPORTS) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function constantIn(whole: string, line: number): Statement | undefined {
  for (const pattern of CONSTANTS) {
    const [, name, given] = pattern.exec(whole) ?? [];
    if (name === undefined || given === undefined) continue;
    const value = given.replace(/\s*(?:\/\/|\s#).*$/, '').replace(/\s+as const$/, '');
    if (!LITERAL.test(value) && !SPAN.test(value)) continue;
    return of('constant', line, whole.trim(), name, value.replaceAll(/^["'`]|["'`]$/g, ''));
  }
  return undefined;
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
  return { form, line, text, about: '', name, value };
}
