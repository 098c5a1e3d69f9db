/** The cut: from which epoch recovery replays, and what that epoch must be linked to. [from f64][oldest f64][link 16]. */
import { ByteReader, ByteWriter } from './bytes.ts';
import { LINK_BYTES, NO_LINK } from './epoch-format.ts';

export interface Cut {
  /** Epochs before this one are in the folded records. */
  readonly from: number;
  /** The first epoch that may still be on disk, waiting for its deletion. */
  readonly oldest: number;
  /** Link to the epoch before `from`. */
  readonly link: Uint8Array;
}

/** The cut of a store that was never folded. */
export const FIRST_CUT: Cut = { from: 1, oldest: 1, link: NO_LINK };

export function encodeCut({ from, oldest, link }: Cut): Uint8Array {
  const writer = new ByteWriter();
  writer.f64(from);
  writer.f64(oldest);
  writer.bytes(link);
  return writer.copy();
}

/** @throws RangeError where the bytes end early. */
export function decodeCut(payload: Uint8Array): Cut {
  const reader = new ByteReader(payload);
  return { from: reader.f64(), oldest: reader.f64(), link: reader.bytes(LINK_BYTES) };
}
