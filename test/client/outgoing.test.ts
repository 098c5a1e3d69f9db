/** Parameters of calls, which are refused before they are queued if no gateway takes them. */
import { expect, it } from 'vitest';
import { PARAMS_BYTES_MAX } from '../../src/client/bounds.ts';
import { copied } from '../../src/client/outgoing.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../support/text-of-bytes.ts';

const AROUND_BYTES = JSON.stringify({ a: '' }).length;

it.each(WIDE_CHARACTERS)(
  'B6: parameters of %s have at most PARAMS_BYTES_MAX bytes as JSON, keys included',
  (character) => {
    const text = (bytes: number) => textOfBytes(bytes - AROUND_BYTES, character);
    expect(copied({ a: text(PARAMS_BYTES_MAX) })).toEqual({ a: text(PARAMS_BYTES_MAX) });
    const refusal = `the call holds more than ${PARAMS_BYTES_MAX} bytes`;
    expect(() => copied({ a: text(PARAMS_BYTES_MAX + 1) })).toThrow(refusal);
    expect(() => copied({ [`a${text(PARAMS_BYTES_MAX + 1)}`]: '' })).toThrow(refusal);
  },
);
