/**
 * Addresses: where an actor lives, `stages/AAPL/screening`. Stable over restarts and recoveries; who lives there at a
 * given time is its life (see ref.ts). The root Boss has the address `root`; the addresses of its children have no
 * prefix.
 */
import { BosunError } from '../../errors.ts';
import { ADDRESS_SEGMENTS_MAX, ADDRESS_SEGMENT_CHARS_MAX } from '../../limits.ts';

export const ROOT = 'root';

const SEGMENT = /^[A-Za-z0-9\-_.:@+~%]+$/;

/** Returns the address unchanged. Throws BOSUN_ADDRESS_INVALID. */
export function checkAddress(address: string): string {
  const segments = address.split('/');
  const legal =
    segments.length <= ADDRESS_SEGMENTS_MAX &&
    segments.every((segment) => segment.length <= ADDRESS_SEGMENT_CHARS_MAX && SEGMENT.test(segment));
  if (!legal) throw new BosunError('BOSUN_ADDRESS_INVALID', `not an address: ${JSON.stringify(address.slice(0, 200))}`);
  return address;
}

/** Address of a Boss's child. The child's id may itself be a path. Throws BOSUN_ADDRESS_INVALID. */
export function childAddress(parent: string, childId: string): string {
  if (parent === ROOT && childId === ROOT) throw new BosunError('BOSUN_ADDRESS_INVALID', `the name "${ROOT}" is taken`);
  return checkAddress(parent === ROOT ? childId : `${parent}/${childId}`);
}

/** Address of a machine's own child: its id is any string, so what an address cannot hold is percent-encoded. */
export function invokedAddress(parent: string, childId: string): string {
  const segment = childId.replace(/[^A-Za-z0-9\-_.:@+~]/gu, (char) =>
    encodeURIComponent(char).replace(/[!'()*]/g, hex),
  );
  return checkAddress(`${parent}/${segment}`);
}

/**
 * The way back: the id of the machine's child that lives, or lived, there. Of a Boss's child, the last segment of its
 * id.
 */
export function childIdOf(address: string): string {
  const segment = address.slice(address.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    // An address that a host chose may have a "%" of its own.
    return segment;
  }
}

function hex(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
