/**
 * Backpressure for outside senders whose receiver's mailbox is full (CA-089): growing waits, and a limit on tries.
 * Pure; a mailbox's bound is `limits.mailboxMessages` of its agent, and messages between agents are never refused.
 */
import { type MessagePriority } from '../../work/talk-messages.ts';

/** Number of unread messages beyond which all but critical messages are refused. Meant for `limits.mailboxMessages`. */
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

/**
 * Kernel levels by priority (CA-088). The kernel has three levels, and a separate lane for Bosses; `critical` and
 * `high` share the first level.
 */
export const KERNEL_LEVELS = {
  critical: 'high',
  high: 'high',
  normal: 'normal',
  low: 'low',
} as const satisfies Readonly<Record<MessagePriority, string>>;
