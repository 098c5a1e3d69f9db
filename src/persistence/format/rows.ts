/** The rows of an epoch in the form of its section: packed once; the fold keeps views into it. */
import { type Keyspace, type RowKey } from '../../actors/model/ports.ts';
import { type ByteReader, ByteWriter } from './bytes.ts';
import type { Span } from './codec.ts';
import { numberedKey } from './keys.ts';

export interface PackedRows {
  readonly bytes: Uint8Array;
  readonly keys: readonly RowKey[];
  /** Values in the order of the keys, as views into `bytes`; null for deleted rows. */
  readonly values: readonly (Uint8Array | null)[];
}

const NO_ROWS: PackedRows = { bytes: new Uint8Array(), keys: [], values: [] };

/** Added to the letter of a keyspace to mark a key that is a number. Lengths of keys are smaller. */
const NUMBERED = 0x80;

/** A key with a number below 2 to the power of 48, as 14 hexadecimal digits. */
const NUMBERED_KEY = /^.!00[0-9a-f]{12}$/;

/** The marker before the length of a longer key. */
const LONG = 0;

/** Packs rows: the key of each, then the length of its value plus one, or zero where it is deleted. */
export class RowPacker {
  readonly #writer = new ByteWriter();
  readonly #encode: (row: unknown, key: RowKey) => Readonly<Span>;
  /** The start of each value; -1 for a deleted row. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(encode: (row: unknown, key: RowKey) => Readonly<Span>) {
    this.#encode = encode;
  }

  /**
   * Packs rows.
   *
   * @param stored Values written in place of those of some rows, unless they are deleted. Throws BOSUN_VALUE_REFUSED.
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
    writeKey(writer, key);
    if (row === null) {
      writer.varint(0);
      this.#starts.push(-1);
    } else {
      const { bytes, start, end } = this.#encode(row, key);
      writer.varint(end - start + 1);
      this.#starts.push(writer.length);
      writer.part(bytes, start, end);
    }
    this.#ends.push(writer.length);
  }
}

/** Writes a key. Most are a letter and a number, which takes two or three bytes instead of sixteen. */
function writeKey(writer: ByteWriter, key: RowKey): void {
  if (key.length === 16 && NUMBERED_KEY.test(key)) {
    writer.u8(NUMBERED | key.charCodeAt(0));
    writer.varint(Number.parseInt(key.slice(2), 16));
    return;
  }
  if (key.length >= NUMBERED) {
    writer.u8(LONG);
    writer.varint(key.length);
  } else writer.u8(key.length);
  writer.ascii(key);
}

function readKey(reader: ByteReader): RowKey {
  const first = reader.u8();
  if (first >= NUMBERED) return numberedKey(String.fromCharCode(first - NUMBERED) as Keyspace, reader.varint());
  // A row key was written here; the checksum proves that it still is one.
  return reader.ascii(first === LONG ? reader.varint() : first) as RowKey;
}

/** Reads all rows until the end of the bytes; the values are views into them. */
export function readRows(reader: ByteReader): Map<RowKey, Uint8Array | null> {
  const rows = new Map<RowKey, Uint8Array | null>();
  while (!reader.atEnd) {
    const key = readKey(reader);
    const length = reader.varint();
    rows.set(key, length === 0 ? null : reader.bytes(length - 1));
  }
  return rows;
}
