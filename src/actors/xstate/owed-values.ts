/**
 * The functions of a machine that owe a value: guards, assigners, delays, params, targets, inputs, outputs. XState
 * takes whatever they return: a promise as a guard is true, and as an assignment nothing. In the hosted copy of a
 * machine those whose value no admission looks at are wrapped, so that a promise fails the turn with its place.
 */
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { disown, disownParts, due, isAsync } from '../../user-code.ts';
import { invokesOf, nodesById, transitionsOf } from './machine-facts.ts';

type UserFunction = (...args: never[]) => unknown;

/**
 * The fate of a function's value: admission checks it, or its parts, or neither. The result of visiting a function
 * whose value is admitted is not used.
 */
type Fate = 'admitted' | 'partsAdmitted' | 'free';

type Visit = (owing: UserFunction, place: string, fate: Fate) => UserFunction;

/** Wraps the functions of a hosted machine, in place. */
export function refusePromises(hosted: AnyStateMachine): void {
  visitMachine(hosted, refusing);
}

/** The place of the first function that owes a value and was written with `async`; undefined if there is none. */
export function asyncPlace(machine: AnyStateMachine): string | undefined {
  let found: string | undefined;
  visitMachine(machine.provide({}) as AnyStateMachine, (owing, place) => {
    if (found === undefined && isAsync(owing)) found = place;
    return owing;
  });
  return found;
}

/** An action that a function enqueues. Throws BOSUN_VALUE_REFUSED for a promise. */
export function enqueuedAction(action: unknown): unknown {
  if (typeof action === 'object' && action !== null) disownParts(due(action, `a function ${ENQUEUED}`));
  return actionWith(action, ENQUEUED, refusing);
}

/**
 * A part of an action that a function enqueues. Anything but a function is returned as it is.
 *
 * @param place A constant, because most turns enqueue something.
 */
export function enqueuedPart<Part>(part: Part, place: string, fate: Fate = 'free'): Part {
  return typeof part === 'function' ? (refusing(part as never, place, fate) as Part) : part;
}

/** A guard that a function asks. */
export function askedGuard(guard: unknown): unknown {
  return guardWith(guard, 'a guard that enqueueActions checks', refusing);
}

const ENQUEUED = 'that enqueueActions enqueues';

const refusing: Visit = (owing, place, fate) => {
  if (fate === 'admitted') return owing;
  const call = owing as (args: unknown, params: unknown) => unknown;
  return (args: unknown, params: unknown) => {
    let given: unknown;
    try {
      given = call(args, params);
    } catch (thrown) {
      // XState words some errors anew, and drops what was thrown.
      disown(thrown);
      throw thrown;
    }
    if (typeof given !== 'object' || given === null) return given;
    due(given, place);
    if (fate === 'free') disownParts(given);
    else if (isError(given)) disown(given);
    return given;
  };
};

/** Whether XState would take an error apart, which drops its cause. Never throws. */
function isError(given: object): boolean {
  try {
    return given instanceof Error;
  } catch {
    return false;
  }
}

/** Visits every function, and puts the results into the machine. */
function visitMachine(machine: AnyStateMachine, visit: Visit): void {
  const { id } = machine;
  const { implementations } = machine as unknown as { implementations: Record<string, Record<string, unknown>> };
  const replace = (kind: string, by: (value: unknown, name: string) => unknown) => {
    implementations[kind] = Object.fromEntries(
      Object.entries(implementations[kind]!).map(([name, value]) => [name, by(value, name)]),
    );
  };
  replace('guards', (guard, name) => guardWith(guard, `the guard ${name} of ${id}`, visit));
  replace('actions', (action, name) => actionWith(action, `the action ${name} of ${id}`, visit));
  replace('delays', (delay, name) => functionWith(delay, `the delay ${name} of ${id}`, visit));
  const { config } = machine as { config: { context?: unknown } };
  const context = functionWith(config.context, `the context of ${id}`, visit, 'partsAdmitted');
  if (context !== config.context) Object.assign(machine, { config: { ...config, context } });
  for (const node of nodesById(machine).values()) visitNode(node, visit);
}

function visitNode(node: AnyStateNode, visit: Visit): void {
  const { id } = node;
  const listed = (actions: readonly unknown[], place: string) =>
    actions.map((action) => actionWith(action, place, visit));
  Object.assign(node, {
    entry: listed(node.entry, `the entry of ${id}`),
    exit: listed(node.exit, `the exit of ${id}`),
  });
  if (node.type === 'compound')
    Object.assign(node.initial, { actions: listed(node.initial.actions, `the initial transition of ${id}`) });
  for (const transition of transitionsOf(node)) {
    const place =
      transition.eventType === ''
        ? `an eventless transition of ${id}`
        : `the transition of ${transition.eventType} in ${id}`;
    const guard: unknown = transition.guard && guardWith(transition.guard, `the guard of ${place}`, visit);
    Object.assign(transition, { actions: listed(transition.actions, place), guard });
  }
  functionWith(node.output, `the output of ${id}`, visit, 'admitted');
  for (const invoke of invokesOf(node))
    functionWith((invoke as { input?: unknown }).input, `the input of an invoke of ${id}`, visit, 'admitted');
}

