/**
 * What can be read off a machine of XState without running it: its nodes, transitions and static actions, the machines
 * within it, what its logic was made by, and a hash of its structure. Part of the one place that knows XState's
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

/** By its mark, not its class: a host may have another copy of XState than Bosun. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && '__xstatenode' in logic;
}

/** What a node invokes, as its config says it. */
export function invokesOf(node: AnyStateNode): { src: string | AnyActorLogic }[] {
  const invoke = node.config.invoke as { src: string | AnyActorLogic } | { src: string | AnyActorLogic }[] | undefined;
  return invoke === undefined ? [] : Array.isArray(invoke) ? invoke : [invoke];
}

/** Every state node of a machine by its id. */
export function nodesById(machine: AnyStateMachine): ReadonlyMap<string, AnyStateNode> {
  return (machine as unknown as { idMap: ReadonlyMap<string, AnyStateNode> }).idMap;
}

/**
 * A custom action of a machine; undefined for a name without one, and for what XState performs itself (assign, sendTo,
 * ...).
 */
export function customAction(machine: AnyStateMachine, name: string): DurableAction['exec'] | undefined {
  const actions = machine.implementations.actions as Record<string, unknown>;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  return typeof action === 'function' && !('resolve' in action) ? (action as DurableAction['exec']) : undefined;
}

/**
 * The state value that the active nodes below `node` amount to. In XState the regions come in the order of the nodes,
 * too.
 */
export function valueOf(node: AnyStateNode, active: ReadonlySet<AnyStateNode>): unknown {
  const children = [...active].filter(({ parent }) => parent === node);
  if (node.type === 'parallel') return Object.fromEntries(children.map((child) => [child.key, valueOf(child, active)]));
  const [child] = children;
  if (child === undefined) return {};
  const below = valueOf(child, active);
  const isLeaf = typeof below === 'object' && below !== null && Object.keys(below).length === 0;
  return isLeaf && child.type !== 'parallel' ? child.key : { [child.key]: below };
}

/** A machine and every machine that it names or has inline, each once. `owner` says of which one it is part. */
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

/**
 * What the machine itself says, as far as it can be seen without running it: functions that return an event or a child
 * are not.
 */
export interface StaticAction {
  /** The state node, or the name in `setup({ actions })`. */
  readonly place: string;
  /** As XState names its own: `xstate.raise`, `xstate.spawnChild`. */
  readonly type: string;
  /** The source of a `spawnChild`. */
  readonly src?: unknown;
  /** The event of a `raise`, `sendTo`, `sendParent`. */
  readonly event?: unknown;
}

export function staticActionsOf(machine: AnyStateMachine): StaticAction[] {
  const found = (place: string, actions: readonly unknown[]) =>
    actions
      .filter((action) => typeof action === 'function' && 'resolve' in action)
      .map((action) => ({ ...(action as unknown as Omit<StaticAction, 'place'>), place }));
  const implemented = Object.entries(machine.implementations.actions as Record<string, unknown>);
  const named = implemented.flatMap(([name, action]) => found(`the action ${name}`, [action]));
  const inNodes = [...nodesById(machine).values()].flatMap((node) => {
    const taken = transitionsOf(node).flatMap(({ actions }) => actions);
    const initial = node.type === 'compound' ? node.initial.actions : [];
    return found(`state ${node.id}`, [...node.entry, ...node.exit, ...initial, ...taken]);
  });
  return [...named, ...inNodes];
}

/** All transitions of a node: by events, by delays, by the ends of children, eventless. */
export function transitionsOf(node: AnyStateNode): AnyTransition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

type AnyTransition = NonNullable<AnyStateNode['always']>[number];

const INLINE_INVOKE = /^xstate\.invoke\.(\d+)\.(.*)$/;

/** What a machine runs under this `src`: by name, or by the place of an inline invoke. */
export function childLogic(machine: AnyStateMachine, src: string): AnyActorLogic | undefined {
  const inline = INLINE_INVOKE.exec(src);
  if (inline === null) return (machine.implementations.actors as Record<string, AnyActorLogic | undefined>)[src];
  const [, index, nodeId] = inline;
  const found = invokesOf(machine.getStateNodeById(nodeId!))[Number(index)]?.src;
  return typeof found === 'object' ? found : undefined;
}

/**
 * XState does not say what a logic object was made by. Objects of one creator share the source text of their
 * transition, so that is compared with a sample of each.
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

/** Twelve hexadecimal digits over everything structural; bodies of guards and actions are not seen (design P12). */
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
