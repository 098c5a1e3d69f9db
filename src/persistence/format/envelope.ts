/**
 * The envelope of every stored value: [format byte][CRC-32 of key, format byte and payload, u32 big-endian][payload].
 * The key is part of the checksum, so a value found under another key counts as damage too. LevelDB itself returns
 * changed bytes without an error. The format byte and the checksum rule stay the same in every future format, so that a
 * newer store can be told from a damaged one.
 */
import { checksum, checksumOfPart } from '../../checksum.ts';
import { BosunError } from '../../errors.ts';

/**
 * The version of everything in docs/store-format.md, stable since 6. A change of the format raises this number, and
 * comes with a step in upgrade.ts and kept stores (decision 0047). Stores of 1 to 5 are of unpublished builds: they are
 * refused.
 */
export const FORMAT: number = 7;

/** The oldest format whose records mean the same today: they are read as they are, in a store of today. */
const READ_SINCE = 6;

export const ENVELOPE_BYTES = 5;

/** Writes the first {@link ENVELOPE_BYTES} of `record`, whose payload follows them already. */
export function stamp(key: string, record: Uint8Array, format = FORMAT): void {
  const crc = checksumOf(key, format, record);
  record[0] = format;
  record[1] = crc >>> 24;
  record[2] = crc >>> 16;
  record[3] = crc >>> 8;
  record[4] = crc;
}

/**
 * Seals a payload.
 *
 * @returns A new record that holds a copy of `payload`.
 */
export function seal(key: string, payload: Uint8Array, format = FORMAT): Uint8Array {
  const record = new Uint8Array(ENVELOPE_BYTES + payload.length);
  record.set(payload, ENVELOPE_BYTES);
  stamp(key, record, format);
  return record;
}

/**
 * Opens a record.
 *
 * @returns The payload, a view into `record`.
 * @throws BOSUN_STORE_DAMAGED with details { key }, BOSUN_STORE_FORMAT if the record is sound but of another format.
 */
export function unseal(key: string, record: Uint8Array): Uint8Array {
  const { format, payload } = unsealAny(key, record);
  if (!isRead(format)) throw foreignFormat(key, format);
  return payload;
}

/** Whether records of a format mean the same today. */
export function isRead(format: number): boolean {
  return format >= READ_SINCE && format <= FORMAT;
}

/** Opens a record of any format. */
export function unsealAny(key: string, record: Uint8Array): { readonly format: number; readonly payload: Uint8Array } {
  if (!isSound(key, record))
    throw damaged(key, record.length < ENVELOPE_BYTES ? 'is cut short' : 'does not match its checksum');
  return { format: record[0]!, payload: record.subarray(ENVELOPE_BYTES) };
}

/** Whether a record of any format has the checksum of its key and contents. */
export function isSound(key: string, record: Uint8Array): boolean {
  if (record.length < ENVELOPE_BYTES) return false;
  const stored = new DataView(record.buffer, record.byteOffset, ENVELOPE_BYTES).getUint32(1);
  return checksumOf(key, record[0]!, record) === stored;
}

function foreignFormat(key: string, format: number): BosunError {
  return new BosunError('BOSUN_STORE_FORMAT', `record ${key} has format ${format}; this build reads ${FORMAT}`, {
    details: { key, format },
  });
}

/** The place of damage, as far as it is known: details of BOSUN_STORE_DAMAGED. */
export interface Place {
  readonly epoch?: number;
  /** The actor that cannot be read because of it. */
  readonly life?: number;
  readonly address?: string;
  /** Sequence number of the missing or wrong change. */
  readonly seq?: number;
  /** Whether the epoch is missing while later ones exist. */
  readonly isMissing?: boolean;
  /** The bounds of the epochs that `recoverTo` may name if the journal is damaged; null if there is none. */
  readonly lastGoodEpoch?: number | null;
  readonly firstGoodEpoch?: number | null;
}

/** Creates the error that reports damage, and where it is. */
export function damaged(key: string, what: string, options: { cause?: unknown } & Place = {}): BosunError {
  const { cause, ...place } = options;
  return new BosunError('BOSUN_STORE_DAMAGED', `the record under ${JSON.stringify(key)} ${what}`, {
    cause,
    details: { key, ...place },
  });
}

/** Returns the error with the known parts of its place added. */
export function placed(error: BosunError, place: Place): BosunError {
  return new BosunError(error.code, error.message, { cause: error.cause, details: { ...error.details, ...place } });
}

function checksumOf(key: string, format: number, record: Uint8Array): number {
  return checksumOfPart(record, ENVELOPE_BYTES, record.length, checksum(key + String.fromCharCode(format)));
}
