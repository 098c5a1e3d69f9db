/** The nearest known name to one that is not known: the suggestion in an error about a misspelt name. Pure. */

export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** The known name that is fewest slips of the hand away, the first of several; undefined where none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let limit = Math.min(3, Math.floor(name.length / 3)); // one slip in three: shorter names are near to everything
  let nearest: string | undefined;
  for (const candidate of known) {
    const slips = slipsBetween(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (slips > limit) continue;
    nearest = candidate;
    limit = slips - 1; // only something nearer will do
  }
  return nearest;
}

/**
 * Characters to add, drop, change or swap with a neighbour (optimal string alignment); any number above `limit` once it
 * must be.
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