function guardWith(guard: unknown, place: string, visit: Visit): unknown {
  if (typeof guard !== 'function') return paramsWith(guard, place, visit);
  if (!('check' in guard)) return visit(guard as UserFunction, place, 'free');
  // A guard made by `and`, `or` or `not`.
  const { guards } = guard as { readonly guards?: unknown };
  if (!Array.isArray(guards)) return guard;
  return copyOf(guard, { guards: guards.map((part) => guardWith(part, place, visit)) });
}

function paramsWith(written: unknown, place: string, visit: Visit): unknown {
  if (typeof written !== 'object' || written === null || !('params' in written)) return written;
  const { params } = written;
  if (typeof params !== 'function') return written;
  const visited = visit(params as UserFunction, `params of ${place}`, 'free');
  return visited === params ? written : { ...written, params: visited };
}

function functionWith(value: unknown, place: string, visit: Visit, fate: Fate = 'free'): unknown {
  return typeof value === 'function' ? visit(value as UserFunction, place, fate) : value;
}

/** The parts of XState's actions that may be functions, and the fates of their values. */
const PARTS: Readonly<Record<string, Readonly<Record<string, Fate>>>> = {
  'xstate.assign': { assignment: 'partsAdmitted' },
  'xstate.sendTo': { to: 'free', event: 'admitted', delay: 'free' },
  'xstate.raise': { event: 'free', delay: 'free' },
  'xstate.emit': { event: 'admitted' },
  'xstate.cancel': { sendId: 'free' },
  'xstate.spawnChild': { id: 'free', input: 'admitted' },
  'xstate.stopChild': { actorRef: 'free' },
  'xstate.enqueueActions': { collect: 'free' },
};

interface BuiltIn {
  readonly type: string;
  readonly resolve: Resolve;
  readonly [part: string]: unknown;
}

type Resolve = (
  ...args: [object, object, object, unknown, object, unknown]
) => [object, unknown, unknown[] | undefined];

function actionWith(action: unknown, place: string, visit: Visit): unknown {
  if (typeof action !== 'function') return paramsWith(action, place, visit);
  if (!('resolve' in action)) return action;
  const builtIn = action as unknown as BuiltIn;
  const { type } = builtIn;
  const changed: Record<string, unknown> = {};
  for (const [part, fate] of Object.entries(PARTS[type] ?? {})) {
    const where = `${type.slice('xstate.'.length)} in ${place}`;
    const visited = functionWith(builtIn[part], where, visit, fate);
    if (visited !== builtIn[part]) changed[part] = visited;
  }
  if (type === 'xstate.assign') {
    visitKeys(builtIn['assignment'], place, visit);
    if (visit === refusing) changed['resolve'] = resolvingSpawns(builtIn.resolve);
  }
  if (type === 'xstate.enqueueActions' && Object.keys(changed).length > 0)
    changed['resolve'] = resolvingOthers(builtIn.resolve);
  return Object.keys(changed).length === 0 ? action : copyOf(action, changed);
}

function visitKeys(assignment: unknown, place: string, visit: Visit): void {
  if (typeof assignment !== 'object' || assignment === null) return;
  for (const [key, value] of Object.entries(assignment))
    functionWith(value, `assign of ${key} in ${place}`, visit, 'admitted');
}

/** Has XState enqueue the actions of a function, and its guards asked, in the form in which they refuse promises. */
function resolvingOthers(resolve: Resolve): Resolve {
  return (scope, snapshot, args, params, action, extra) => {
    const { collect } = action as {
      collect: (args: { check: (guard: unknown) => boolean }, params: unknown) => unknown;
    };
    const asking = (given: { check: (guard: unknown) => boolean }, own: unknown) =>
      collect({ ...given, check: (guard) => given.check(askedGuard(guard)) }, own);
    const [next, itself, actions] = resolve(scope, snapshot, args, params, { ...action, collect: asking }, extra);
    return [next, itself, actions?.map(enqueuedAction)];
  };
}

type Assigner = (args: { spawn: Spawn }, params: unknown) => unknown;
type Spawn = (src: unknown, options?: object) => unknown;

/** Has XState spawn children for assigners in the way of {@link spawning}. Plans do so themselves. */
function resolvingSpawns(resolve: Resolve): Resolve {
  return (scope, snapshot, args, params, action, extra) => {
    const { assignment } = action as { assignment: unknown };
    return resolve(scope, snapshot, args, params, { ...action, assignment: withSpawning(assignment) }, extra);
  };
}

function withSpawning(assignment: unknown): unknown {
  if (typeof assignment === 'function')
    return (args: { spawn: Spawn }, params: unknown) =>
      (assignment as Assigner)({ ...args, spawn: spawning(args.spawn) }, params);
  if (typeof assignment !== 'object' || assignment === null) return assignment;
  return Object.fromEntries(
    Object.entries(assignment).map(([key, value]) => [key, typeof value === 'function' ? withSpawning(value) : value]),
  );
}

/** A `spawn` for assigners that forgets no promise given as logic, id or system id. */
export function spawning(spawn: Spawn): Spawn {
  return (src, options) => {
    if (typeof src !== 'string') disown(src);
    if (options !== undefined) {
      const { id, systemId } = options as { id?: unknown; systemId?: unknown };
      disown(id);
      disown(systemId);
    }
    return spawn(src, options);
  };
}

function copyOf(action: object, changed: object): unknown {
  const call = action as (...args: unknown[]) => unknown;
  return Object.assign((...args: unknown[]) => call(...args), action, changed);
}
