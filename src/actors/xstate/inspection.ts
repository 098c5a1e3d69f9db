/** What XState tells of its microsteps, in our words. Part of the one place that knows XState's internals (see xstate/definition.ts). */
import { type TakenTransition } from '../engine.ts';

interface Transition {
  readonly eventType: string;
  readonly source: { readonly id: string; readonly always?: readonly Transition[]; readonly transitions: ReadonlyMap<string, readonly Transition[]> };
  readonly target: readonly { readonly id: string }[] | undefined;
}

/** XState's `@xstate.microstep`. */
export interface Inspected {
  readonly _transitions?: readonly Transition[];
}

export function takenBy({ _transitions = [] }: Inspected): readonly TakenTransition[] {
  return _transitions.map((transition) => {
    const { source, eventType, target } = transition;
    const siblings = source.transitions.get(eventType) ?? source.always ?? [];
    return { from: source.id, event: eventType, index: siblings.indexOf(transition), to: (target ?? []).map(({ id }) => id) };
  });
}
