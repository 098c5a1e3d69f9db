/** The rows of an epoch, packed. */
import { describe, expect, it } from 'vitest';
import { type RowKey } from '../../src/actors/model/ports.ts';
import { ByteReader } from '../../src/persistence/format/bytes.ts';
import { readRows, RowPacker } from '../../src/persistence/format/rows.ts';

const packer = new RowPacker((row) => {
  // As the codec hands it over: somewhere in a buffer that the next value is written over.
  const bytes = Buffer.from(`--${String(row)}`);
  return { bytes, start: 2, end: bytes.length };
});
const rows = (...entries: readonly (readonly [string, unknown])[]) =>
  new Map(entries as readonly (readonly [RowKey, unknown])[]);
const texts = (values: readonly (Uint8Array | null)[]) => values.map((value) => value && Buffer.from(value).toString());

describe('packed rows', () => {
  it('are read back in order, and returned as they were packed', () => {
    const { bytes, keys, values } = packer.pack(rows(['m!1', 'hello'], ['m!0', null], ['d!s', '']), rows());
    expect([keys, texts(values)]).toEqual([
      ['m!1', 'm!0', 'd!s'],
      ['hello', null, ''],
    ]);
    const read = readRows(new ByteReader(bytes));
    expect([[...read.keys()], texts([...read.values()])]).toEqual([keys, texts(values)]);
  });

  it('stay valid while the next rows are packed', () => {
    const { values } = packer.pack(rows(['m!1', 'first']), rows());
    packer.pack(rows(['m!2', 'other'], ['m!3', 'others']), rows());
    expect(texts(values)).toEqual(['first']);
  });

  it('are written in their stored form, and a deletion wins over a stored form', () => {
    const { values } = packer.pack(
      rows(['i!1', 'legible'], ['i!2', null], ['i!3', 'legible']),
      rows(['i!1', 'hidden'], ['i!2', 'hidden']),
    );
    expect(texts(values)).toEqual(['hidden', null, 'legible']);
  });

  it('take no bytes if there are none', () => {
    expect(packer.pack(rows(), rows()).bytes).toHaveLength(0);
  });

  it('refuse keys that are not printable ASCII', () => {
    for (const key of ['a!\n', 'a!ä']) expect(() => packer.pack(rows([key, 1]), rows())).toThrow('printable ASCII');
  });
});
