/**
 * Text in charts: its width, how it is shortened, and how it is escaped for XML. A server cannot measure text, so
 * widths are those of the widest font that the style names; everything but names of states is in a fixed-width font.
 */
import { CHART_LINE_CHARS_MAX } from '../limits.ts';

/** Width of a character of the fixed-width font at 11 px: DejaVu Sans Mono, the widest in use, has 0.602 em. */
const FIXED_WIDTH = 6.65;

/** Size of the font of names, 13 px semibold; widths of its characters are in em. */
const NAME_PX = 13;
const NARROW = /[iljtfrI.,:;'|!()[\] ]/;
const BROAD = /[mwMW@%&]/;
const CAPITAL = /[A-Z0-9_]/;

/** Characters of two columns in a fixed-width font: East Asian scripts, and characters beyond the basic plane. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{10000}-\u{10ffff}]/u;

/**
 * Characters that XML 1.0 cannot represent, direction controls, and lone surrogates. Written as escapes, so that this
 * file stays legible.
 */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu;

export function fixedWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 * FIXED_WIDTH : FIXED_WIDTH;
  return width;
}

export function nameWidth(text: string): number {
  let em = 0;
  for (const character of text) {
    if (NARROW.test(character)) em += 0.4;
    else if (BROAD.test(character)) em += 1.05;
    else if (CAPITAL.test(character)) em += 0.78;
    else em += WIDE.test(character) ? 1.3 : 0.68;
  }
  return em * NAME_PX;
}

/** Text on one line, without unprintable characters, of a limited length; shortened text ends in an ellipsis. */
export function shown(text: string, charsMax = CHART_LINE_CHARS_MAX): string {
  const line = text
    .slice(0, 8 * charsMax)
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= charsMax ? line : `${characters.slice(0, charsMax - 1).join('')}\u2026`;
}

/** Text broken at spaces into a limited number of lines. */
export function wrapped(text: string, linesMax: number, charsMax = CHART_LINE_CHARS_MAX): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of shown(text, charsMax * linesMax).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= charsMax) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  const all = [...lines, line];
  return (all.length <= linesMax ? all : [...all.slice(0, linesMax - 1), all.slice(linesMax - 1).join(' ')]).map(
    (part) => shown(part, charsMax),
  );
}

/** Escapes text for elements and for attributes in double quotes. */
export function xml(text: string): string {
  return text
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
    .replace(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}
