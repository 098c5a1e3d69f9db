/**
 * What a machine and its event schemas may not be: pure rules, each of which says what is wrong and where, or nothing.
 * They see what stands in the machine, not what its functions return: `spawn` in an `assign` and `enqueueActions` with
 * inline logic are refused by the turn that does it (xstate/births.ts).
 */
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { didYouMean } from '../../near-names.ts';
import { isMisspelt } from '../model/event-keys.ts';
import { machinesOf, nodesById, staticActionsOf, transitionsOf } from './machine-facts.ts';
import { KERNEL_ACTION_PREFIX } from './step-effects.ts';

export interface Declared {
  readonly machine: AnyStateMachine;
  /** Event types with a schema. */
  readonly schemas: readonly string[];
  /** Event types declared to come from other agents or from schedules only. */
  readonly internal: readonly string[];
}

const XSTATE_PREFIX = 'xstate.';
const RESERVED = [XSTATE_PREFIX, KERNEL_ACTION_PREFIX, 'child.'];

/** What is wrong with an agent, in words that follow its name; undefined where nothing is. */
export function refusalOf(declared: Declared): string | undefined {
  const own = wrongSchema(declared) ?? wrongKey(declared);
  if (own !== undefined) return own;
  for (const { machine, owner } of machinesOf(declared.machine)) {
    const refusal = wrongSpawn(machine) ?? wrongHistory(machine) ?? wrongName(machine);
    if (refusal !== undefined) return owner === '' ? refusal : `in ${owner}: ${refusal}`;
  }
  return undefined;
}

/** What keeps an event type from being one that the machine may be sent; undefined where nothing does. */
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
 * A key in `on` of which nothing says who sends it, and which reads as that of a schema misspelt. Where one state has
 * both they are two events: whoever wrote them saw them side by side.
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

/** Event types that the machine and those below it raise or send themselves. */
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

/** After a restart a child is found by the name of its logic. What is inline in `invoke` has one, by its place. */
function wrongSpawn(machine: AnyStateMachine): string | undefined {
  const actors = machine.implementations.actors as object;
  const invoked = [...nodesById(machine).values()].flatMap(({ config }) =>
    config.invoke === undefined ? [] : [config.invoke].flat(),
  );
  const missing = invoked
    .map(({ src }) => src as unknown)
    .find((src): src is string => typeof src === 'string' && !Object.hasOwn(actors, src));
  if (missing !== undefined) return `it invokes "${missing}", which its actors lack`;
  for (const { type, place, src } of staticActionsOf(machine)) {
    if (type !== 'xstate.spawnChild') continue;
    if (typeof src !== 'string') return `${place} spawns inline logic; name it in setup({ actors })`;
    if (!Object.hasOwn(actors, src)) return `${place} spawns "${src}", which its actors lack`;
  }
  return undefined;
}

/**
 * A history state directly below a parallel state stands for that state as a whole. On a way to it from inside, before
 * there is a past, XState (5.33) enters the regions without the parallel state: an illegal configuration.
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
  // So XState names what is inline.
  const actor = Object.keys(implementations.actors as object).find((name) => name.startsWith(XSTATE_PREFIX));
  return actor === undefined ? undefined : `the actor name "${actor}" is reserved`;
}
