/**
 * A machine made ready for hosting: a copy in which every named or inline actor is a stub, delays tell their names,
 * spawns do not copy large families, and neither ever-new event types nor endless loops hold the process. Part of the
 * one place that knows XState's internals (see definition.ts).
 *
 * Why stubs: XState runs a child's initial transition when it describes the spawn, which would be inside the parent's
 * pure step; the real child is born by the kernel later.
 */
import { type AnyActorLogic, type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { MICROSTEPS_MAX, PATTERN_LOOKUPS_MAX } from '../../limits.ts';
import { wrapped } from './family.ts';
import { invokesOf, nodesById, transitionsOf } from './machine-facts.ts';

/** The named delay that XState has looked up for the action it describes next: the description has only its number. */
export interface DelayLookUp {
  name: string | null;
}

/** @param lookUp Is told the name of a delay when XState asks for its length. */
export function hostable(machine: AnyStateMachine, lookUp: DelayLookUp): AnyStateMachine {
  const stubs = Object.fromEntries(
    Object.entries(machine.implementations.actors as Record<string, AnyActorLogic | undefined>)
      .filter(([, logic]) => logic !== undefined)
      .map(([src, logic]) => [src, stub(logic as AnyActorLogic)]),
  );
  const hosted = machine.provide({ actors: stubs, delays: noting(machine, lookUp) }) as AnyStateMachine;
  for (const node of nodesById(hosted).values()) {
    stubInlineInvokes(node);
    boundLookups(node);
  }
  if (Object.keys(stubs).length > 0) wrapSpawns(hosted);
  const options = hosted.options as { maxIterations: number };
  // Not only where the machine says nothing: one that says Infinity would hold the process for ever.
  if (!(options.maxIterations <= MICROSTEPS_MAX)) options.maxIterations = MICROSTEPS_MAX;
  return hosted;
}

/**
 * Has a machine that may spawn do so without copying a large family. Lists of actions may be those of the user's own
 * config.
 */
function wrapSpawns(hosted: AnyStateMachine): void {
  const implementations = hosted.implementations as { actions: Record<string, unknown> };
  implementations.actions = Object.fromEntries(
    Object.entries(implementations.actions).map(([name, action]) => [name, wrapped(action)]),
  );
  for (const node of nodesById(hosted).values()) {
    Object.assign(node, { entry: node.entry.map(wrapped), exit: node.exit.map(wrapped) });
    const initial = node.type === 'compound' ? [node.initial] : [];
    for (const transition of [...transitionsOf(node), ...initial])
      Object.assign(transition, { actions: transition.actions.map(wrapped) });
  }
}

type DelayExpression = (args: object, params: unknown) => number;

/** The machine's delays, each noting its name when XState asks for its length. */
function noting(machine: AnyStateMachine, lookUp: DelayLookUp): Record<string, DelayExpression> {
  const delays = Object.entries(machine.implementations.delays as Record<string, number | DelayExpression>);
  return Object.fromEntries(
    delays.map(([name, delay]) => [
      name,
      (args, params) => {
        const delayMs = typeof delay === 'function' ? delay(args, params) : delay;
        lookUp.name = name;
        return delayMs;
      },
    ]),
  );
}

interface Lookup {
  next(snapshot: unknown, event: EventObject): unknown;
}

/**
 * XState remembers for every state node and every type of an event that ever came which transitions may take it: memory
 * that whoever sends ever-new types makes grow without end. Its memory hangs on the object that is asked (`this`). So
 * types that the node names are asked of the node; others of a stand-in, which is replaced, and its memory with it,
 * once in a while.
 */
export function boundLookups(node: AnyStateNode): void {
  const lookup = node as unknown as Lookup;
  const { next } = lookup;
  const hasPatterns = [...node.transitions.keys()].some(
    (descriptor) => descriptor === '*' || descriptor.endsWith('.*'),
  );
  let standIn = Object.create(node) as Lookup;
  let lookups = 0;
  lookup.next = (snapshot, event) => {
    if (node.transitions.has(event.type)) return next.call(node, snapshot, event);
    if (!hasPatterns) return undefined;
    lookups += 1;
    if (lookups > PATTERN_LOOKUPS_MAX) {
      standIn = Object.create(node) as Lookup;
      lookups = 1;
    }
    return next.call(standIn, snapshot, event);
  };
}

/**
 * `provide` reaches named actors only; inline ones are looked up in the node's config, of which this copy has its own.
 */
function stubInlineInvokes(node: AnyStateNode): void {
  const invokes = invokesOf(node);
  if (invokes.every(({ src }) => typeof src === 'string')) return;
  const stubbed = invokes.map((invoke) =>
    typeof invoke.src === 'string' ? invoke : { ...invoke, src: stub(invoke.src) },
  );
  (node as { config: unknown }).config = { ...node.config, invoke: stubbed };
}

function stub(real: AnyActorLogic): AnyActorLogic {
  return {
    config: real.config as unknown,
    transition: (snapshot: unknown) => snapshot,
    getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined, context: undefined }),
    getPersistedSnapshot: (snapshot: unknown) => snapshot,
  } as unknown as AnyActorLogic;
}
