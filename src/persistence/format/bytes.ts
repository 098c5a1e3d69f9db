/** Binary encoding: a growing buffer to write to, and a reader that never reads past its end. */
import { assert } from '../../assert.ts';
import { checksumOfPart } from '../../checksum.ts';

const FIRST_BYTES = 4_096;

/** The length up to which a loop is faster than `set`, which crosses into native code. */
const SHORT_COPY_BYTES = 32;

/** A buffer for one record after the other: `reset`, write, `copy`. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  reset(): void {
    this.#length = 0;
  }

  /** Leaves a gap to be filled in later. */
  skip(bytes: number): void {
    this.#reserve(bytes);
    this.#length += bytes;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value);
    this.#length += 4;
  }

  u32At(offset: number, value: number): void {
    this.#view.setUint32(offset, value);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value);
    this.#length += 8;
  }

  /**
   * Writes a number as LEB128: seven bits a byte, low bits first.
   *
   * @param value A safe integer, not negative.
   */
  varint(value: number): void {
    this.#reserve(8);
    while (value >= 0x80) {
      this.#bytes[this.#length++] = (value & 0x7f) | 0x80;
      // Shifts are 32 bits wide.
      value = value < 0x8000_0000 ? value >>> 7 : Math.floor(value / 0x80);
    }
    this.#bytes[this.#length++] = value;
  }

  bytes(source: Uint8Array): void {
    this.part(source, 0, source.length);
  }

  /** Writes a part of some bytes. */
  part(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.#reserve(length);
    if (length > SHORT_COPY_BYTES) this.#bytes.set(source.subarray(start, end), this.#length);
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = source[start + i] as number;
    this.#length += length;
  }

  /**
   * Writes text without its length.
   *
   * @param text Printable ASCII.
   */
  ascii(text: string): void {
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code > 0x7e) assert(false, `printable ASCII: ${JSON.stringify(text)}`);
      this.#bytes[this.#length++] = code;
    }
  }

  /** The checksum of everything written from `start` on. */
  checksum(start: number): number {
    return checksumOfPart(this.#bytes, start, this.#length);
  }

  /** The written bytes as a copy. */
  copy(): Uint8Array {
    // Small copies come from Node's pool: a separate buffer costs an allocation outside the heap.
    const copy = Buffer.allocUnsafe(this.#length);
    copy.set(this.#bytes.subarray(0, this.#length));
    return copy;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** A reader of binary records. Every read throws a RangeError where the bytes end early. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  get position(): number {
    return this.#position;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  f64(): number {
    return this.#view.getFloat64(this.#advance(8));
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
      if (scale > 2 ** 49) throw new RangeError('a number is longer than eight bytes');
    }
  }

  /** A view into the bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  ascii(length: number): string {
    const start = this.#advance(length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  #advance(bytes: number): number {
    const start = this.#position;
    if (start + bytes > this.#bytes.length) throw new RangeError('the bytes end early');
    this.#position = start + bytes;
    return start;
  }
}
