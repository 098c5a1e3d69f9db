/**
 * Priorities of events: how an agent declares them, and the level of a message. A level depends on the type of the
 * event, not on its sender. The mailbox decides which message is next.
 */
import { type EventObject } from 'xstate';

/** Messages within one priority keep their order. */
export type Priority = 'high' | 'normal' | 'low';

/** Levels by event type: -1 for high, 1 for low. */
export type Priorities = ReadonlyMap<string, number>;

const LEVELS: Readonly<Record<Priority, number>> = { high: -1, normal: 0, low: 1 };

/**
 * Parses declared priorities.
 *
 * @param flawOf Says why an event type cannot be sent to the machine. Throws an Error that names the place.
 */
export function parsePriorities(
  declared: Readonly<Record<string, Priority | undefined>>,
  flawOf: (type: string) => string | undefined,
): Priorities | undefined {
  const levels = new Map<string, number>();
  for (const [type, priority] of Object.entries(declared)) {
    if (priority === undefined) continue;
    const flaw = flawOf(type);
    if (flaw !== undefined) throw new Error(`priorities: ${flaw}`);
    if (!Object.hasOwn(LEVELS, priority))
      throw new Error(`priorities: the one of "${type}" must be one of ${Object.keys(LEVELS).join(', ')}`);
    if (priority !== 'normal') levels.set(type, LEVELS[priority]);
  }
  return levels.size === 0 ? undefined : levels;
}

/** The level of a message. Signals of children, messages of the kernel and the like have the normal level. */
export function levelOf(priorities: Priorities, { kind, event }: { kind: string; event: EventObject }): number {
  return kind === 'event' ? (priorities.get(event.type) ?? 0) : 0;
}
