/** CRC-32 (IEEE), the checksum of every record and the link of every actor's hash chain. Finds damage, not malice. */
import { crc32 } from 'node:zlib';

/** Up to here a loop is faster than a call into native code. */
const SHORT_BYTES = 48;

const POLYNOMIAL = 0xedb8_8320;

/** @param seed The checksum so far, to continue over several buffers or to chain. Unsigned 32 bits. */
export function checksum(bytes: Uint8Array | string, seed = 0): number {
  return crc32(bytes, seed);
}

/** Of a part of the bytes. */
export function checksumOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  if (end - start > SHORT_BYTES) return crc32(bytes.subarray(start, end), seed);
  let crc = ~seed;
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ REMAINDERS[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

/** By the byte that leaves. */
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});
