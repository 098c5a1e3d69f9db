/**
 * Immutable snapshots of machines. The state value, the tags and the history of a snapshot belong to all actors in its
 * configuration, and its children to the snapshots that follow it: user code that changed them would change other
 * actors.
 */
import { fixed } from '../../unfreezable.ts';
import { type Family, isLarge } from './family.ts';
import { type MachineSnapshot } from './machine-state.ts';

/** Makes a snapshot immutable, and returns it. The record of a large family stays open, because it grows in place. */
export function closed(snapshot: MachineSnapshot): MachineSnapshot {
  if (Object.isFrozen(snapshot)) return snapshot;
  const { value, tags, children, historyValue, _nodes: nodes } = snapshot;
  deepFrozen(value);
  if (!Object.isFrozen(tags)) fixed(tags as Set<string>);
  if (!isLarge(children as Family)) Object.freeze(children);
  for (const remembered of Object.values(Object.freeze(historyValue))) Object.freeze(remembered);
  Object.freeze(nodes);
  return Object.freeze(snapshot);
}

/** Makes a state value immutable, and returns it. */
export function deepFrozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
