/** Which keys of `on` count as misspellings of a declared event, and which do not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMisspelt } from '../../../src/actors/model/event-keys.ts';

describe('a key counts as a misspelling of an event', () => {
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

describe('a key does not count as a misspelling of an event', () => {
  it.each([
    ['tick1', 'tick2', 'digits'],
    ['order.placed', 'order.place', 'a different ending'],
    ['items', 'item', 'a different ending'],
    ['block.open', 'flock.open', 'a different first letter'],
    ['stop', 'step', 'a short word'],
    ['read', 'road', 'a short word'],
    ['order.place', 'order.cancel', 'a different word'],
    ['ordre.palce', 'order.place', 'two slips'],
    ['order.place.now', 'order.place', 'an extra word'],
    ['same', 'same', 'no difference'],
  ])('%s for %s: %s', (key, meant) => expect(isMisspelt(key, meant)).toBe(false));

  it('the comparison is symmetric, except for doubled letters', () => {
    const word = fc.stringMatching(/^[a-c]{3,7}(\.[a-c]{5,6})?$/);
    fc.assert(
      fc.property(
        word,
        word,
        (one, other) =>
          isMisspelt(one, other) === isMisspelt(other, one) ||
          one.replace(/(.)\1+/g, '$1') === other.replace(/(.)\1+/g, '$1'),
      ),
    );
  });
});
