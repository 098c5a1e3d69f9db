/**
 * A machine as data: its states and transitions as XState resolved them, in the machine's own order. Made from the live
 * state nodes, because `machine.definition` lacks `always` and the config has unresolved targets. All drawings and
 * exports of machines are made from it. Functions are given by name only.
 */
import { createHash } from 'node:crypto';
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { actionName, guardName, historyDefault, transitionName } from '../../actors/xstate/names.ts';
import { BosunError } from '../../errors.ts';
import { CHART_STATES_MAX, CHART_TRANSITIONS_MAX } from '../limits.ts';

export interface Chart {
  readonly id: string;
  /** The machine's version, as written in its config. */
  readonly version: string | null;
  /** Sixteen hexadecimal digits over all other fields: machines with the same drawing have the same hash. */
  readonly hash: string;
  /** States in document order, the root first. */
  readonly states: readonly ChartState[];
  /** Transitions by source in document order, then in the source's own order. */
  readonly transitions: readonly ChartTransition[];
}

export interface ChartState {
  /** XState's id, unique in the machine. */
  readonly id: string;
  readonly key: string;
  /** The parent's id; null for the root. */
  readonly parent: string | null;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** The kind of a history state; null for other states. */
  readonly history: 'shallow' | 'deep' | null;
  /** Id of the initial child of a compound state, and the actions of its initial transition. */
  readonly initial: string | null;
  readonly initialActions: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly { readonly id: string; readonly src: string }[];
  readonly tags: readonly string[];
  readonly description: string | null;
}

/** The kind of a transition. `default` leads from a history state to its target without a past. */
export type TransitionKind = 'event' | 'always' | 'after' | 'done' | 'error' | 'snapshot' | 'default';

export interface ChartTransition {
  /**
   * The transition's id, made of source, event and index among the candidates for that event. It is the same in every
   * process and every copy of the machine.
   */
  readonly id: string;
  readonly source: string;
  /** Ids of the target states; empty if the state does not change. */
  readonly targets: readonly string[];
  readonly kind: TransitionKind;
  /** The event descriptor as XState matches it, `''` for `always`. */
  readonly event: string;
  /** The name that belongs to the kind: of the event, or of the invoke that ended; empty for other kinds. */
  readonly about: string;
  /** Delay of an `after`: milliseconds, or the name of a delay. */
  readonly delay: number | string | null;
  readonly guard: string | null;
  readonly actions: readonly string[];
  readonly reenter: boolean;
  /** Whether the source is not exited. */
  readonly isInternal: boolean;
  /** Whether the transition takes the event and does nothing, so that no ancestor receives it. */
  readonly isForbidden: boolean;
  readonly description: string | null;
}

type XStateTransition = NonNullable<AnyStateNode['always']>[number];

/**
 * The chart of a machine. Throws BOSUN_CHART_TOO_LARGE for more than {@link CHART_STATES_MAX} states or {@link
 * CHART_TRANSITIONS_MAX} transitions.
 */
export function chartOf(machine: AnyStateMachine): Chart {
  const nodes = nodesBelow(machine.root as AnyStateNode);
  const states = nodes.map(stateOf);
  const transitions = nodes.flatMap((node) => [...ownTransitions(node).map(transitionOf), ...defaultOf(node)]);
  if (states.length > CHART_STATES_MAX || transitions.length > CHART_TRANSITIONS_MAX) {
    throw new BosunError(
      'BOSUN_CHART_TOO_LARGE',
      `the machine ${machine.id} has ${states.length} states and ${transitions.length} transitions; at most ` +
        `${CHART_STATES_MAX} and ${CHART_TRANSITIONS_MAX} can be drawn`,
    );
  }
  const chart = { id: machine.id, version: machine.version ?? null, states, transitions };
  return { ...chart, hash: createHash('sha256').update(JSON.stringify(chart)).digest('hex').slice(0, 16) };
}

/** The id in a chart of a transition that XState took, in any copy of the machine. */
export function transitionId(transition: XStateTransition): string {
  const source = transition.source as AnyStateNode;
  const event = transition.eventType as string;
  const among = (event === '' ? source.always : source.transitions.get(event)) ?? [];
  return transitionName(source.id, event, among.indexOf(transition));
}

