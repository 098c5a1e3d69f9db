/**
 * The order of questions at the answer desk (AT-035 to AT-037, MX-116): places, urgency before arrival, and the
 * gathering of questions that can wait a little; and the times that a question is given. Pure.
 */
import { type Lane } from '../work/capacity-queue.ts';
import { type Priority } from './bundle.ts';

/** Most questions that are worked on at once (AT-008, R-15). */
export const PLACES = 3;

/** The places of the desk as a lane of the capacity queue (CN-006), in which questions wait for their turn. */
export function placesWith(held: number): Lane {
  return { capacity: PLACES, held };
}

/** Milliseconds for which questions that can wait are gathered before they enter the queue together (AT-037). */
export const BATCH_MS = 5_000;

/** The time from the trigger to the answer. */
export const DEADLINE_MS: Readonly<Record<Priority, number>> = { 1: 15_000, 2: 30_000, 3: 60_000 };

/** The time from a failure within which a ticket must exist. People are told if it does not. */
export const TICKET_WITHIN_MS: Readonly<Record<Priority, number>> = { 1: 15_000, 2: 60_000, 3: 300_000 };

/** The asker's confidence, in percent, below which a question precedes others of its urgency (MX-116). */
const UNSURE_BELOW = 50;
/** The asker's confidence, in percent, above which a question can wait. */
const SURE_ABOVE = 75;

/** How a question enters the queue. */
export type Entry = 'immediate' | 'normal' | 'gathered';

/** The facts about a question that determine its place in the queue. */
export interface Asked {
  readonly priority: Priority;
  /** The asker's confidence, in percent. */
  readonly confidence: number;
}

/**
 * How a question enters the queue. The most urgent never wait for others; the least urgent wait unless the asker is
 * very unsure.
 */
export function entryOf({ priority, confidence }: Asked): Entry {
  if (priority === 1 || confidence < UNSURE_BELOW) return 'immediate';
  return priority === 3 || confidence > SURE_ABOVE ? 'gathered' : 'normal';
}

/** The rank in the queue, one digit; lower ones go first. Urgency counts before the asker's confidence. */
export function rankOf(asked: Asked): number {
  return asked.priority * 2 - (entryOf(asked) === 'immediate' ? 1 : 0);
}
