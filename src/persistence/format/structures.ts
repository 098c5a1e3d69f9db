/**
 * The record structures that are part of the format itself: every store has them under the same numbers, so they are
 * not stored. Changing one changes the format.
 *
 * There are exactly 64: msgpackr writes the first 32 numbers in one byte, and reads a two-byte number only where the
 * slots 32 to 63 are taken (an object written with its own keys would otherwise come back as a number).
 */

/** The first number for structures that a store learns. */
export const FIRST_LEARNED_STRUCTURE = 64;

/** Shapes of StateChange, ActorState and errors, which make up nearly every record of a journal. */
const SHAPES: readonly (readonly string[])[] = [
  ['seq', 'hash', 'status', 'incarnation', 'configuration', 'context', 'history', 'output', 'error', 'attempt'],
  ['set'],
  ['configuration'],
  ['configuration', 'set'],
  ['configuration', 'set', 'unset'],
  ['set', 'unset'],
  ['unset'],
  ['value'],
  ['context'],
  ['configuration', 'context'],
  ['configuration', 'history'],
  ['configuration', 'history', 'set'],
  ['status', 'configuration'],
  ['status', 'configuration', 'set'],
  ['status', 'configuration', 'context'],
  ['status', 'output', 'configuration'],
  ['status', 'output', 'configuration', 'set'],
  ['status', 'output'],
  ['status', 'output', 'context'],
  ['status', 'error'],
  ['status', 'error', 'context'],
  ['status', 'context'],
  ['status'],
  ['attempt'],
  ['name', 'message', 'stack'],
  ['name', 'message', 'stack', 'code'],
  ['name', 'message', 'stack', 'cause'],
  ['name', 'message', 'stack', 'code', 'cause'],
];

export const FIXED_STRUCTURES: readonly (readonly string[])[] = [
  ...SHAPES,
  ...Array.from({ length: FIRST_LEARNED_STRUCTURE - SHAPES.length }, (_, i) => [`\0reserved ${SHAPES.length + i}`]),
];

/** Prefix of the name that replaces a damaged one; no key or state has such a name. */
const LOST = '\0damaged ';

/**
 * A substitute for a damaged list of names, of a structure or a configuration, so that the others keep their numbers.
 */
export function lostNames(number: number): string[] {
  return [`${LOST}${number}`];
}

export function isLost([name]: readonly string[]): boolean {
  return name?.startsWith(LOST) === true;
}
