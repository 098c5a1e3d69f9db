/** The three Markdown forms that the report is made of. They know nothing of its content. */

/**
 * A table; the first column is left-aligned, numbers to the right of it are right-aligned.
 *
 * @param header One text per column; `rows` have the same width.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = header.map((_, index) => (index === 0 ? '---' : '---:'));
  return lines([header, rule, ...rows]);
}

/** A table of words: every column is left-aligned. */
export function wordTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return lines([header, header.map(() => '---'), ...rows]);
}

/** A bullet list. */
export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
