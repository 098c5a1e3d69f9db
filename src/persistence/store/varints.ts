/** Numbers as LevelDB encodes them: LEB128, seven bits a byte, low bits first. */
export class Varints {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** The offset of the next number. */
  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  skip(bytes: number): void {
    this.#offset += bytes;
  }

  /** Reads a number. Behind the last byte it reads zeros. */
  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#offset++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}
