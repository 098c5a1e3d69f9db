/**
 * Chance by key: every decision has a source of its own, made of the seed and of what is decided. So nothing that is
 * taken out of a plan changes what is left of it, and a failing plan can be shrunk.
 */
import { checksum } from '../../checksum.ts';
import { SeededRandom } from '../seeded-random.ts';

export function chanceOf(seed: number, ...key: readonly (string | number)[]): SeededRandom {
  return new SeededRandom((checksum(Buffer.from(key.join('/'))) ^ Math.imul(seed, 0x9e3779b1)) >>> 0);
}
