/**
 * Levels of events: what an agent declares, and what of a message follows from it. A level goes by the type of the
 * event, whoever sends it. Which message is next is the mailbox's affair.
 */
import { type EventObject } from 'xstate';

/** Within one level messages keep their order. */
export type Priority = 'high' | 'normal' | 'low';

/** By event type; -1 for high, 1 for low. */
export type Priorities = ReadonlyMap<string, number>;

const LEVELS: Readonly<Record<Priority, number>> = { high: -1, normal: 0, low: 1 };

/**
 * @param flawOf What keeps an event type from being one the machine may be sent. Throws an Error that names the place.
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
      throw new Error(`priorities: that of "${type}" is one of ${Object.keys(LEVELS).join(', ')}`);
    if (priority !== 'normal') levels.set(type, LEVELS[priority]);
  }
  return levels.size === 0 ? undefined : levels;
}

/** Signals of children, words of the kernel and the like are of the normal level. */
export function levelOf(priorities: Priorities, { kind, event }: { kind: string; event: EventObject }): number {
  return kind === 'event' ? (priorities.get(event.type) ?? 0) : 0;
}
