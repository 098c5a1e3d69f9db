/** Suggestions for misspelt names in errors: the nearest known name. Pure. */

export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** Describes the problem with an unknown key. */
export function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key "${key}"${didYouMean(key, known) || `; the keys here are ${known.join(', ')}`}`;
}

/** The known name with the fewest typing errors, the first of several; undefined if none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let limit = Math.min(3, Math.floor(name.length / 3)); // one slip in three: short names are near to everything
  let nearest: string | undefined;
  for (const candidate of known) {
    const slips = slipsBetween(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (slips > limit) continue;
    nearest = candidate;
    limit = slips - 1; // only a nearer name counts from now on
  }
  return nearest;
}

/**
 * The number of characters to add, drop, change or swap with a neighbour (optimal string alignment); any number above
 * `limit` if it is larger.
 */
function slipsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      // rows are full
      let slips = Math.min(old[j]! + 1, row[j - 1]! + 1, old[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) slips = Math.min(slips, older[j - 2]! + 1);
      row.push(slips);
    }
    if (Math.min(...row) > limit) return limit + 1;
    [older, old] = [old, row];
  }
  return old[b.length]!;
}
