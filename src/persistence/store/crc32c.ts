/**
 * CRC-32C (Castagnoli), as LevelDB writes it into its files. It differs from zlib's CRC-32 in `checksum.ts`, and Node
 * does not have it, so it is computed here, sixteen bytes at a step.
 */

const BYTES_AT_ONCE = 16;
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
  // Reads four bytes at once, at any offset.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = -1;
  let at = from;
  for (; at + BYTES_AT_ONCE <= to; at += BYTES_AT_ONCE)
    crc =
      remainder(crc ^ view.getInt32(at, true), 12) ^
      remainder(view.getInt32(at + 4, true), 8) ^
      remainder(view.getInt32(at + 8, true), 4) ^
      remainder(view.getInt32(at + 12, true), 0);
  for (; at < to; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc;
}

/** The contribution of four bytes, the first one lowest, that so many further bytes follow. */
function remainder(word: number, further: number): number {
  const row = further * VALUES;
  return (
    TABLE[row + 3 * VALUES + (word & 0xff)]! ^
    TABLE[row + 2 * VALUES + ((word >>> 8) & 0xff)]! ^
    TABLE[row + VALUES + ((word >>> 16) & 0xff)]! ^
    TABLE[row + (word >>> 24)]!
  );
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
