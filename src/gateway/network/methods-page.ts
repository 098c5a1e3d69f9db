/**
 * The methods of a gateway as Markdown: a table with a row for each, and an example of each. It is the middle of
 * docs/protocol.md, and every gateway answers `/methods.md` with its own, procedures of the host included.
 */
import { type z } from 'zod';
import { type NamedRow } from '../calls/method-table.ts';

/** The path of the page. */
export const METHODS_PATH = '/methods.md';

/** The whole page of one gateway. */
export function methodsPage(rows: readonly NamedRow[]): string {
  return (
    '# Methods\n\nBy WebSocket as `{ t: "req", id, m, p }`, by HTTP at the path of the row, by `bosun call` on the ' +
    `command line, by \`call\` of the client.\n\n${methodsText(rows)}`
  );
}

/** The table and the examples. */
export function methodsText(rows: readonly NamedRow[]): string {
  const cells = rows.map(([name, { means, params, http, scope, does }]) => [
    `\`${name}\``,
    fieldsOf(params),
    `\`${http.verb} ${http.path}\``,
    `\`${scope}\``,
    does === 'nothing' ? '' : does,
    means,
  ]);
  const examples = rows.map(
    ([m, { example }]) => `    ${JSON.stringify({ m, p: example.p })}\n    ${JSON.stringify(example.r)}\n`,
  );
  const rowsOfAll = markdownTable(['method', 'parameters', 'HTTP', 'scope', 'does', 'what it does'], cells);
  return `${rowsOfAll}\nAn example each: the call, and \`r\` of its answer.\n\n${examples.join('')}`;
}

/** Names of fields; optional ones have a question mark. */
export function fieldsOf(schema: z.ZodType): string {
  const options = (schema as { options?: readonly z.ZodObject[] }).options ?? [schema as z.ZodObject];
  const named = options.flatMap(({ shape }) =>
    Object.entries(shape).map(
      ([name, field]) => `\`${name}${field.safeParse(undefined).success && name !== 'r' && name !== 'd' ? '?' : ''}\``,
    ),
  );
  return [...new Set(named)].filter((name) => name !== '`t`').join(' ');
}

/** A table of Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
