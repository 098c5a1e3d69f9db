/**
 * Chance in tests. Everything that is drawn follows from the seed of the run (effort.ts) and a name, so that BOSUN_SEED
 * repeats a run, and a test that draws more or less changes nothing for the others.
 */
import { chanceOf } from '../../src/testing/simulation/keyed-chance.ts';
import { type SeededRandom } from '../../src/testing/seeded-random.ts';
import { SEED } from './effort.ts';

const SEEDS = 2 ** 31;

/** A source of random numbers of its own for each name. */
export function randomOf(...name: readonly (string | number)[]): SeededRandom {
  return chanceOf(SEED, ...name);
}

/** A whole number from 0 to 2^31 - 1: a seed, or the first of many that follow each other. */
export function seedOf(...name: readonly (string | number)[]): number {
  return randomOf(...name).integer(SEEDS);
}

/** Bytes, such as those of a key. */
export function drawnBytes(length: number, ...name: readonly (string | number)[]): Buffer {
  const random = randomOf(...name);
  return Buffer.from(Array.from({ length }, () => random.integer(256)));
}
