/** CRC-32 (IEEE), the checksum of every record and the link of every actor's hash chain. Finds damage, not malice. */
import * as zlib from 'node:zlib';

/** The length up to which a loop is as fast as a warm call into native code, and much faster than a cold one. */
const SHORT_BYTES = 96;

const POLYNOMIAL = 0xedb8_8320;

/**
 * The CRC-32 of bytes, or of a text's UTF-8 form.
 *
 * @param seed The checksum so far, to continue over several buffers or to chain. Unsigned 32 bits.
 */
export function checksum(bytes: Uint8Array | string, seed = 0): number {
  return typeof bytes === 'string' ? checksumOfText(bytes, seed) : checksumOfPart(bytes, 0, bytes.length, seed);
}

export function checksumOfPart(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  if (end - start > SHORT_BYTES) return zlib.crc32(bytes.subarray(start, end), seed);
  let crc = ~seed;
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ REMAINDERS[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

/** The CRC-32 of a text's UTF-8 form. */
function checksumOfText(text: string, seed: number): number {
  let crc = ~seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return zlib.crc32(text, seed);
    crc = (crc >>> 8) ^ REMAINDERS[(crc ^ code) & 0xff]!;
  }
  return ~crc >>> 0;
}

/** The remainder of each byte value that is shifted out. */
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});
