/**
 * Rules for a machine and its event schemas. Each is pure and returns the problem with its place, or undefined. They
 * read the machine's config, not what its functions return: inline logic in `spawn` or `enqueueActions` is refused by
 * the turn that spawns it (xstate/births.ts).
 */
import { type AnyActorLogic, type AnyStateMachine, type AnyStateNode } from 'xstate';
import { didYouMean } from '../../near-names.ts';
import { isMisspelt } from '../model/event-keys.ts';
import { isAsync } from '../../user-code.ts';
import { type LogicKind } from '../model/step-engine.ts';
import {
  actionsOf,
  invokesOf,
  kindOf,
  machinesOf,
  nodesById,
  staticActionsOf,
  transitionsOf,
} from './machine-facts.ts';
import { asyncPlace } from './owed-values.ts';
import { KERNEL_ACTION_PREFIX } from './step-effects.ts';

export interface Declared {
  readonly machine: AnyStateMachine;
  /** Event types with a schema. */
  readonly schemas: readonly string[];
  /** Event types that only other agents or schedules send. */
  readonly internal: readonly string[];
}

const XSTATE_PREFIX = 'xstate.';
const RESERVED = [XSTATE_PREFIX, KERNEL_ACTION_PREFIX, 'child.'];

/** The first problem of an agent, as text that follows the agent's name; undefined if there is none. */
export function refusalOf(declared: Declared): string | undefined {
  const own = wrongSchema(declared) ?? wrongKey(declared);
  if (own !== undefined) return own;
  for (const { machine, owner } of machinesOf(declared.machine)) {
    const refusal =
      wrongSpawn(machine) ?? wrongHistory(machine) ?? wrongName(machine) ?? unimplemented(machine) ?? awaits(machine);
    if (refusal !== undefined) return owner === '' ? refusal : `in ${owner}: ${refusal}`;
  }
  return undefined;
}

/** The reason why an event type cannot be sent to the machine; undefined if it can. */
export function flawOfType(machine: AnyStateMachine, type: string): string | undefined {
  if (type.includes('*')) return `"${type}" is a pattern, not an event type`;
  if (RESERVED.some((prefix) => type.startsWith(prefix))) return `"${type}" is a reserved event type`;
  const handled = [...nodesById(machine).values()].flatMap((node) => [...node.transitions.keys()]);
  if (handled.some((descriptor) => matches(descriptor, type))) return undefined;
  return `no state handles "${type}"${didYouMean(type, handled.filter(isOfUser))}`;
}

function wrongSchema({ machine, schemas }: Declared): string | undefined {
  for (const type of schemas) {
    const flaw = flawOfType(machine, type);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/**
 * Refuses a key in `on` that no declared event sends and that looks like a misspelt event of a schema. If one state has
 * both keys, they are two events: their author saw them side by side.
 */
function wrongKey({ machine, schemas, internal }: Declared): string | undefined {
  const known = new Set([...schemas, ...internal, ...ownEvents(machine)]);
  for (const node of nodesById(machine).values()) {
    for (const key of node.transitions.keys()) {
      if (known.has(key) || !isOfUser(key)) continue;
      const meant = schemas.find((type) => isMisspelt(key, type) && !isBesideIn(machine, key, type));
      if (meant === undefined) continue;
      return (
        `state ${node.id} handles "${key}", for which there is no schema; did you mean "${meant}"? (if other ` +
        `agents send it, list it in \`internal\`)`
      );
    }
  }
  return undefined;
}

function isBesideIn(machine: AnyStateMachine, key: string, type: string): boolean {
  return [...nodesById(machine).values()].some(({ transitions }) => transitions.has(key) && transitions.has(type));
}

/** Event types that the machine and its child machines raise or send themselves. */
function ownEvents(machine: AnyStateMachine): string[] {
  const sent = machinesOf(machine).flatMap((one) =>
    staticActionsOf(one.machine).map(({ event }) => (event as { type?: unknown } | undefined)?.type),
  );
  return sent.filter((type): type is string => typeof type === 'string');
}

function isOfUser(descriptor: string): boolean {
  return !descriptor.startsWith(XSTATE_PREFIX) && !descriptor.includes('*');
}

function matches(descriptor: string, type: string): boolean {
  return (
    descriptor === type ||
    descriptor === '*' ||
    (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)))
  );
}

/**
 * Refuses spawns of logic without a name: after a restart a child's logic is found by name. Inline logic of an `invoke`
 * is named by its place.
 */
function wrongSpawn(machine: AnyStateMachine): string | undefined {
  const actors = machine.implementations.actors as object;
  const invoked = [...nodesById(machine).values()].flatMap(({ config }) =>
    config.invoke === undefined ? [] : [config.invoke].flat(),
  );
  const missing = invoked
    .map(({ src }) => src as unknown)
    .find((src): src is string => typeof src === 'string' && !Object.hasOwn(actors, src));
  if (missing !== undefined) return `it invokes "${missing}", which is not in setup({ actors })`;
  for (const { type, place, src } of staticActionsOf(machine)) {
    if (type !== 'xstate.spawnChild') continue;
    if (typeof src !== 'string') return `${place} spawns inline logic; name it in setup({ actors })`;
    if (!Object.hasOwn(actors, src)) return `${place} spawns "${src}", which is not in setup({ actors })`;
  }
  return undefined;
}

