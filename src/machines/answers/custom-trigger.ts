/**
 * Triggers that users define (AT-048), in the settings or at run time: each asks its question when a reading of its
 * measure is below a bound. Readings come by themselves or with an agent's observation. Pure.
 */
import { z } from 'zod';
import { priority } from './bundle.ts';

/** Most characters of an observation, as of the description of an issue. */
const OBSERVATION_CHARS_MAX = 800;

/** A trigger defined by users (AT-048). It asks its question when a measure falls below a bound. */
export const customTrigger = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,99}$/, 'a name is lower-case letters, digits and hyphens'),
  /** The name of the measure, such as a test coverage. */
  measure: z.string().min(1).max(100),
  below: z.number(),
  question: z.string().min(1).max(300),
  priority_level: priority.default(3),
});
export type CustomTrigger = z.output<typeof customTrigger>;

/** A reading of a measure. */
export const reading = z.object({ measure: z.string().min(1).max(100), value: z.number() });

/** An agent's note of something that it has noticed. It fires triggers if it comes with a reading. */
export const observation = z.object({
  observation: z.string().trim().min(1).max(OBSERVATION_CHARS_MAX),
  task: z.string().min(1).max(200).nullable().default(null),
  measure: reading.shape.measure.nullable().default(null),
  value: reading.shape.value.nullable().default(null),
});
/** An observation as it is recorded. */
export const observed = observation.extend({ asker: z.string() });

/** Whether a reading fires a trigger: it does if it is below the bound, but not at it. */
export function fires({ measure, below }: CustomTrigger, given: z.output<typeof reading>): boolean {
  return given.measure === measure && given.value < below;
}
