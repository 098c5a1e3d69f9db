/**
 * The rows of an epoch as they stand in its section: packed once, and what the fold keeps of them are views into that.
 */
import { type RowKey } from '../actors/model/ports.ts';
import { type ByteReader, ByteWriter } from './bytes.ts';
import type { Span } from './codec.ts';

export interface PackedRows {
  readonly bytes: Uint8Array;
  readonly keys: readonly RowKey[];
  /** In the order of the keys, views into `bytes`; null for the deleted. */
  readonly values: readonly (Uint8Array | null)[];
}

const NO_ROWS: PackedRows = { bytes: new Uint8Array(), keys: [], values: [] };

/** A row: its key, then the length of its value plus one, or zero where it is deleted. */
export class RowPacker {
  readonly #writer = new ByteWriter();
  readonly #encode: (row: unknown) => Readonly<Span>;
  /** Of each value, where it begins; -1 for the deleted. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(encode: (row: unknown) => Readonly<Span>) {
    this.#encode = encode;
  }

  /**
   * @param stored What is written in the place of some of the rows, unless they are deleted. Throws
   *   BOSUN_VALUE_REFUSED.
   */
  pack(rows: ReadonlyMap<RowKey, unknown>, stored: ReadonlyMap<RowKey, unknown>): PackedRows {
    if (rows.size === 0) return NO_ROWS;
    this.#writer.reset();
    this.#starts.length = this.#ends.length = 0;
    const keys: RowKey[] = [];
    for (const [key, row] of rows) {
      keys.push(key);
      this.#pack(key, stored.size === 0 || row === null ? row : (stored.get(key) ?? row));
    }
    const bytes = this.#writer.copy();
    return {
      bytes,
      keys,
      values: keys.map((_, i) => (this.#starts[i] === -1 ? null : bytes.subarray(this.#starts[i], this.#ends[i]))),
    };
  }

  #pack(key: RowKey, row: unknown): void {
    const writer = this.#writer;
    writer.varint(key.length);
    writer.ascii(key);
    if (row === null) {
      writer.varint(0);
      this.#starts.push(-1);
    } else {
      const { bytes, start, end } = this.#encode(row);
      writer.varint(end - start + 1);
      this.#starts.push(writer.length);
      writer.part(bytes, start, end);
    }
    this.#ends.push(writer.length);
  }
}

/** All until the end of the bytes; the values are views into them. */
export function readRows(reader: ByteReader): Map<RowKey, Uint8Array | null> {
  const rows = new Map<RowKey, Uint8Array | null>();
  while (!reader.atEnd) {
    // Written from a row key; the checksum vouches that it still is one.
    const key = reader.ascii(reader.varint()) as RowKey;
    const length = reader.varint();
    rows.set(key, length === 0 ? null : reader.bytes(length - 1));
  }
  return rows;
}
