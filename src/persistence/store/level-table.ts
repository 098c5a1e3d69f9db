/**
 * Checks one table of LevelDB: whether every block is at its place in the index and has the checksum that LevelDB wrote
 * behind it. It does not interpret the records. Format: doc/table_format.md of LevelDB; blocks are compressed with
 * Snappy (format_description.txt there).
 */
import { maskedChecksum } from './crc32c.ts';
import { Varints } from './varints.ts';

/** Bytes after each block: type of compression (1) and CRC-32C (4). */
const TRAILER_BYTES = 5;
/** Bytes of the footer: two handles, padded, and a magic number. */
const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');

const PLAIN = 0;
const SNAPPY = 1;

/** The place of a block, without its trailer. */
interface Handle {
  readonly offset: number;
  readonly size: number;
}

/**
 * Checks a whole table. Blocks follow each other without a gap: those of records in the order of the index, those that
 * the index of further blocks names, and the two indexes. So every byte before the footer is checked.
 *
 * @returns The offset of the first damaged block; null if there is none.
 */
export function damageOfTable(table: Buffer): number | null {
  const footer = table.length - FOOTER_BYTES;
  // The footer has no checksum, but the blocks that it names must be in their places.
  if (footer < 0 || !table.subarray(-MAGIC.length).equals(MAGIC)) return Math.max(0, footer);
  const varints = new Varints(table, footer);
  const [further, index] = [handleAt(varints), handleAt(varints)];
  if (endOf(index) !== footer || endOf(further) !== index.offset) return footer;
  for (const block of [index, further]) if (!isSound(table, block)) return block.offset;
  let begin = 0;
  for (const block of [...handlesIn(table, index), ...handlesIn(table, further)]) {
    if (block.offset !== begin || endOf(block) > further.offset || !isSound(table, block)) return begin;
    begin = endOf(block);
  }
  return begin === further.offset ? null : begin;
}

function endOf({ offset, size }: Handle): number {
  return offset + size + TRAILER_BYTES;
}

function isSound(table: Buffer, { offset, size }: Handle): boolean {
  // The checksum covers the type of compression.
  const end = offset + size + 1;
  return maskedChecksum(table, offset, end) === table.readInt32LE(end);
}

function handleAt(varints: Varints): Handle {
  return { offset: varints.next(), size: varints.next() };
}

/** The blocks named by an index that is sound. */
function handlesIn(table: Buffer, { offset, size }: Handle): Handle[] {
  const stored = table.subarray(offset, offset + size);
  const type = table[offset + size];
  if (type !== PLAIN && type !== SNAPPY) return [];
  const block = type === SNAPPY ? unpacked(stored) : stored;
  // Behind the entries are the offsets of restart points (entries with whole keys), and their number.
  const end = block.length - 4 * (block.readUInt32LE(block.length - 4) + 1);
  const handles: Handle[] = [];
  const varints = new Varints(block, 0);
  while (varints.offset < end) {
    varints.next();
    const [keyBytes, valueBytes] = [varints.next(), varints.next()];
    varints.skip(keyBytes);
    handles.push(handleAt(new Varints(block, varints.offset)));
    varints.skip(valueBytes);
  }
  return handles;
}

/** Unpacks a block compressed by Snappy: literals, and copies of earlier output. */
function unpacked(packed: Buffer): Buffer {
  const varints = new Varints(packed, 0);
  const block = Buffer.alloc(varints.next());
  let length = 0;
  for (let at = varints.offset; at < packed.length; ) {
    const tag = packed[at++]!;
    const kind = tag & 3;
    if (kind === 0) {
      const inTag = tag >>> 2;
      // The length of a long literal is in one to four further bytes.
      const lengthBytes = Math.max(0, inTag - 59);
      const count = (lengthBytes === 0 ? inTag : packed.readUIntLE(at, lengthBytes)) + 1;
      at += lengthBytes;
      packed.copy(block, length, at, at + count);
      at += count;
      length += count;
    } else {
      const isShort = kind === 1;
      const back = isShort ? ((tag >>> 5) << 8) | packed[at]! : packed.readUIntLE(at, kind === 2 ? 2 : 4);
      at += isShort ? 1 : kind === 2 ? 2 : 4;
      const count = isShort ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      // Byte by byte: a copy may overlap its own output.
      for (const end = length + count; length < end; length++) block[length] = block[length - back]!;
    }
  }
  return block;
}