/** States by their parent, the root under null. */
export function childrenOf({ states }: Chart): ReadonlyMap<string | null, readonly ChartState[]> {
  const children = new Map<string | null, ChartState[]>();
  for (const state of states) {
    const siblings = children.get(state.parent);
    if (siblings === undefined) children.set(state.parent, [state]);
    else siblings.push(state);
  }
  return children;
}

function nodesBelow(root: AnyStateNode): AnyStateNode[] {
  return [root, ...Object.values(root.states as Record<string, AnyStateNode>).flatMap(nodesBelow)];
}

function stateOf(node: AnyStateNode): ChartState {
  const initial = node.type === 'compound' ? node.initial : undefined;
  return {
    id: node.id,
    key: node.parent === undefined ? node.machine.id : node.key,
    parent: (node.parent as AnyStateNode | undefined)?.id ?? null,
    type: node.type,
    history: node.type !== 'history' ? null : node.history === 'deep' ? 'deep' : 'shallow',
    initial: (initial?.target[0] as AnyStateNode | undefined)?.id ?? null,
    initialActions: names(initial?.actions ?? []),
    entry: names(node.entry),
    exit: names(node.exit),
    invokes: node.invoke.map(({ id, src }) => ({
      id,
      src: typeof src === 'string' && !src.startsWith('xstate.invoke.') ? src : '(inline)',
    })),
    tags: [...node.tags],
    description: node.description ?? null,
  };
}

function names(actions: readonly unknown[]): string[] {
  return actions.map(actionName).filter((name) => name !== undefined);
}

function ownTransitions(node: AnyStateNode): XStateTransition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

function transitionOf(transition: XStateTransition): ChartTransition {
  const source = transition.source as AnyStateNode;
  const targets = (transition.target ?? []) as readonly AnyStateNode[];
  const event = transition.eventType as string;
  const { delay } = transition as { delay?: number | string };
  const actions = names(transition.actions);
  const { guard } = transition as { guard?: unknown };
  return {
    id: transitionId(transition),
    source: source.id,
    targets: targets.map(({ id }) => id),
    ...kindOf(event, delay),
    event,
    delay: delay ?? null,
    guard: guard === undefined ? null : guardName(guard),
    actions,
    reenter: transition.reenter,
    isInternal: !transition.reenter && targets.every((target) => isWithin(target, source)),
    isForbidden: targets.length === 0 && actions.length === 0 && guard === undefined,
    description: transition.description ?? null,
  };
}

const PREFIXES: readonly (readonly [prefix: string, kind: TransitionKind])[] = [
  ['xstate.done.actor.', 'done'],
  ['xstate.error.actor.', 'error'],
  ['xstate.snapshot.', 'snapshot'],
];

function kindOf(event: string, delay: number | string | undefined): Pick<ChartTransition, 'kind' | 'about'> {
  if (event === '') return { kind: 'always', about: '' };
  if (delay !== undefined) return { kind: 'after', about: '' };
  if (event.startsWith('xstate.done.state.')) return { kind: 'done', about: '' };
  const found = PREFIXES.find(([prefix]) => event.startsWith(prefix));
  return found === undefined
    ? { kind: 'event', about: event }
    : { kind: found[1], about: event.slice(found[0].length) };
}

function defaultOf(node: AnyStateNode): ChartTransition[] {
  if (node.type !== 'history') return [];
  const targets = historyDefault(node).map(({ id }) => id);
  const rest = {
    event: '',
    about: '',
    delay: null,
    guard: null,
    actions: [],
    reenter: false,
    isInternal: false,
    isForbidden: false,
    description: null,
  };
  return [{ id: transitionName(node.id, '', 0), source: node.id, targets, kind: 'default', ...rest }];
}

function isWithin(node: AnyStateNode, ancestor: AnyStateNode): boolean {
  let at: AnyStateNode | undefined = node;
  while (at !== undefined && at !== ancestor) at = at.parent as AnyStateNode | undefined;
  return at === ancestor;
}
