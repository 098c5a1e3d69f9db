/**
 * CRC-32C (Castagnoli), as LevelDB writes it into its files. It differs from zlib's CRC-32 in `checksum.ts`, and Node
 * does not have it, so it is computed here, eight bytes at a step.
 */

const BYTES_AT_ONCE = 8;
const VALUES = 256;

/**
 * The contribution of each byte value to the checksum: alone in the first 256 entries, followed by n zero bytes in the
 * nth further 256. Signed throughout: JavaScript computes in 32 bits as long as numbers fit into them.
 */
const TABLE = crcTable();

/**
 * The checksum of a part of some bytes, masked as LevelDB stores it, because the bytes may contain checksums
 * themselves.
 */
export function maskedChecksum(bytes: Uint8Array, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) | 0;
}

function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1;
  let at = from;
  for (; at + BYTES_AT_ONCE <= to; at += BYTES_AT_ONCE) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      TABLE[7 * VALUES + (crc & 0xff)]! ^
      TABLE[6 * VALUES + ((crc >>> 8) & 0xff)]! ^
      TABLE[5 * VALUES + ((crc >>> 16) & 0xff)]! ^
      TABLE[4 * VALUES + (crc >>> 24)]! ^
      TABLE[3 * VALUES + bytes[at + 4]!]! ^
      TABLE[2 * VALUES + bytes[at + 5]!]! ^
      TABLE[VALUES + bytes[at + 6]!]! ^
      TABLE[bytes[at + 7]!]!;
  }
  for (; at < to; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc;
}

/** Computes the table from Castagnoli's polynomial, reflected. */
function crcTable(): Int32Array {
  const table = new Int32Array(BYTES_AT_ONCE * VALUES);
  for (let byte = 0; byte < VALUES; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = VALUES; at < table.length; at++) {
    const before = table[at - VALUES]!;
    table[at] = (before >>> 8) ^ table[before & 0xff]!;
  }
  return table;
}
