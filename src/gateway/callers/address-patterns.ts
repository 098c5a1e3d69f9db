/**
 * Patterns of addresses: `orders/*` matches every actor one level below `orders`, `orders/**` matches `orders` and
 * everything below it, `**` matches everything. A star stands for a whole segment. Matching uses no regular expression
 * and takes at most pattern length times address length.
 */
import { type AddressSpan } from '../../actors/model/address.ts';

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

/** The parts of the order of addresses outside of which no address matches any pattern, in order and apart. */
export function spansOf(patterns: readonly string[]): readonly AddressSpan[] {
  const spans = patterns.flatMap(spansOfOne).sort((a, b) => (a.from < b.from ? -1 : 1));
  const apart: AddressSpan[] = [];
  for (const { from, end } of spans) {
    const last = apart.at(-1);
    if (last === undefined || (last.end !== undefined && last.end < from)) apart.push({ from, end });
    else apart[apart.length - 1] = { from: last.from, end: later(last.end, end) };
  }
  return apart;
}

function spansOfOne(pattern: string): AddressSpan[] {
  const segments = pattern.split('/');
  const star = segments.findIndex((segment) => segment === '*' || segment === '**');
  if (star === 0) return [{ from: '', end: undefined }];
  const prefix = segments.slice(0, star < 0 ? undefined : star).join('/');
  // No address sorts between this one and the same with a further character. The one behind the slash is the zero.
  const own = { from: prefix, end: `${prefix}\0` };
  const below = { from: `${prefix}/`, end: `${prefix}0` };
  return star < 0 ? [own] : segments[star] === '*' ? [below] : [own, below];
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || b === undefined ? undefined : a > b ? a : b;
}

function matchesFrom([first, ...pattern]: readonly string[], address: readonly string[]): boolean {
  if (first === undefined) return address.length === 0;
  if (first === '**')
    return address.some((_, index) => matchesFrom(pattern, address.slice(index))) || matchesFrom(pattern, []);
  return address.length > 0 && (first === '*' || first === address[0]) && matchesFrom(pattern, address.slice(1));
}
