/**
 * The cut: the epoch from which recovery replays, and the link that this epoch must have; and the mark of the last
 * fold.
 *
 *     cut        [from f64][oldest f64][link 16][written f64]
 *     fold mark  [end f64]
 */
import { ByteReader, ByteWriter } from '../format/bytes.ts';
import { LINK_BYTES, NO_LINK } from './epoch-format.ts';

export interface Cut {
  /** The first epoch to replay; earlier ones are in the folded records. */
  readonly from: number;
  /** The first epoch that may still be on disk, waiting for its deletion. */
  readonly oldest: number;
  /** The link to the epoch before `from`. */
  readonly link: Uint8Array;
  /**
   * The epoch in whose batch the cut was written: the last slice of its fold was written no later. If an epoch up to
   * this one is lost, a slice may be lost with it.
   */
  readonly written: number;
}

/** The cut of a store that was never folded. */
export const FIRST_CUT: Cut = { from: 1, oldest: 1, link: NO_LINK, written: 0 };

export function encodeCut({ from, oldest, link, written }: Cut): Uint8Array {
  const writer = new ByteWriter();
  writer.f64(from);
  writer.f64(oldest);
  writer.bytes(link);
  writer.f64(written);
  return writer.copy();
}

/**
 * Decodes a cut.
 *
 * @throws RangeError where the bytes end early.
 */
export function decodeCut(payload: Uint8Array): Cut {
  const reader = new ByteReader(payload);
  return { from: reader.f64(), oldest: reader.f64(), link: reader.bytes(LINK_BYTES), written: reader.f64() };
}

/**
 * Encodes the mark of a fold.
 *
 * @param end The epoch whose state the fold writes.
 */
export function encodeFoldMark(end: number): Uint8Array {
  const writer = new ByteWriter();
  writer.f64(end);
  return writer.copy();
}

/**
 * Decodes the mark of a fold.
 *
 * @throws RangeError where the bytes end early.
 */
export function decodeFoldMark(payload: Uint8Array): number {
  return new ByteReader(payload).f64();
}
