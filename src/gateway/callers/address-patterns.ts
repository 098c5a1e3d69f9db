/**
 * Patterns of addresses: `orders/*` matches every actor one level below `orders`, `orders/**` matches `orders` and
 * everything below it, `**` matches everything. A star stands for a whole segment. Matching uses no regular expression
 * and takes at most pattern length times address length.
 */

const SEGMENT = /^([A-Za-z0-9\-_.:@+~%]+|\*|\*\*)$/;

export function isPattern(text: string): boolean {
  const segments = text.split('/');
  return (
    segments.length <= 16 &&
    segments.every((segment) => segment.length <= 128 && SEGMENT.test(segment)) &&
    segments.filter((segment) => segment === '**').length <= 2
  );
}

export function matches(pattern: string, address: string): boolean {
  return matchesFrom(pattern.split('/'), address.split('/'));
}

export function matchesAny(patterns: readonly string[], address: string): boolean {
  // Most callers may reach everything; splitting both texts would cost more than the rest of a call's checks.
  return patterns.some((pattern) => pattern === '**' || matches(pattern, address));
}

function matchesFrom([first, ...pattern]: readonly string[], address: readonly string[]): boolean {
  if (first === undefined) return address.length === 0;
  if (first === '**')
    return address.some((_, index) => matchesFrom(pattern, address.slice(index))) || matchesFrom(pattern, []);
  return address.length > 0 && (first === '*' || first === address[0]) && matchesFrom(pattern, address.slice(1));
}
