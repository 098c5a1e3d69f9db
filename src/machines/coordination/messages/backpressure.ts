/**
 * What a sender from outside does when a mailbox is full (CA-089): waits that grow, and an end to trying. Pure; a
 * mailbox's bound is `limits.mailboxMessages` of its agent, and messages between agents are never refused.
 */
import { type MessagePriority } from '../../work/talk-messages.ts';

/** Unread messages over which what is not critical is refused. For `limits.mailboxMessages`. */
export const BACKPRESSURE_DEPTH = 50;

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 800;
const TRIES_MAX = 5;

/**
 * How long to wait before the next try; null: the message is given up. A critical one is tried without end, at the
 * longest interval: nothing that was acknowledged is thrown out for it, so it waits for room.
 *
 * @param tries Refusals so far, from 1.
 */
export function nextTryMs(priority: MessagePriority, tries: number): number | null {
  if (tries >= TRIES_MAX && priority !== 'critical') return null;
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
}

/**
 * The kernel has three levels beside its own lane for Bosses; what is critical and what is high share the first
 * (CA-088).
 */
export const KERNEL_LEVELS = {
  critical: 'high',
  high: 'high',
  normal: 'normal',
  low: 'low',
} as const satisfies Readonly<Record<MessagePriority, string>>;
