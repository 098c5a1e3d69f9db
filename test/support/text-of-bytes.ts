/** Texts of a wanted size in bytes, by characters that take more than one byte each. */

/** Characters of two, three and four bytes in UTF-8; the last takes two UTF-16 units. */
export const WIDE_CHARACTERS = ['é', '漢', '😀'] as const;

/** A text of exactly so many bytes, of one character as far as it goes. */
export function textOfBytes(bytes: number, character: string): string {
  const each = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / each)) + 'x'.repeat(bytes % each);
}
