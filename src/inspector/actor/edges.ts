/** The clickable edges of a chart, and the events that they send. Pure. */
import type { DrawnEdge } from '../../gateway/charts/drawing.ts';

interface Now {
  /** Ids of the active states. */
  readonly active: ReadonlySet<string>;
  /** Types of events that the actor accepts from outside now. */
  readonly sendable: readonly string[];
}

/**
 * The type of the event that takes the edge; undefined if none can be sent now. If a pattern matches several, the
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
