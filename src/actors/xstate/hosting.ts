/**
 * Prepares a machine for hosting: makes a copy in which every named or inline actor is a stub, delays report their
 * names, a promise is not taken for a value (owed-values.ts), spawns do not copy large families, and neither an endless
 * supply of new event types nor an endless loop can exhaust the process. Part of the one place that knows XState's
 * internals (see definition.ts).
 *
 * Why stubs: XState runs a child's initial transition when it describes the spawn, which would be inside the parent's
 * pure step. The kernel spawns the real child later.
 */
import { type AnyActorLogic, type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { MICROSTEPS_MAX, PATTERN_LOOKUPS_MAX } from '../../limits.ts';
import { wrapped } from './family.ts';
import { invokesOf, nodesById, transitionsOf } from './machine-facts.ts';
import { refusePromises } from './owed-values.ts';

/** The name of the delay that XState has looked up for its next action, whose description has only the duration. */
export interface DelayLookUp {
  name: string | null;
}

/**
 * Makes a machine that the kernel can host.
 *
 * @param lookUp Receives the name of each delay that XState looks up.
 */
export function hostable(machine: AnyStateMachine, lookUp: DelayLookUp): AnyStateMachine {
  const stubs = Object.fromEntries(
    Object.entries(machine.implementations.actors as Record<string, AnyActorLogic | undefined>)
      .filter(([, logic]) => logic !== undefined)
      .map(([src, logic]) => [src, stub(logic as AnyActorLogic)]),
  );
  const hosted = machine.provide({ actors: stubs, delays: noting(machine, lookUp) }) as AnyStateMachine;
  refusePromises(hosted);
  for (const node of nodesById(hosted).values()) {
    stubInlineInvokes(node);
    boundLookups(node);
  }
  if (Object.keys(stubs).length > 0) wrapSpawns(hosted);
  const options = hosted.options as { maxIterations: number };
  // Also lower the machine's own value: with Infinity an endless loop would never return.
  if (!(options.maxIterations <= MICROSTEPS_MAX)) options.maxIterations = MICROSTEPS_MAX;
  return hosted;
}

/**
 * Wraps a machine's actions so that spawning does not copy a large family. Makes new lists of actions, since the old
 * ones may belong to the user's config.
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

/** The machine's delays, each of which records its name when XState looks it up. */
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
 * Bounds XState's cache of transitions by event type. XState keeps one on each state node, with an entry for every type
 * that ever arrived, so a sender of ever-new types could make it grow without end. The cache hangs on `this`, so only
 * types that the node names are looked up on the node. Others go to a stand-in, which is replaced, with its cache,
 * after PATTERN_LOOKUPS_MAX look-ups.
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
 * Replaces inline actors by stubs. `provide` reaches named actors only; XState reads inline ones from the node's
 * config, which is copied here.
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
