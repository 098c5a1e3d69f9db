/** A hash of data by content: the order of keys does not count, everything else does. Pure. */
import { createHash } from 'node:crypto';

export function contentHashOf(value: unknown): string {
  return createHash('sha256').update(spelled(value)).digest('hex');
}

/**
 * A canonical text: equal for equal data, whatever the order of keys, and different for any other data that can be
 * stored.
 */
function spelled(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return `${typeof value}:${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`;
  if (value instanceof Date) return `Date:${value.getTime()}`;
  if (value instanceof Uint8Array) return `Bytes:${Buffer.from(value).toString('base64')}`;
  if (value instanceof Map) return `Map:${spelled([...value])}`;
  if (value instanceof Set) return `Set:${spelled([...value])}`;
  if (value instanceof Error) return `Error:${spelled([value.name, value.message])}`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${spelled(inner)}`)
    .join(',')}}`;
}
