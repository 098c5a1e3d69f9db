/** Bytes on disk of one thing beside its value. Texts are random: LevelDB cannot make them shorter. */
import { randomBytes } from 'node:crypto';
import { levelStore } from '../dist/index.js';
import { createCodec } from '../dist/persistence/format/codec.js';
import { plainReferences } from '../dist/persistence/format/plain-references.js';

/** A text of so many characters. */
export function randomText(characters) {
  return randomBytes(characters).toString('base64url').slice(0, characters);
}

/** The bytes of a value as the store has it, when values of its structure have been stored before. */
export function bytesOfValue(value) {
  const codec = createCodec(plainReferences);
  codec.encodeShared(value);
  codec.encodeShared(value);
  const { start, end } = codec.encodeShared(value);
  return end - start;
}

/**
 * Stops a system after an erasure, so that nothing is left to fold, and compacts its store.
 *
 * @param spare The actor that is erased.
 * @returns The bytes of the store.
 */
export async function settle(system, spare, directory) {
  await system.erase(spare);
  await system.stop();
  const store = levelStore(directory);
  // What LevelDB finds in its log at the opening is compacted with the rest.
  await store.open();
  await store.compact();
  const bytes = await store.bytes();
  await store.close();
  return bytes;
}
