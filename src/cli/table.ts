/** Rows as columns of text, for people. */

/**
 * @param lines The first one is the head. Each as many cells.
 * @param style `numbersFrom`: the column from which on cells stand on the right. Default: none does.
 */
export function tableText(lines: readonly (readonly string[])[], { numbersFrom = Infinity } = {}): string {
  // Not by Math.max of them all: a plan has more tasks than a call may have arguments.
  const widths = lines[0]!.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[column]!.length), 0),
  );
  const padded = (cell: string, column: number) =>
    column < numbersFrom ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((cells) => `${cells.map(padded).join('  ').trimEnd()}\n`).join('');
}

export type Facts = readonly (readonly [name: string, value: string | number | null])[];

/** Facts one under the other; what is null is left out. */
export function factsText(facts: Facts): string {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${value!}\n`).join('');
}
