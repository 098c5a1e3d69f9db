/**
 * The envelope of every stored value: [format byte][CRC-32 of key, format byte and payload, u32 big-endian][payload].
 * The key is part of the checksum, so a value that turns up under another key is damage too. LevelDB itself returns
 * changed bytes without an error. The format byte and the rule of the checksum stay the same in every future format:
 * they are what tells a newer store from a damaged one.
 */
import { checksum, checksumOfPart } from '../checksum.ts';
import { BosunError } from '../errors.ts';

/**
 * The mark of everything in docs/store-format.md. Until the format is declared stable each change of it moves the mark,
 * and stores of other marks are refused.
 */
export const FORMAT = 3;

export const ENVELOPE_BYTES = 5;

/** Writes the first {@link ENVELOPE_BYTES} of `record`, whose payload is in place behind them. */
export function stamp(key: string, record: Uint8Array, format = FORMAT): void {
  const crc = checksumOf(key, format, record);
  record[0] = format;
  record[1] = crc >>> 24;
  record[2] = crc >>> 16;
  record[3] = crc >>> 8;
  record[4] = crc;
}

/** @returns A new record that holds a copy of `payload`. */
export function seal(key: string, payload: Uint8Array, format = FORMAT): Uint8Array {
  const record = new Uint8Array(ENVELOPE_BYTES + payload.length);
  record.set(payload, ENVELOPE_BYTES);
  stamp(key, record, format);
  return record;
}

/**
 * @returns The payload, a view into `record`.
 * @throws BOSUN_STORE_DAMAGED with details { key }, BOSUN_STORE_FORMAT where the record is sound but of another format.
 */
export function unseal(key: string, record: Uint8Array): Uint8Array {
  const { format, payload } = unsealAny(key, record);
  if (format !== FORMAT) throw foreignFormat(key, format);
  return payload;
}

/** The same for a record of any format. */
export function unsealAny(key: string, record: Uint8Array): { readonly format: number; readonly payload: Uint8Array } {
  if (!isSound(key, record))
    throw damaged(key, record.length < ENVELOPE_BYTES ? 'is cut short' : 'does not match its checksum');
  return { format: record[0]!, payload: record.subarray(ENVELOPE_BYTES) };
}

/** Of a record of any format. */
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

/** Where damage is, as far as it is known: details of BOSUN_STORE_DAMAGED. */
export interface Place {
  readonly epoch?: number;
  /** The actor that cannot be read because of it. */
  readonly life?: number;
  readonly address?: string;
  /** Of the change that is missing or wrong. */
  readonly seq?: number;
  /** The epoch is not there, and later ones are. */
  readonly isMissing?: boolean;
  /** Of a damaged journal: the epochs that `recoverTo` may name, if there is one. */
  readonly lastGoodEpoch?: number | null;
  readonly firstGoodEpoch?: number | null;
}

/** The one form in which damage is reported: what is wrong, and where. */
export function damaged(key: string, what: string, options: { cause?: unknown } & Place = {}): BosunError {
  const { cause, ...place } = options;
  return new BosunError('BOSUN_STORE_DAMAGED', `the record under ${JSON.stringify(key)} ${what}`, {
    cause,
    details: { key, ...place },
  });
}

/** Adds to damage what is known of its place now. */
export function placed(error: BosunError, place: Place): BosunError {
  return new BosunError(error.code, error.message, { cause: error.cause, details: { ...error.details, ...place } });
}

function checksumOf(key: string, format: number, record: Uint8Array): number {
  return checksumOfPart(record, ENVELOPE_BYTES, record.length, checksum(key + String.fromCharCode(format)));
}