/**
 * Refuses a transition from inside a parallel state to that state's own history. If nothing is remembered yet, XState
 * 5.33 enters the regions without the parallel state, which is an illegal configuration.
 */
function wrongHistory(machine: AnyStateMachine): string | undefined {
  for (const node of nodesById(machine).values()) {
    const target = transitionsOf(node)
      .flatMap(({ target: targets }) => targets ?? [])
      .find((to) => to.type === 'history' && to.parent?.type === 'parallel' && isBelow(node, to.parent));
    if (target === undefined) continue;
    return (
      `state ${node.id} goes to ${target.id}, the history of the parallel state that it is in; go there from ` +
      'outside, or to the state itself'
    );
  }
  return undefined;
}

function isBelow(node: AnyStateNode, ancestor: AnyStateNode): boolean {
  return node.parent !== undefined && (node.parent === ancestor || isBelow(node.parent, ancestor));
}

function wrongName({ implementations }: AnyStateMachine): string | undefined {
  const action = Object.keys(implementations.actions as object).find((name) => name.startsWith(KERNEL_ACTION_PREFIX));
  if (action !== undefined) return `the action name "${action}" is reserved`;
  // XState names inline actors with this prefix.
  const actor = Object.keys(implementations.actors as object).find((name) => name.startsWith(XSTATE_PREFIX));
  return actor === undefined ? undefined : `the actor name "${actor}" is reserved`;
}

/** Refuses a named action, guard or delay without an implementation, which XState would miss only when it needs it. */
function unimplemented(machine: AnyStateMachine): string | undefined {
  const { actions, guards, delays } = machine.implementations as unknown as Record<string, object>;
  for (const node of nodesById(machine).values()) {
    const place = `state ${node.id}`;
    const problem =
      missing(place, 'action', actionsOf(node).flatMap(nameOf), actions!) ??
      missing(
        place,
        'guard',
        transitionsOf(node).flatMap(({ guard }) => guardNames(guard)),
        guards!,
      ) ??
      missing(place, 'delay', Object.keys(node.config.after ?? {}).filter(isDelayName), delays!);
    if (problem !== undefined) return problem;
  }
  for (const [name, guard] of Object.entries(guards!)) {
    const problem = missing(`the guard ${name}`, 'guard', guardNames(guard), guards!);
    if (problem !== undefined) return problem;
  }
  for (const { place, delay } of staticActionsOf(machine)) {
    if (typeof delay !== 'string') continue;
    const problem = missing(place, 'delay', [delay], delays!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Refuses an `async` function where a value is due: XState would take its promise for the value. */
function awaits(machine: AnyStateMachine): string | undefined {
  const place = asyncPlace(machine) ?? asyncLogic(machine);
  if (place === undefined) return undefined;
  return `${place} is an async function, and nobody waits for it there; do the work in an invoked promise`;
}

/** The place of a reducer or of the creator of an observable that was written with `async`. */
function asyncLogic(machine: AnyStateMachine): string | undefined {
  const named = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic | undefined>);
  const inline = [...nodesById(machine).values()].flatMap((node) =>
    invokesOf(node).map(({ src }) => [`invoked by ${node.id}`, src] as const),
  );
  const found = [...named, ...inline].find(
    ([, logic]) => typeof logic === 'object' && OWING.has(kindOf(logic)) && isAsync((logic as Configured).config),
  );
  return found && `the ${kindOf(found[1] as AnyActorLogic)} ${found[0]} of ${machine.id}`;
}

interface Configured {
  readonly config?: unknown;
}

/** The kinds of logic whose function owes a value. */
const OWING: ReadonlySet<LogicKind> = new Set(['transition', 'observable']);

function missing(
  place: string,
  kind: 'action' | 'guard' | 'delay',
  names: readonly string[],
  there: object,
): string | undefined {
  const name = names.find((one) => !Object.hasOwn(there, one));
  if (name === undefined) return undefined;
  const hint = didYouMean(name, Object.keys(there)) || `; implement it in setup({ ${kind}s })`;
  return `${place} names the ${kind} "${name}", which its machine lacks${hint}`;
}

/** The name of an action or guard written as a string or as an object with a type; empty for an inline function. */
function nameOf(written: unknown): string[] {
  if (typeof written === 'string') return [written];
  const type = typeof written === 'object' && written !== null ? (written as { type?: unknown }).type : undefined;
  return typeof type === 'string' ? [type] : [];
}

/** The names of guards, including those within `and`, `or` and `not`. */
function guardNames(guard: unknown): string[] {
  if (typeof guard !== 'function') return nameOf(guard);
  const { guards } = guard as { readonly guards?: unknown };
  return Array.isArray(guards) ? guards.flatMap(guardNames) : [];
}

/** Whether a key of `after` names a delay; a number is a duration. */
function isDelayName(key: string): boolean {
  return Number.isNaN(Number(key));
}
