/**
 * Makes foreign text safe to show: nothing in it moves a cursor, colours a screen, changes the direction of writing or
 * begins a line of its own. Replaced characters stay visible, as `\u001b`, which JSON reads as the original.
 */

/** C0 except line feed and tab, DEL and C1, line and paragraph separators, and marks of the direction of writing. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]+/;

/** Replaces control characters in a text, except line feeds and tabs, by visible escapes. */
export function plainText(text: string): string {
  return text.toWellFormed().replace(CONTROL, visible);
}

/** Joins the lines of a text and replaces its control characters by visible escapes. */
export function plainLine(text: string): string {
  const parts = text.split(LINE_ENDS).map((part) => part.trim());
  return plainText(parts.filter((part) => part !== '').join(' ')).replaceAll('\t', ' ');
}

function visible(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
