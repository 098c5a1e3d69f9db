/**
 * Titles of tests, read from their sources. A `describe` names the subject, an `it` says in the present tense what the
 * subject does. What can be checked of that is the first word: a preposition, a relative pronoun or a conjunction has
 * lost its noun.
 */
import ts from 'typescript';
import { ROWS_OF_TITLE } from './requirement-rows.ts';

/** First words of an `it` without a subject: `of two turns is written`, `that fails is tried again`. */
const HEADLESS_RULES: ReadonlySet<string> = new Set(
  (
    'about after against and as at because before below beside between beyond but by else for from in it ' +
    'its of on once or over should since that those through to under until what whatever when where ' +
    'which whichever while who whoever whose with within without'
  ).split(' '),
);

/** First words of a `describe` that is no noun phrase: `what is kept`, `where nothing runs`. */
const HEADLESS_SUBJECTS: ReadonlySet<string> = new Set(
  (
    'and as at beside by for from how in of on or over that those to what whatever when where while who whoever ' +
    'whose with without'
  ).split(' '),
);

const ROWS = new RegExp(`^${ROWS_OF_TITLE.source}`);

/** A string in brackets that begins with one of the words; only files that have one need a tree. */
const SUSPECT = new RegExp(
  `\\(\\s*['"\`](?:[A-Z]{2}-[^:]+: )?(?:${[...HEADLESS_RULES, ...HEADLESS_SUBJECTS].join('|')})\\b`,
);

/** The places of titles that do not begin with their subject or with a verb, as `line: title`. */
export function headlessTitles(path: string, text: string): string[] {
  if (!SUSPECT.test(text)) return [];
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const kind = ts.isCallExpression(node) ? kindOf(node.expression) : undefined;
    const argument = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (kind !== undefined && argument !== undefined) {
      const title = beginningOf(argument);
      const words = kind === 'describe' ? HEADLESS_SUBJECTS : HEADLESS_RULES;
      const [first = ''] = title.replace(ROWS, '').split(/[ ,:;]/);
      if (words.has(first))
        found.push(`${path}:${tree.getLineAndCharacterOfPosition(argument.getStart()).line + 1}: ${title}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Whether an expression is `describe`, `it` or `test`, or a variant such as `it.each(table)`. */
function kindOf(expression: ts.Expression): 'describe' | 'it' | undefined {
  if (ts.isIdentifier(expression)) {
    if (expression.text === 'describe') return 'describe';
    return ['it', 'test'].includes(expression.text) ? 'it' : undefined;
  }
  // `it.each(table)`; the table itself is no title.
  const isVariant = ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression);
  return isVariant ? kindOf(expression.expression.expression) : undefined;
}

/** The text of a title as far as its first literal goes; empty for a title that is computed. */
function beginningOf(title: ts.Expression): string {
  if (ts.isBinaryExpression(title)) return beginningOf(title.left);
  if (ts.isTemplateExpression(title)) return title.head.text;
  return ts.isStringLiteralLike(title) ? title.text : '';
}
