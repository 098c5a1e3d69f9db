/** Rewrites the actions and transitions of a random machine, from the innermost states outwards. */
import { type ActionSpec, type InvokeSpec, type NodeSpec, type TransitionSpec } from './machine-spec.ts';

export interface Rewrite {
  actions(actions: readonly ActionSpec[]): readonly ActionSpec[];
  /** Rewrites a transition on an event that a person or a machine has named; its actions follow. */
  transition?(transition: TransitionSpec): TransitionSpec;
  /** Whether transitions on what becomes of invoked children are rewritten too. */
  readonly hasInvokes?: boolean;
}

/** Actions that throw stand alone, or what was done before them would be judged otherwise. */
const ALONE: ReadonlySet<ActionSpec['do']> = new Set(['boom', 'throw', 'badAssign']);

export function standsAlone(actions: readonly ActionSpec[]): boolean {
  return actions.some((action) => ALONE.has(action.do));
}

/** Puts an action at a place among others: into the queue that stands there, if one does. */
export function withAction(actions: readonly ActionSpec[], place: number, action: ActionSpec): readonly ActionSpec[] {
  const queue = actions[place];
  if (queue?.do === 'queue') return actions.with(place, { ...queue, then: [...queue.then, action] });
  return actions.toSpliced(place, 0, action);
}

export function rewritten(node: NodeSpec, rewrite: Rewrite): NodeSpec {
  if (node.type === 'history') return node;
  const transitions = (specs: readonly TransitionSpec[]) =>
    specs.map((transition) => ({ ...transition, actions: rewrite.actions(transition.actions) }));
  const named = (specs: readonly TransitionSpec[]) =>
    transitions(specs.map((transition) => rewrite.transition?.(transition) ?? transition));
  return {
    ...node,
    states: mapped(node.states, (child) => rewritten(child, rewrite)),
    entry: rewrite.actions(node.entry),
    exit: rewrite.actions(node.exit),
    on: mapped(node.on, (specs) => specs && named(specs)),
    always: transitions(node.always),
    after: mapped(node.after, transitions),
    onDone: transitions(node.onDone),
    ...(node.initialActions && { initialActions: rewrite.actions(node.initialActions) }),
    ...(rewrite.hasInvokes && { invoke: node.invoke.map((invoke) => invokeOf(invoke, transitions)) }),
  };
}

function invokeOf(
  { onDone, onError, onSnapshot, ...invoke }: InvokeSpec,
  transitions: (specs: readonly TransitionSpec[]) => TransitionSpec[],
): InvokeSpec {
  return {
    ...invoke,
    ...(onDone && { onDone: transitions(onDone) }),
    ...(onError && { onError: transitions(onError) }),
    ...(onSnapshot && { onSnapshot: transitions(onSnapshot) }),
  };
}

function mapped<T, U>(record: Readonly<Record<string, T>>, map: (item: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, map(item)]));
}
