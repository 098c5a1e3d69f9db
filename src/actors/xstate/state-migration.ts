/**
 * Restores a stored state in a machine of another structure: its active nodes, what they invoke, and the delayed
 * transitions they wait for. Does what entering the states would do, except for their entry actions, which have run
 * already. Part of the one place that knows XState's internals (see xstate/definition.ts).
 */
import { type AnyStateMachine, type AnyStateNode, type EventObject, matchesState, type StateValue } from 'xstate';
import { BosunError } from '../../errors.ts';
import { type Entry, type Running, type Standing } from '../model/step-engine.ts';
import { type Ref } from '../model/ref.ts';
import { type MachineSnapshot } from './machine-state.ts';
import { type XstateDefinition } from './definition.ts';
import { nodesById, valueOf } from './machine-facts.ts';

/** The arguments of inputs and delays. XState passes the event that led into the state; here that is the migration. */
interface Args {
  readonly context: unknown;
  readonly event: EventObject;
  readonly self: Ref;
  readonly system: object;
}

interface Invoke {
  readonly id: string;
  readonly src: string;
  readonly input?: unknown;
  readonly systemId?: string;
  readonly onSnapshot?: unknown;
}

export const MIGRATED: EventObject = Object.freeze({ type: 'bosun.migrated' });

/**
 * Enters a machine in a stored state. Throws BOSUN_AGENT_UNREADABLE if the machine has no such state, and rethrows
 * errors of the user's code.
 */
export function enterMachine(
  definition: XstateDefinition,
  stored: Standing,
  running: Running,
  { self, system }: { self: Ref; system: object },
): Entry {
  const machine = definition.logic as AnyStateMachine;
  const nodes = activeNodes(machine, stored.value, definition.name);
  const args: Args = { context: stored.context, event: MIGRATED, self, system };
  const invokes = nodes.flatMap((node) => node.invoke as unknown as Invoke[]);
  const afters = nodes.flatMap((node) =>
    node.after.map(({ eventType, delay }) => ({ id: eventType, delay: delay as unknown })),
  );
  return {
    configuration: definition.configurations.intern(nodes),
    history: rememberedIn(machine, stored.history),
    invokes: new Set(invokes.map(({ id }) => id)),
    afters: new Set(afters.map(({ id }) => id)),
    births: invokes.filter(({ id, src }) => !running.child(id, src)).map((invoke) => birthOf(definition, invoke, args)),
    arms: [...new Map(afters.map((after) => [after.id, after])).values()]
      .filter(({ id }) => !running.timer(id))
      .map(({ id, delay }) => ({
        id,
        delayMs: delayMs(machine, delay, args),
        delay: typeof delay === 'string' ? delay : null,
        event: { type: id },
      })),
  };
}

/** The active nodes for a state value, in XState's order, so that later turns keep it. */
function activeNodes(machine: AnyStateMachine, value: StateValue, name: string): readonly AnyStateNode[] {
  const no = (why: string, cause?: unknown) =>
    new BosunError('BOSUN_AGENT_UNREADABLE', `${JSON.stringify(value)} is not a state of ${name}: ${why}`, { cause });
  if (!isStateValue(value)) throw no('a state value is a name, or an object of state values');
  let made: MachineSnapshot;
  try {
    made = machine.resolveState({ value: value as never, context: {} as never }) as unknown as MachineSnapshot;
  } catch (error) {
    throw no('XState does not know this state', error);
  }
  const nodes = made._nodes;
  const resolved = valueOf(machine.root, new Set(nodes)) as StateValue;
  // XState ignores keys that it does not know.
  if (!matchesState(value, resolved)) throw no(`it would be read as ${JSON.stringify(resolved)}`);
  if (nodes.some(({ type }) => type === 'history')) throw no('a history state is never active');
  if (made.status === 'done') throw no('it is final, and a migration does not end an actor');
  return nodes;
}

/** Whether a value has the form of a state value. XState itself would read any value as some state. */
function isStateValue(value: unknown): value is StateValue {
  if (typeof value === 'string') return true;
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isStateValue)
  );
}

/** The part of a history that the new machine can return to. An entry with a missing state is dropped as a whole. */
function rememberedIn(
  machine: AnyStateMachine,
  history: Standing['history'],
): Record<string, readonly string[]> | null {
  if (history === null) return null;
  const byId = nodesById(machine);
  const isThere = ([id, nodes]: [string, readonly string[]]) =>
    byId.get(id)?.type === 'history' && nodes.every((node) => byId.has(node));
  return Object.fromEntries(Object.entries(history).filter(isThere));
}

function birthOf(
  definition: XstateDefinition,
  { id, src, input, systemId, onSnapshot }: Invoke,
  args: Args,
): Entry['births'][number] {
  const child = definition.child(src);
  if (child === undefined)
    throw new BosunError(
      'BOSUN_AGENT_INVALID',
      `${definition.name} invokes "${src}", which is not in setup({ actors })`,
    );
  const given: unknown = typeof input === 'function' ? (input as (args: Args) => unknown)(args) : input;
  return {
    childId: id,
    src,
    definition: child,
    input: given,
    systemId: systemId ?? null,
    syncSnapshot: onSnapshot !== undefined,
  };
}

function delayMs(machine: AnyStateMachine, delay: unknown, args: Args): number {
  const named: unknown =
    typeof delay === 'string' ? (machine.implementations.delays as Record<string, unknown>)[delay] : delay;
  const ms: unknown =
    typeof named === 'function' ? (named as (args: Args, params: unknown) => unknown)(args, {}) : named;
  if (typeof ms === 'number' && !Number.isNaN(ms)) return ms;
  throw new BosunError('BOSUN_AGENT_INVALID', `the delay ${String(delay)} of ${machine.id} is not a number`);
}
