/**
 * An estimate of a value's size: exact bytes are counted when a turn is admitted, which is too late to refuse a value.
 * Pure.
 */
import { textBytes } from '../../text-bytes.ts';

/** Bytes assumed for a reference to an actor or another value that is not walked. */
const OPAQUE_BYTES = 512;

/** Bytes assumed for each value besides its parts. */
const VALUE_BYTES = 9;

/** Whether a value has at most `bytes` bytes, by estimate. Stops reading a larger value early. */
export function fits(value: unknown, bytes: number): boolean {
  return left(value, bytes) >= 0;
}

/** The bytes that remain of `bytes` after a value; negative if the value is larger. */
function left(value: unknown, bytes: number): number {
  if (typeof value === 'string') return leftOfText(value, bytes - VALUE_BYTES);
  if (typeof value !== 'object' || value === null) return bytes - VALUE_BYTES;
  if (ArrayBuffer.isView(value)) return bytes - VALUE_BYTES - value.byteLength;
  const parts = partsOf(value);
  if (parts === undefined) return bytes - OPAQUE_BYTES;
  let rest = bytes - VALUE_BYTES;
  for (const part of parts) {
    rest = left(part, rest);
    if (rest < 0) break;
  }
  return rest;
}

/** Reads no text that is larger by its length alone. */
function leftOfText(text: string, bytes: number): number {
  return text.length > bytes ? -1 : bytes - textBytes(text);
}

function partsOf(value: object): Iterable<unknown> | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return value;
  if (value instanceof Error) return [value.name, value.message, value.stack, ...Object.values(value)];
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value).flat() : undefined;
}
