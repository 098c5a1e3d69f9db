/**
 * A place where user code runs or a user's value is read, and a machine with that place. On TAKE the machine throws or
 * gives the hostile value that its input names; on COUNT it counts.
 */
import { type AnyActorLogic, type AnyStateMachine, assign, fromCallback, fromPromise, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { hostile } from './values.ts';

export interface Held {
  readonly what: string;
  readonly count: number;
  readonly held: unknown;
}

export interface Args {
  readonly context: Held;
}

/** The behaviour of a machine at one place. Untyped on purpose: XState's types forbid all of it. */
export interface Place {
  /** Transition of TAKE. Default: to `busy`. */
  readonly take?: unknown;
  /** The state `busy`. */
  readonly busy?: object;
  readonly actors?: Record<string, unknown>;
  readonly delays?: Record<string, unknown>;
  readonly output?: unknown;
  /** Options of the agent, in addition to its machine. */
  readonly agent?: object;
}

/** The arguments of an effect. */
export interface Logic {
  readonly input: string;
  readonly self: object;
  readonly emit: (event: never) => void;
}

interface CallbackLogic extends Logic {
  readonly sendBack: (event: never) => void;
  readonly receive: (listen: (event: object) => void) => void;
}

/** The hostile value that the machine's input names. */
export const bad = ({ context: { what } }: Args): unknown => hostile(what);

export const fail = ({ context: { what } }: Args): never => throwing(what);

export function throwing(what: string): never {
  throw hostile(what);
}

export const named = ({ context }: Args): string => context.what;

/** A place with these actions on a transition without target. */
export function doing(...actions: unknown[]): Place {
  return { take: { actions } };
}

/** A place that invokes the logic, with the value's name as input, and handles its end. */
export function invoking(logic: unknown, { policy, ...rest }: { policy?: object; [key: string]: unknown } = {}): Place {
  return {
    actors: { child: logic },
    busy: {
      invoke: { src: 'child', id: 'child', input: named, onDone: 'calm', onError: 'calm', ...rest },
      on: { BACK: 'calm' },
    },
    ...(policy && { agent: { effects: { child: policy } } }),
  };
}

export function promise(run: (args: Logic) => unknown): unknown {
  return fromPromise(run as never);
}

export function callback(run: (args: CallbackLogic) => unknown): unknown {
  return fromCallback(run as never);
}

/** An actor logic made by hand. */
export function custom(parts: Partial<Record<keyof AnyActorLogic, unknown>>): object {
  const begun = { status: 'active', output: undefined, error: undefined };
  return {
    getInitialSnapshot: (_: unknown, input: string) => ({ ...begun, input }),
    transition: (snapshot: object) => snapshot,
    getPersistedSnapshot: ({ status, output, error, input }: Record<string, unknown>) => ({
      status,
      output,
      error,
      input,
    }),
    restoreSnapshot: (snapshot: object) => snapshot,
    ...parts,
  };
}

function machineOf({ take = 'busy', busy = {}, actors = {}, delays = {}, output }: Place): AnyStateMachine {
  const made = setup({
    types: {} as { context: Held },
    actors: actors as Record<string, AnyActorLogic>,
    delays: delays as Record<string, number>,
    actions: {
      nothing: () => {},
      act: (_: unknown, what: string) => throwing(what),
      give: (_: unknown, what: string) => hostile(what) as void,
    },
  } as never) as unknown as { createMachine: (config: object) => AnyStateMachine };
  return made.createMachine({
    context: ({ input }: { input: { what: string } }) => ({ what: input.what, count: 0, held: null }),
    initial: 'calm',
    on: {
      COUNT: { actions: assign((({ context }: Args) => ({ count: context.count + 1 })) as never) },
      GOT: {},
      PASS: { actions: sendTo('child', { type: 'GOT' }) },
    },
    states: { calm: { on: { TAKE: take } }, busy, over: { type: 'final' } },
    ...(output !== undefined && { output }),
  });
}

export function agentOfPlace(name: string, { agent, ...machine }: Place): AnyAgent {
  const { events, ...rest } = (agent ?? {}) as { events?: object };
  return defineAgent({
    name,
    machine: machineOf(machine),
    internal: ['GOT', 'PASS', 'BACK'],
    ...rest,
    events: { TAKE: z.looseObject({}), COUNT: z.object({}), ...events },
  } as never);
}
