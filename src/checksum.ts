/** CRC-32 (IEEE), the checksum of every record and the link of every actor's hash chain. Finds damage, not malice. */
import { crc32 } from 'node:zlib';

/** @param seed The checksum so far, to continue over several buffers or to chain. Unsigned 32 bits. */
export function checksum(bytes: Uint8Array | string, seed = 0): number {
  return crc32(bytes, seed);
}
