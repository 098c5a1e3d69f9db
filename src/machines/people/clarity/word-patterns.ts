/** Builders of patterns from lists of words, for the rules that read questions and replies. Pure. */

/** Any of the given patterns, which may themselves be lists. */
export function anyOf(...patterns: readonly string[]): string {
  return `(?:${patterns.join('|')})`;
}

/** A pattern that matches any of these as whole words. */
export function words(...patterns: readonly string[]): string {
  return `\\b${anyOf(...patterns)}\\b`;
}

/** A pattern that matches a whole text, apart from punctuation. */
export function alone(...patterns: readonly string[]): string {
  return `^\\W*${anyOf(...patterns)}\\W*$`;
}

/** A pattern that matches exactly this text. */
export function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
