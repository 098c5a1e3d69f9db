/**
 * Whether, and which, events the present state of a machine takes. By XState's published functions; decides nothing.
 */
import { type AnyMachineSnapshot, type EventObject, getNextTransitions } from 'xstate';
import { type Snapshot } from '../model/step-engine.ts';

/**
 * XState's `can`: some transition is enabled that has a target or an action. Runs guards; where one throws, the turn
 * will too, and says so. Logic that is no machine takes everything.
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

/** Those of the types for which a state that is active has a transition, whatever its guards say now. */
export function taken(snapshot: Snapshot | undefined, types: readonly string[]): readonly string[] {
  const { can, status } = (snapshot ?? {}) as Partial<AnyMachineSnapshot>;
  if (typeof can !== 'function') return types;
  if (status !== 'active') return [];
  const patterns = new Set(getNextTransitions(snapshot as AnyMachineSnapshot).map(({ eventType }) => eventType));
  return types.filter(
    (type) => patterns.has(type) || patterns.has('*') || prefixesOf(type).some((prefix) => patterns.has(`${prefix}.*`)),
  );
}

/** `a.b.c`: `a`, `a.b`. */
function prefixesOf(type: string): string[] {
  const parts = type.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
