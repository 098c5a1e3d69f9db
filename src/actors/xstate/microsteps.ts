/**
 * Converts XState's reports of microsteps. Part of the one place that knows XState's internals (see
 * xstate/definition.ts).
 */
import { type AnyStateMachine } from 'xstate';
import { type Definition, type Taken, type TakenTransition } from '../model/step-engine.ts';
import { type XstateDefinition } from './definition.ts';
import { isMachine } from './machine-facts.ts';
import { transitionName } from './names.ts';

interface Transition {
  readonly eventType: string;
  readonly source: {
    readonly id: string;
    readonly always?: readonly Transition[];
    readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  };
  readonly target: readonly { readonly id: string }[] | undefined;
}

/** XState's `@xstate.microstep`. */
export interface Inspected {
  readonly _transitions?: Taken;
}

export function takenBy(taken: Taken): readonly TakenTransition[] {
  return (taken as readonly Transition[]).map((transition) => {
    const { source, eventType, target } = transition;
    const siblings = source.transitions.get(eventType) ?? source.always ?? [];
    const index = siblings.indexOf(transition);
    return {
      edge: transitionName(source.id, eventType, index),
      from: source.id,
      event: eventType,
      index,
      to: (target ?? []).map(({ id }) => id),
    };
  });
}

/** The machine of a definition; undefined for other logic, and for one that the code lacks. */
export function machineOf(definition: Definition): AnyStateMachine | undefined {
  const { logic } = definition as Partial<XstateDefinition>;
  return isMachine(logic) ? logic : undefined;
}
