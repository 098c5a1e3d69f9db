/**
 * MessagePack for what JSON can say, no more: no binary, no extensions, no keys but text. What is decoded came from a
 * stranger, so it is bounded while it is read, and nothing but plain data can come of it; a general library gives
 * regular expressions, dates and errors to whoever sends their bytes. Runs in browsers.
 */
import { type ValueBounds } from './values.ts';

/** Says what is wrong and where, and nothing of what the bytes say. */
export class MalformedError extends Error {}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const TEXT = new TextEncoder();

/** Of the buffer that grows as it is written. */
const FIRST_BYTES = 1_024;

class Writer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#end);
  }

  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return this.#number(value);
      case 'boolean':
        return this.#byte(value ? 0xc3 : 0xc2);
      case 'object':
        if (value === null) return this.#byte(0xc0);
        return Array.isArray(value) ? this.#array(value) : this.#record(value as Record<string, unknown>);
      default:
        // As JSON has it in an array; in an object its key is left out.
        return this.#byte(0xc0);
    }
  }

  #array(value: readonly unknown[]): void {
    this.#head(value.length, { small: 0x90, smallMax: 15, wide: [0xdc, 0xdd] });
    for (const item of value) this.write(item);
  }

  #record(value: Record<string, unknown>): void {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== 'function');
    this.#head(entries.length, { small: 0x80, smallMax: 15, wide: [0xde, 0xdf] });
    for (const [key, field] of entries) {
      this.#text(key);
      this.write(field);
    }
  }

  #text(value: string): void {
    const bytes = TEXT.encode(value);
    if (bytes.length > 31 && bytes.length <= 0xff) {
      this.#byte(0xd9);
      this.#byte(bytes.length);
    } else this.#head(bytes.length, { small: 0xa0, smallMax: 31, wide: [0xda, 0xdb] });
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= -32 && value <= 127) return this.#byte(value & 0xff);
    if (Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff && !Object.is(value, -0)) {
      this.#byte(0xd2);
      this.#room(4);
      this.#view.setInt32(this.#end, value);
      this.#end += 4;
      return;
    }
    if (!Number.isFinite(value)) return this.#byte(0xc0);
    this.#byte(0xcb);
    this.#room(8);
    this.#view.setFloat64(this.#end, value);
    this.#end += 8;
  }

  #head(
    count: number,
    { small, smallMax, wide }: { small: number; smallMax: number; wide: readonly [number, number] },
  ): void {
    if (count <= smallMax) return this.#byte(small | count);
    const isShort = count <= 0xffff;
    this.#byte(wide[isShort ? 0 : 1]);
    this.#room(4);
    if (isShort) this.#view.setUint16(this.#end, count);
    else this.#view.setUint32(this.#end, count);
    this.#end += isShort ? 2 : 4;
  }

  #byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#end++] = byte;
  }

  #room(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#end + bytes));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #depthMax: number;
  #left: number;
  #at = 0;

  constructor(bytes: Uint8Array, { depthMax, valuesMax }: ValueBounds) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#depthMax = depthMax;
    this.#left = valuesMax;
  }

  whole(): unknown {
    const value = this.#read(0);
    if (this.#at < this.#bytes.length) this.#fail('has bytes behind its end');
    return value;
  }

  #read(depth: number): unknown {
    if (this.#left-- === 0) this.#fail('holds too many values');
    const byte = this.#number('getUint8', 1);
    if (byte <= 0x7f) return byte;
    if (byte >= 0xe0) return byte - 0x100;
    if (byte <= 0x8f) return this.#record(byte & 0x0f, depth);
    if (byte <= 0x9f) return this.#array(byte & 0x0f, depth);
    if (byte <= 0xbf) return this.#text(byte & 0x1f);
    switch (byte) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return this.#finite(this.#number('getFloat32', 4));
      case 0xcb:
        return this.#finite(this.#number('getFloat64', 8));
      case 0xcc:
        return this.#number('getUint8', 1);
      case 0xcd:
        return this.#number('getUint16', 2);
      case 0xce:
        return this.#number('getUint32', 4);
      case 0xcf:
        return this.#safe(this.#number('getUint32', 4) * 2 ** 32 + this.#number('getUint32', 4));
      case 0xd0:
        return this.#number('getInt8', 1);
      case 0xd1:
        return this.#number('getInt16', 2);
      case 0xd2:
        return this.#number('getInt32', 4);
      case 0xd3:
        return this.#safe(this.#number('getInt32', 4) * 2 ** 32 + this.#number('getUint32', 4));
      case 0xd9:
        return this.#text(this.#number('getUint8', 1));
      case 0xda:
        return this.#text(this.#number('getUint16', 2));
      case 0xdb:
        return this.#text(this.#number('getUint32', 4));
      case 0xdc:
        return this.#array(this.#number('getUint16', 2), depth);
      case 0xdd:
        return this.#array(this.#number('getUint32', 4), depth);
      case 0xde:
        return this.#record(this.#number('getUint16', 2), depth);
      case 0xdf:
        return this.#record(this.#number('getUint32', 4), depth);
      default:
        return this.#fail('has a type that JSON does not have');
    }
  }

  #array(count: number, depth: number): unknown[] {
    this.#enter(count, depth);
    const items: unknown[] = [];
    for (let n = 0; n < count; n++) items.push(this.#read(depth + 1));
    return items;
  }

  #record(count: number, depth: number): Record<string, unknown> {
    this.#enter(2 * count, depth);
    const fields: Record<string, unknown> = {};
    for (let n = 0; n < count; n++) {
      const key = this.#read(depth + 1);
      if (typeof key !== 'string') return this.#fail('has a key that is no text');
      if (key === '__proto__') return this.#fail('has a forbidden key');
      fields[key] = this.#read(depth + 1);
    }
    return fields;
  }

  /** Each of so many values takes a byte at least: who claims more is refused before anything is made. */
  #enter(count: number, depth: number): void {
    if (depth >= this.#depthMax) this.#fail(`is nested deeper than ${this.#depthMax} levels`);
    if (count > this.#bytes.length - this.#at) this.#fail('ends too early');
    if (count > this.#left) this.#fail('holds too many values');
  }

  #text(bytes: number): string {
    const from = this.#at;
    this.#skip(bytes);
    try {
      return UTF8.decode(this.#bytes.subarray(from, this.#at));
    } catch {
      return this.#fail('has text that is no UTF-8');
    }
  }

  #number(
    get: 'getUint8' | 'getUint16' | 'getUint32' | 'getInt8' | 'getInt16' | 'getInt32' | 'getFloat32' | 'getFloat64',
    bytes: number,
  ): number {
    const from = this.#at;
    this.#skip(bytes);
    return this.#view[get](from);
  }

  #finite(value: number): number {
    return Number.isFinite(value) ? value : this.#fail('has a number that JSON does not have');
  }

  #safe(value: number): number {
    return Number.isSafeInteger(value) ? value : this.#fail('has a whole number above 2^53');
  }

  #skip(bytes: number): void {
    if (bytes > this.#bytes.length - this.#at) this.#fail('ends too early');
    this.#at += bytes;
  }

  #fail(what: string): never {
    throw new MalformedError(`the frame ${what}, at byte ${this.#at}`);
  }
}

export function encodeMsgpack(value: unknown): Uint8Array {
  const writer = new Writer();
  writer.write(value);
  return writer.take();
}

/** Throws {@link MalformedError}. */
export function decodeMsgpack(bytes: Uint8Array, bounds: ValueBounds): unknown {
  return new Reader(bytes, bounds).whole();
}
