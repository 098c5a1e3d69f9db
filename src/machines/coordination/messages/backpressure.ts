/**
 * Backpressure for outside senders of envelopes (CA-089): the bound of the message desk's mailbox, beyond which they
 * are refused, the growing waits until they try again, and the limit on tries. Messages between agents are never
 * refused. Pure.
 */
import { type MessagePriority } from '../../work/talk-messages.ts';

/** Number of unread envelopes from which the message desk refuses the next one. */
export const BACKPRESSURE_DEPTH = 50;

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 800;
const TRIES_MAX = 5;

/**
 * Milliseconds until the next try; null: the message is given up. A critical message is tried for ever, at the longest
 * interval: no acknowledged message is dropped to make room for it.
 *
 * @param tries Refusals so far, from 1.
 */
export function nextTryMs(priority: MessagePriority, tries: number): number | null {
  if (tries >= TRIES_MAX && priority !== 'critical') return null;
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
}
