/**
 * The bytes of one epoch:
 *
 *     [envelope 5][number u64][length of the whole value u32][link 16] [section]…
 *     section: [id u8][payload length u32][payload][CRC-32 of id, length and payload u32]
 *
 * The envelope covers the header, each section covers itself, and the link (half a SHA-256 of the whole previous value)
 * makes the journal a chain, so that a replaced epoch, or one lost in the middle, is detected.
 */
import * as crypto from 'node:crypto';
import { type Counters, type RowKey } from '../../actors/model/ports.ts';
import { checksum } from '../../checksum.ts';
import { BosunError } from '../../errors.ts';
import { ByteReader, type ByteWriter } from '../format/bytes.ts';
import { type Delta, readDeltas } from '../format/deltas.ts';
import { damaged, ENVELOPE_BYTES, stamp, unseal } from '../format/envelope.ts';
import { epochKey } from '../format/keys.ts';
import { readRows } from '../format/rows.ts';

/** Half a SHA-256: 128 bits rule out accidents, and keep an epoch of one turn small. */
export const LINK_BYTES = 16;

/** The link of the first epoch of a store. */
export const NO_LINK: Uint8Array = new Uint8Array(LINK_BYTES);

const HEADER_BYTES = ENVELOPE_BYTES + 8 + 4 + LINK_BYTES;
const LENGTH_OFFSET = ENVELOPE_BYTES + 8;

const SECTION = { head: 1, deltas: 2, rows: 3 } as const;

const NOTHING = new ByteReader(new Uint8Array());

/** A decoded epoch: rows stay encoded, and states have to be derived from the deltas. */
export interface EpochRecord extends EpochHead {
  readonly deltas: readonly Delta[];
  /** Encoded rows by key; null for a deleted row. */
  readonly rows: ReadonlyMap<RowKey, Uint8Array | null>;
}

/** The parts from which an epoch is encoded. */
export interface EpochParts extends EpochHead {
  /** The changes of states, packed by deltas.ts. */
  readonly deltas: Uint8Array;
  /** The changed rows, packed by rows.ts. */
  readonly rows: Uint8Array;
}

interface EpochHead {
  readonly number: number;
  /** The link to the epoch before. */
  readonly link: Uint8Array;
  readonly kernelTimeMs: number;
  readonly counters: Counters;
}

/** The link that the next epoch has to hold. */
export function linkTo(value: Uint8Array): Uint8Array {
  return crypto.hash('sha256', value, 'buffer').subarray(0, LINK_BYTES);
}

/**
 * Encodes an epoch.
 *
 * @param writer Scratch space, reset here. The result does not share it.
 */
export function encodeEpoch(epoch: EpochParts, writer: ByteWriter): Uint8Array {
  writer.reset();
  writer.skip(ENVELOPE_BYTES);
  writer.u32(Math.floor(epoch.number / 2 ** 32));
  writer.u32(epoch.number >>> 0);
  writer.skip(4);
  writer.bytes(epoch.link);
  const head = beginSection(writer, SECTION.head);
  writeHead(writer, epoch);
  endSection(writer, head);
  for (const packed of ['deltas', 'rows'] as const) {
    if (epoch[packed].length === 0) continue;
    const section = beginSection(writer, SECTION[packed]);
    writer.bytes(epoch[packed]);
    endSection(writer, section);
  }
  writer.u32At(LENGTH_OFFSET, writer.length);
  const value = writer.copy();
  stamp(epochKey(epoch.number), value.subarray(0, HEADER_BYTES));
  return value;
}

/**
 * Decodes an epoch.
 *
 * @returns The epoch; its byte arrays are views into `value`.
 * @throws BOSUN_STORE_DAMAGED with details { key, epoch }, BOSUN_STORE_FORMAT.
 */
export function decodeEpoch(number: number, value: Uint8Array): EpochRecord {
  const key = epochKey(number);
  const header = new ByteReader(unseal(key, value.subarray(0, HEADER_BYTES)));
  try {
    const stored = header.u32() * 2 ** 32 + header.u32();
    if (stored !== number) throw damaged(key, `holds epoch ${stored}`, { epoch: number });
    const length = header.u32();
    if (length !== value.length) throw damaged(key, `has ${value.length} of ${length} bytes`, { epoch: number });
    const link = header.bytes(LINK_BYTES);
    const sections = readSections(key, number, value.subarray(HEADER_BYTES));
    const head = sections.get(SECTION.head);
    if (head === undefined) throw damaged(key, 'has no head', { epoch: number });
    return {
      number,
      link,
      ...readHead(head),
      deltas: readDeltas(sections.get(SECTION.deltas) ?? NOTHING),
      rows: readRows(sections.get(SECTION.rows) ?? NOTHING),
    };
  } catch (error) {
    if (error instanceof BosunError) throw error;
    throw damaged(key, 'is malformed', { cause: error, epoch: number });
  }
}

/**
 * Begins a section.
 *
 * @returns The offset at which it begins.
 */
function beginSection(writer: ByteWriter, id: number): number {
  const start = writer.length;
  writer.u8(id);
  writer.skip(4);
  return start;
}

function endSection(writer: ByteWriter, start: number): void {
  writer.u32At(start + 1, writer.length - start - 5);
  writer.u32(writer.checksum(start));
}

function readSections(key: string, epoch: number, bytes: Uint8Array): Map<number, ByteReader> {
  const sections = new Map<number, ByteReader>();
  const reader = new ByteReader(bytes);
  while (!reader.atEnd) {
    const start = reader.position;
    const id = reader.u8();
    const payload = reader.bytes(reader.u32());
    const crc = checksum(bytes.subarray(start, reader.position));
    if (crc !== reader.u32()) throw damaged(key, `does not match the checksum of its section ${id}`, { epoch });
    if (id !== SECTION.head && id !== SECTION.deltas && id !== SECTION.rows)
      throw new BosunError('BOSUN_STORE_FORMAT', `epoch ${epoch} has a section ${id} that this build cannot read`, {
        details: { key, epoch, section: id },
      });
    sections.set(id, new ByteReader(payload));
  }
  return sections;
}

function writeHead(writer: ByteWriter, { kernelTimeMs, counters }: EpochHead): void {
  writer.f64(kernelTimeMs);
  writer.varint(counters.life);
  writer.varint(counters.message);
  writer.varint(counters.timer);
  writer.varint(counters.quarantine);
}

function readHead(reader: ByteReader): { kernelTimeMs: number; counters: Counters } {
  const kernelTimeMs = reader.f64();
  const counters = {
    life: reader.varint(),
    message: reader.varint(),
    timer: reader.varint(),
    quarantine: reader.varint(),
  };
  return { kernelTimeMs, counters };
}
