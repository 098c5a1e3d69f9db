/** Objects of files that people write: known keys only, and a suggestion for each unknown one. Pure. */
import { z } from 'zod';
import { didYouMean } from '../../../near-names.ts';

/** An object without other keys than these; one that is not known is answered with the nearest that is. */
export function closed<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, Object.keys(shape))).join('; ')
        : undefined,
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key "${key}"${didYouMean(key, known) || `; the keys here are ${known.join(', ')}`}`;
}
