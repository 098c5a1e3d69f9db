/** Schemas for objects that people write: known keys only, and a suggestion for each unknown one. Pure. */
import { z } from 'zod';
import { unknownKey } from './near-names.ts';

/** Creates a schema for an object without other keys than these; its error names the nearest known key. */
export function closed<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, Object.keys(shape))).join('; ')
        : undefined,
  });
}
