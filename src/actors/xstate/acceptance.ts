/**
 * The events that an actor's current state takes, for readers, gateways and asks. Asks the machine of its definition
 * about the active state nodes, so that the answer is the same for every form of snapshot. Never throws.
 */
import * as XState from 'xstate';
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject } from 'xstate';
import { type Definition, type Snapshot } from '../model/step-engine.ts';
import { type ActorState } from '../model/state.ts';
import { type XstateDefinition } from './definition.ts';
import { type MachineSnapshot } from './machine-state.ts';
import { withMethods } from './plan-snapshot.ts';

/** An actor in a state. */
export interface Asked {
  readonly definition: Definition;
  readonly state: Pick<ActorState, 'status'>;
  readonly snapshot: Snapshot | undefined;
}

/**
 * Whether some transition with a target or an action is enabled, as XState's `can`. Runs guards; where one throws, the
 * turn will too, and reports it. Logic that is not a machine takes everything.
 */
export function takes(asked: Asked, event: EventObject): boolean {
  if (asked.definition.kind !== 'machine') return true;
  const active = activeOf(asked);
  if (active === undefined) return false;
  try {
    const transitions = active.machine.getTransitionData(withMethods(active.snapshot) as never, event as never);
    return transitions.some(({ target, actions }) => target !== undefined || actions.length > 0);
  } catch {
    return true;
  }
}

/** The types for which an active state has a transition, whatever its guards say now. */
export function taken(asked: Asked, types: readonly string[]): readonly string[] {
  if (asked.definition.kind !== 'machine') return types;
  const active = activeOf(asked);
  if (active === undefined) return [];
  const transitions = XState.getNextTransitions(active.snapshot as unknown as AnyMachineSnapshot);
  const patterns = new Set(transitions.map(({ eventType }) => eventType));
  return types.filter(
    (type) => patterns.has(type) || patterns.has('*') || prefixesOf(type).some((prefix) => patterns.has(`${prefix}.*`)),
  );
}

/** The machine and snapshot of an active actor; undefined if it is not active, or if its code is gone. */
function activeOf({
  definition,
  state,
  snapshot,
}: Asked): { readonly machine: AnyStateMachine; readonly snapshot: MachineSnapshot } | undefined {
  const { logic: machine } = definition as Partial<XstateDefinition>;
  if (machine === undefined || state.status !== 'active') return undefined;
  const { _nodes: nodes } = (snapshot ?? {}) as Partial<MachineSnapshot>;
  return nodes && { machine: machine as AnyStateMachine, snapshot: snapshot as MachineSnapshot };
}

/** The prefixes of a type: for `a.b.c` they are `a` and `a.b`. */
function prefixesOf(type: string): string[] {
  const parts = type.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
