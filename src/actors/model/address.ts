/**
 * Addresses: where an actor lives, `stages/AAPL/screening`. Stable over restarts and recoveries; who lives there at a
 * given time is its life (see ref.ts). The root Boss has the address `root`; the addresses of its children have no
 * prefix.
 */
import { BosunError } from '../../errors.ts';
import { ADDRESS_SEGMENTS_MAX, ADDRESS_SEGMENT_CHARS_MAX } from '../../limits.ts';

export const ROOT = 'root';

/** A part of the order of addresses: those from one text on, and before another one if `end` is set. */
export interface AddressSpan {
  readonly from: string;
  readonly end: string | undefined;
}

/** Excludes `.` and `..`, which mean another place in a path of the gateway or of the file system. */
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9\-_.:@+~%]+$/;

/** Returns the address unchanged. Throws BOSUN_ADDRESS_INVALID. */
export function checkAddress(address: string): string {
  if (!isLegal(address))
    throw new BosunError('BOSUN_ADDRESS_INVALID', `not an address: ${JSON.stringify(address.slice(0, 200))}`);
  return address;
}

function isLegal(address: string): boolean {
  let segments = 0;
  for (let from = 0, to = 0; to < address.length; from = to + 1) {
    to = address.indexOf('/', from);
    if (to === -1) to = address.length;
    segments += 1;
    if (segments > ADDRESS_SEGMENTS_MAX || to - from > ADDRESS_SEGMENT_CHARS_MAX) return false;
    if (!SEGMENT.test(address.slice(from, to))) return false;
  }
  return segments > 0 && !address.endsWith('/');
}

/** The address of a Boss's child. The child's id may itself be a path. Throws BOSUN_ADDRESS_INVALID. */
export function childAddress(parent: string, childId: string): string {
  if (parent === ROOT && childId === ROOT)
    throw new BosunError('BOSUN_ADDRESS_INVALID', `the name "${ROOT}" is reserved`);
  return checkAddress(parent === ROOT ? childId : `${parent}/${childId}`);
}

/**
 * The address of a machine's own child. Its id may be any string: characters that an address cannot hold are
 * percent-encoded.
 */
export function invokedAddress(parent: string, childId: string): string {
  const segment = childId.replace(/[^A-Za-z0-9\-_.:@+~]/gu, (char) =>
    encodeURIComponent(char).replace(/[!'()*]/g, hex),
  );
  return checkAddress(`${parent}/${/^\.{1,2}$/.test(segment) ? segment.replaceAll('.', hex) : segment}`);
}

/**
 * The inverse of {@link invokedAddress}: the id of the machine's child at this address, alive or ended. For a Boss's
 * child, the last segment of its id.
 */
export function childIdOf(address: string): string {
  const segment = address.slice(address.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    // An address chosen by a host may contain a "%" of its own.
    return segment;
  }
}

function hex(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
