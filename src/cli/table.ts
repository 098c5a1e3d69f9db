/** Rows as columns of text, for people. */

/** @param lines The first one is the head. Each as many cells. */
export function tableText(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  return lines
    .map(
      (cells) =>
        `${cells
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export type Facts = readonly (readonly [name: string, value: string | number | null])[];

/** Facts one under the other; what is null is left out. */
export function factsText(facts: Facts): string {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${value!}\n`).join('');
}
