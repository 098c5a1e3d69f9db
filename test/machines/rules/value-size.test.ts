/** The estimate of a value's size by which orders and answers are refused, in bytes of UTF-8. */
import { describe, expect, it } from 'vitest';
import { DESK_ORDER_BYTES_MAX, GATE_ANSWER_BYTES_MAX, GATE_TIMEOUT_BYTES_MAX } from '../../../src/machines/limits.ts';
import { gateAnswer } from '../../../src/machines/people/gates/gate.ts';
import { fits } from '../../../src/machines/rules/value-size.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';

/** Bytes assumed for each value besides its parts. */
const VALUE_BYTES = 9;

describe.each(WIDE_CHARACTERS)('a text of %s', (character) => {
  it.each([
    ['DESK_ORDER_BYTES_MAX', DESK_ORDER_BYTES_MAX],
    ['GATE_ANSWER_BYTES_MAX', GATE_ANSWER_BYTES_MAX],
    ['GATE_TIMEOUT_BYTES_MAX', GATE_TIMEOUT_BYTES_MAX],
  ])('B6: fits into %s to the byte, as a value, an item or a key', (_, bytesMax) => {
    const text = (around: number, bytes: number) => textOfBytes(bytes - around, character);
    const fitting = (bytes: number) => [
      fits(text(VALUE_BYTES, bytes), bytesMax),
      fits([text(2 * VALUE_BYTES, bytes)], bytesMax),
      fits({ [text(3 * VALUE_BYTES, bytes)]: null }, bytesMax),
      fits(new Map([[1, text(3 * VALUE_BYTES, bytes)]]), bytesMax),
    ];
    expect(fitting(bytesMax)).toEqual([true, true, true, true]);
    expect(fitting(bytesMax + 1)).toEqual([false, false, false, false]);
  });

  it('B6: is taken as the answer to a gate up to its bound in bytes', () => {
    const isTaken = (bytes: number) =>
      gateAnswer.safeParse({ gate: 'q', by: 'ada', answer: textOfBytes(bytes - VALUE_BYTES, character) }).success;
    expect([isTaken(GATE_ANSWER_BYTES_MAX), isTaken(GATE_ANSWER_BYTES_MAX + 1)]).toEqual([true, false]);
  });
});

it('B6: half a surrogate pair has the three bytes of U+FFFD', () => {
  expect([fits('\ud83d', VALUE_BYTES + 3), fits('\ud83d', VALUE_BYTES + 2)]).toEqual([true, false]);
});
