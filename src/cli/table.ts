/** Text tables for people: each row on one line, whatever its values contain. */
import { plainLine } from '../plain-text.ts';

/**
 * A table as text.
 *
 * @param rows The rows, the head first; all have the same number of cells.
 * @param style `numbersFrom`: index of the first right-aligned column. Default: none.
 */
export function tableText(rows: readonly (readonly string[])[], { numbersFrom = Infinity } = {}): string {
  const lines = rows.map((cells) => cells.map(plainLine));
  // Not Math.max(...): a plan may have more tasks than a call may have arguments.
  const widths = lines[0]!.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[column]!.length), 0),
  );
  const padded = (cell: string, column: number) =>
    column < numbersFrom ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((cells) => `${cells.map(padded).join('  ').trimEnd()}\n`).join('');
}

export type Facts = readonly (readonly [name: string, value: string | number | null])[];

/** Facts as text, one per line; those that are null are left out. */
export function factsText(facts: Facts): string {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${plainLine(String(value))}\n`).join('');
}
