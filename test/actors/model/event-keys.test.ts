/** Which names are taken for misspelt ones, and which are not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMisspelt } from '../../../src/actors/model/event-keys.ts';

describe('a key is taken for another misspelt', () => {
  it.each([
    ['order.Place', 'order.place'],
    ['orderPlace', 'order.place'],
    ['ORDER_PLACE', 'order.place'],
    ['order.palce', 'order.place'],
    ['order.plce', 'order.place'],
    ['ordr.place', 'order.place'],
    ['order.plaxce', 'order.place'],
    ['order.plice', 'order.place'],
    ['submitt', 'submit'],
  ])('%s for %s', (key, meant) => expect(isMisspelt(key, meant)).toBe(true));
});

describe('a key is not taken for another', () => {
  it.each([
    ['tick1', 'tick2', 'digits'],
    ['order.placed', 'order.place', 'an end'],
    ['items', 'item', 'an end'],
    ['block.open', 'flock.open', 'a beginning'],
    ['stop', 'step', 'a short word'],
    ['read', 'road', 'a short word'],
    ['order.place', 'order.cancel', 'another word'],
    ['ordre.palce', 'order.place', 'two slips'],
    ['order.place.now', 'order.place', 'a word more'],
    ['same', 'same', 'no difference'],
  ])('%s for %s: %s', (key, meant) => expect(isMisspelt(key, meant)).toBe(false));

  it('whichever of the two is asked about, but for a doubled end', () => {
    const word = fc.stringMatching(/^[a-c]{3,7}(\.[a-c]{5,6})?$/);
    fc.assert(
      fc.property(
        word,
        word,
        (one, other) =>
          isMisspelt(one, other) === isMisspelt(other, one) ||
          one.replace(/(.)\1/g, '$1') === other.replace(/(.)\1/g, '$1'),
      ),
    );
  });
});
