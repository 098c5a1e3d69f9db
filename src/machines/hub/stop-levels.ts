/** The levels at which a run or a session is stopped (HS-047). Pure. */
import { z } from 'zod';

/**
 * `graceful`: what runs may finish and hand off, nothing new begins. `immediate`: what runs is asked to end, and killed
 * two seconds later. `terminated`: what runs is killed at once.
 */
export const STOP_LEVELS = ['graceful', 'immediate', 'terminated'] as const;
export type StopLevel = (typeof STOP_LEVELS)[number];
export const stopLevel = z.enum(STOP_LEVELS);

/** The level after a second order: a stop never becomes gentler. */
export function strongerStop(before: StopLevel | null, next: StopLevel): StopLevel {
  return before === null || STOP_LEVELS.indexOf(next) > STOP_LEVELS.indexOf(before) ? next : before;
}
