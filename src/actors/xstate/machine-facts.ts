/**
 * Facts of a machine of XState that can be read without running it: its nodes, transitions and static actions, its
 * child machines, the kind of its logic, and a hash of its structure. Part of the one place that knows XState's
 * internals (see definition.ts).
 */
import { createHash } from 'node:crypto';
import {
  type AnyActorLogic,
  type AnyStateMachine,
  type AnyStateNode,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
} from 'xstate';
import { BosunError } from '../../errors.ts';
import { type DurableAction, type LogicKind } from '../model/step-engine.ts';

/** Whether logic is a machine. Checks XState's mark, not the class: a host may use another copy of XState. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && '__xstatenode' in logic;
}

/** The invokes of a node, from its config. */
export function invokesOf(node: AnyStateNode): { src: string | AnyActorLogic }[] {
  const invoke = node.config.invoke as { src: string | AnyActorLogic } | { src: string | AnyActorLogic }[] | undefined;
  return invoke === undefined ? [] : Array.isArray(invoke) ? invoke : [invoke];
}

/** Every state node of a machine by its id. */
export function nodesById(machine: AnyStateMachine): ReadonlyMap<string, AnyStateNode> {
  return (machine as unknown as { idMap: ReadonlyMap<string, AnyStateNode> }).idMap;
}

/**
 * A custom action of a machine; undefined if the machine lacks it, and for actions that XState performs itself (assign,
 * sendTo, ...).
 */
export function customAction(machine: AnyStateMachine, name: string): DurableAction['exec'] | undefined {
  const actions = machine.implementations.actions as Record<string, unknown>;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  return typeof action === 'function' && !('resolve' in action) ? (action as DurableAction['exec']) : undefined;
}

/** The state value of the active nodes below `node`, with regions in the order of the nodes, as in XState. */
export function valueOf(node: AnyStateNode, active: ReadonlySet<AnyStateNode>): unknown {
  const children = [...active].filter(({ parent }) => parent === node);
  if (node.type === 'parallel') return Object.fromEntries(children.map((child) => [child.key, valueOf(child, active)]));
  const [child] = children;
  if (child === undefined) return {};
  const below = valueOf(child, active);
  const isLeaf = typeof below === 'object' && below !== null && Object.keys(below).length === 0;
  return isLeaf && child.type !== 'parallel' ? child.key : { [child.key]: below };
}

/**
 * A machine and all machines below it, named or invoked inline, each listed once. `owner` is the path of names to the
 * machine.
 */
export function machinesOf(
  machine: AnyStateMachine,
  owner = '',
  seen = new Set<unknown>(),
): { machine: AnyStateMachine; owner: string }[] {
  if (seen.has(machine)) return [];
  seen.add(machine);
  const named = Object.entries(machine.implementations.actors as Record<string, unknown>);
  const inline = [...nodesById(machine).values()].flatMap((node) =>
    invokesOf(node).map(({ src }): [string, unknown] => [`the invoke of ${node.id}`, src]),
  );
  const below = [...named, ...inline].flatMap(([name, logic]) =>
    isMachine(logic) ? machinesOf(logic, owner === '' ? name : `${owner} > ${name}`, seen) : [],
  );
  return [{ machine, owner }, ...below];
}

/** An action of a machine that can be read without running it. */
export interface StaticAction {
  /** The state node, or the name in `setup({ actions })`. */
  readonly place: string;
  /** XState's type of the action, such as `xstate.raise` or `xstate.spawnChild`. */
  readonly type: string;
  /** The source of a `spawnChild`. */
  readonly src?: unknown;
  /** The event of a `raise`, `sendTo`, `sendParent`. */
  readonly event?: unknown;
  /** The name of that event's delay, if it has one. */
  readonly delay?: unknown;
}

export function staticActionsOf(machine: AnyStateMachine): StaticAction[] {
  const found = (place: string, actions: readonly unknown[]) =>
    actions
      .filter((action) => typeof action === 'function' && 'resolve' in action)
      .map((action) => ({ ...(action as unknown as Omit<StaticAction, 'place'>), place }));
  const implemented = Object.entries(machine.implementations.actions as Record<string, unknown>);
  const named = implemented.flatMap(([name, action]) => found(`the action ${name}`, [action]));
  const inNodes = [...nodesById(machine).values()].flatMap((node) => found(`state ${node.id}`, actionsOf(node)));
  return [...named, ...inNodes];
}

/** The actions of a node in the form in which they were written: names, objects with a type, functions. */
export function actionsOf(node: AnyStateNode): readonly unknown[] {
  const taken = transitionsOf(node).flatMap(({ actions }) => actions);
  const initial = node.type === 'compound' ? node.initial.actions : [];
  return [...node.entry, ...node.exit, ...initial, ...taken];
}

/** All transitions of a node: by events, by delays, by the ends of children, eventless. */
export function transitionsOf(node: AnyStateNode): AnyTransition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

type AnyTransition = NonNullable<AnyStateNode['always']>[number];

const INLINE_INVOKE = /^xstate\.invoke\.(\d+)\.(.*)$/;

/** The logic of a machine for this `src`: by name, or by the place of an inline invoke. */
export function childLogic(machine: AnyStateMachine, src: string): AnyActorLogic | undefined {
  const inline = INLINE_INVOKE.exec(src);
  if (inline === null) return (machine.implementations.actors as Record<string, AnyActorLogic | undefined>)[src];
  const [, index, nodeId] = inline;
  const found = invokesOf(machine.getStateNodeById(nodeId!))[Number(index)]?.src;
  return typeof found === 'object' ? found : undefined;
}

/**
 * The kind of a logic object, which XState does not record. Objects of one creator share the source text of their
 * `transition`, so the text is compared with a sample of each creator.
 */
export function kindOf(logic: AnyActorLogic): LogicKind {
  return KINDS.get(String(logic.transition)) ?? 'custom';
}

const KINDS: ReadonlyMap<string, LogicKind> = new Map([
  [String(fromPromise(async () => {}).transition), 'promise'],
  [String(fromCallback(() => {}).transition), 'callback'],
  [String(fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })).transition), 'observable'],
  [String(fromEventObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })).transition), 'observable'],
  [String(fromTransition(() => 0, 0).transition), 'transition'],
]);

/** A hash of a machine's structure: twelve hexadecimal digits. Ignores bodies of guards and actions (design P12). */
export function structuralHash(machine: AnyStateMachine): string {
  const nodes = [...nodesById(machine).values()].map((node) => ({
    id: node.id,
    type: node.type,
    history: node.history,
    initial: node.type === 'compound' ? node.initial.target?.map((target) => target.id) : undefined,
    tags: node.tags,
    invoke: node.invoke.map(({ id, src }) => [id, src]),
    transitions: [...node.transitions].map(([descriptor, transitions]) => [
      descriptor,
      transitions.map((transition) => [transition.target?.map((target) => target.id), transition.reenter]),
    ]),
    always: node.always?.map((transition) => transition.target?.map((target) => target.id)),
  }));
  if (nodes.length === 0) throw new BosunError('BOSUN_AGENT_INVALID', `machine ${machine.id} has no states`);
  return createHash('sha256')
    .update(JSON.stringify([machine.id, nodes]))
    .digest('hex')
    .slice(0, 12);
}
