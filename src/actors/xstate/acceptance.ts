/** The events that the current state of a machine accepts. Uses XState's public functions; decides nothing. */
import { type AnyMachineSnapshot, type EventObject, getNextTransitions } from 'xstate';
import { type Snapshot } from '../model/step-engine.ts';

/**
 * Whether some transition with a target or an action is enabled, as XState's `can`. Runs guards; where one throws, the
 * turn will too, and reports it. Logic that is not a machine accepts everything.
 */
export function takes(snapshot: Snapshot | undefined, event: EventObject): boolean {
  const { can, status } = (snapshot ?? {}) as Partial<AnyMachineSnapshot>;
  if (typeof can !== 'function') return true;
  if (status !== 'active') return false;
  try {
    return (snapshot as AnyMachineSnapshot).can(event);
  } catch {
    return true;
  }
}

/** The types for which an active state has a transition, whatever its guards say now. */
export function taken(snapshot: Snapshot | undefined, types: readonly string[]): readonly string[] {
  const { can, status } = (snapshot ?? {}) as Partial<AnyMachineSnapshot>;
  if (typeof can !== 'function') return types;
  if (status !== 'active') return [];
  const patterns = new Set(getNextTransitions(snapshot as AnyMachineSnapshot).map(({ eventType }) => eventType));
  return types.filter(
    (type) => patterns.has(type) || patterns.has('*') || prefixesOf(type).some((prefix) => patterns.has(`${prefix}.*`)),
  );
}

/** The prefixes of a type: for `a.b.c` they are `a` and `a.b`. */
function prefixesOf(type: string): string[] {
  const parts = type.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
