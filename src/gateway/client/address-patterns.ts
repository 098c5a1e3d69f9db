/**
 * Patterns of addresses: `orders/*` is every actor one level below `orders`, `orders/**` everything below it and it
 * too, `**` everything. A star stands for a whole segment. Matching takes no regular expression and no more than
 * pattern times address.
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
  // Most callers may reach everything; taking both apart costs more than the rest of the check of a call.
  return patterns.some((pattern) => pattern === '**' || matches(pattern, address));
}

function matchesFrom([first, ...pattern]: readonly string[], address: readonly string[]): boolean {
  if (first === undefined) return address.length === 0;
  if (first === '**')
    return address.some((_, index) => matchesFrom(pattern, address.slice(index))) || matchesFrom(pattern, []);
  return address.length > 0 && (first === '*' || first === address[0]) && matchesFrom(pattern, address.slice(1));
}
