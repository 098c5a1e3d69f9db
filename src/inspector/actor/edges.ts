/** Which edges of a chart can be pressed, and what that sends. Pure. */
import type { DrawnEdge } from '../../gateway/charts/drawing.ts';

interface Now {
  /** Ids of the states that are active. */
  readonly active: ReadonlySet<string>;
  /** Types of events that the actor takes from outside now. */
  readonly sendable: readonly string[];
}

/**
 * The type of event that takes the edge; undefined where none can be sent now. Of several that a pattern fits, the
 * first.
 */
export function sendableBy(
  { kind, source, event }: Pick<DrawnEdge, 'kind' | 'source' | 'event'>,
  { active, sendable }: Now,
): string | undefined {
  if (kind !== 'event' || !active.has(source)) return undefined;
  if (event === '*') return sendable[0];
  if (!event.endsWith('.*')) return sendable.find((type) => type === event);
  const start = event.slice(0, -2);
  return sendable.find((type) => type === start || type.startsWith(`${start}.`));
}
