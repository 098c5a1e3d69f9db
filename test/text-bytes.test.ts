/** Bytes of text in UTF-8. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTextOver, textBytes } from '../src/text-bytes.ts';

const unit = fc.constantFrom('x', '\x7f', '\x80', '\u07ff', '\u0800', '漢', '\uffff', '😀', '\ud83d', '\ude00');
const text = fc.oneof(
  fc.string({ unit, maxLength: 24 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ maxLength: 100 }),
);

describe('bytes of text', () => {
  it('B6: are those of its UTF-8, in which half a surrogate pair is U+FFFD', () => {
    expect(['', 'x', 'é', '漢', '😀', '\ud83d', '\ude00\ud83d'].map(textBytes)).toEqual([0, 1, 2, 3, 4, 3, 6]);
    fc.assert(
      fc.property(text, (one) => {
        expect(textBytes(one)).toBe(new TextEncoder().encode(one).length);
      }),
    );
  });

  it('B6: are over a bound from one byte above it', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -3, max: 3 }), (one, off) => {
        const bytes = new TextEncoder().encode(one).length;
        expect(isTextOver(one, bytes + off)).toBe(off < 0);
      }),
    );
  });
});
