/** Foreign text, made safe for a terminal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainLine, plainText } from '../src/plain-text.ts';
import { LONG } from './support/effort.ts';

describe('plain text', () => {
  it.each([
    ['an escape sequence', '\u001b[2Jgone', '\\u001b[2Jgone'],
    ['a title of a terminal', '\u001b]0;mine\u0007', '\\u001b]0;mine\\u0007'],
    ['C1 and DEL', '\u009b31m\u007f', '\\u009b31m\\u007f'],
    ['text with changed direction', 'a\u202eb\u2066c\u200fd', 'a\\u202eb\\u2066c\\u200fd'],
    ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
  ])('makes %s visible or harmless', (_, text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it('can be reduced to one line', () => {
    const text = ' first\r\n\n  second\tthird\u2028fourth \u0085';
    expect(plainLine(text)).toBe('first second third fourth');
    expect(plainText('a\n\tb')).toBe('a\n\tb');
  });

  it('is not changed a second time, and keeps the value of JSON text', LONG, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plainText(plainText(text))).toBe(plainText(text));
        expect(plainLine(text)).not.toMatch(/\p{Cc}/u);
        expect(JSON.parse(plainText(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});
