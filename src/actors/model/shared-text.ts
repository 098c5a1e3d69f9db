/**
 * Sharing of equal strings: decoded strings are separate copies, so the names of agents and machines would be in memory
 * once for each actor. Only for names that come from code: a shared string stays in memory, and values may be secret.
 */

/** Strings seen last, each in a slot computed from its length and its first, middle and last character. */
const seen: string[] = Array.from({ length: 1_024 }, () => '');

/** Returns an equal string, shared with earlier callers where possible. */
export function shared(text: string): string {
  const { length } = text;
  if (length === 0) return '';
  const mix = text.charCodeAt(0) * 31 + text.charCodeAt(length >> 1) * 7 + text.charCodeAt(length - 1) + length * 131;
  const place = mix % seen.length;
  const known = seen[place]!;
  return known === text ? known : (seen[place] = text);
}
