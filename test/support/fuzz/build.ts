/** Builds an XState machine from a random one; its actions write into a recorder. Used for both sides alike. */
import {
  type AnyActorLogic,
  type AnyStateMachine,
  and,
  assign,
  cancel,
  emit,
  enqueueActions,
  forwardTo,
  fromTransition,
  log,
  not,
  or,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stateIn,
} from 'xstate';
import {
  type ActionSpec,
  type GuardSpec,
  type InvokeSpec,
  type MachineSpec,
  type NodeSpec,
  type TransitionSpec,
} from './machine-spec.ts';
import { type Carrier, cargoIn, cargoOf, heldMark, type Holder, holding, holds, thrown } from './holding.ts';
import { type Recorder } from './record.ts';
import { shelved, type Shelves } from './shelving.ts';
import { made } from './value-spec.ts';
import { referenceIn } from './value-work.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { table } from '../../../src/table.ts';

export interface Context extends Holder, Shelves {
  /** Address of the actor. */
  readonly me: string;
  readonly n: number;
  readonly m: number;
  readonly s: string;
  readonly fuel: number;
  /** Ids of spawned children that were not stopped. */
  readonly live: readonly string[];
  /** References to children that were spawned inside an assign. */
  readonly refs: Readonly<Record<string, unknown>>;
}

interface FuzzEvent extends Carrier {
  /** Whether the event comes from outside, perhaps through parents. */
  readonly ext?: boolean;
}

export interface Input {
  readonly me: string;
  readonly fuel: number;
  readonly cargo?: unknown;
}

interface Args {
  readonly context: Context;
  readonly event: FuzzEvent;
}

export const FUEL_MAX = 6;
/** Microsteps after which an endless loop throws, on both sides alike. */
const MICROSTEPS_MAX = 60;

/** Untyped, because XState's types describe written machines and these are generated. */
type Loose = never;

/** @param name Id of the machine, which appears in error messages. */
export function build(spec: MachineSpec, name: string, recorder: Recorder): AnyStateMachine {
  const kids = Object.entries(spec.kids).map(([src, kid]): [string, AnyActorLogic] => [src, build(kid, src, recorder)]);
  const actors = Object.fromEntries([...kids, ['sum', reducer(recorder)]]);
  return setup({ actors, actions: namedActions(recorder), guards: GUARDS, delays: DELAYS } as Loose).createMachine({
    ...nodeConfig(spec.root, recorder),
    id: name,
    context: ({ input }: { input: Input }) => ({
      me: input.me,
      n: 1,
      m: 0,
      s: '',
      fuel: input.fuel,
      live: [],
      refs: {},
      shelf: table(),
      store: table(),
      ...(spec.load && { held: input.cargo ?? made(spec.load), kept: [] }),
    }),
    options: { maxIterations: MICROSTEPS_MAX },
  } as Loose) as unknown as AnyStateMachine;
}

function reducer(recorder: Recorder): AnyActorLogic {
  interface State {
    readonly me: string;
    readonly sum: number;
    readonly held?: unknown;
  }
  return fromTransition<State, FuzzEvent, never, Input, never>(
    (state, event) => {
      // createActor runs reducers once more when it stops them, and discards the result; the kernel does not.
      if (event.type === 'xstate.stop') return state;
      recorder.note(state.me, 'reduced', `${event.type} ${event.v ?? 0}`);
      if (event.type === 'x.y' && state.sum % 4 === 3) {
        recorder.accident(state.me, 'pure');
        throw thrown(state, `reducer at ${state.sum}`);
      }
      const held = event.cargo ?? state.held;
      return { me: state.me, sum: state.sum + 1 + (event.v ?? 0), ...(held !== undefined && { held }) };
    },
    ({ input }) => ({ me: input.me, sum: 0 }),
  ) as unknown as AnyActorLogic;
}

const DELAYS = { soon: 7, late: 61, byContext: ({ context }: Args) => 3 + (context.n % 17) };

const GUARDS = {
  even: ({ context }: Args) => context.n % 2 === 0,
  odd: ({ context }: Args) => context.n % 2 === 1,
  below: ({ context }: Args, { x }: { x: number }) => context.n < x,
  fuel: ({ context }: Args) => context.fuel > 0,
};

function namedActions(recorder: Recorder) {
  return {
    note: ({ context, event }: Args, params: { p: unknown }) =>
      recorder.note(context.me, 'action', `note ${event.type} ${context.n} ${context.s} ${JSON.stringify(params)}`),
    plain: ({ context, event }: Args) => recorder.note(context.me, 'action', `plain ${event.type} ${context.m}`),
  };
}

function guardOf(spec: GuardSpec, recorder: Recorder): unknown {
  switch (spec.is) {
    case 'even':
    case 'odd':
    case 'fuel':
      return spec.is;
    case 'below':
      return { type: 'below', params: { x: spec.x } };
    case 'mod':
      return ({ context }: Args) => context.n % spec.by === 0;
    case 'live':
      return ({ context }: Args) => context.live.includes(spec.id);
    case 'in':
      return stateIn(`#${spec.state}`);
    case 'held':
      return ({ context, event }: Args) => holds(spec.ask, context, event);
    case 'not':
      return not(guardOf(spec.of, recorder) as Loose);
    case 'and':
      return and(spec.of.map((part) => guardOf(part, recorder)) as Loose);
    case 'or':
      return or(spec.of.map((part) => guardOf(part, recorder)) as Loose);
    case 'bad':
      return ({ context }: Args) => {
        if (context.n % 3 !== 0) return false;
        recorder.accident(context.me, 'pure');
        throw thrown(context, `guard at ${context.n}`);
      };
  }
}

function plainAction(spec: ActionSpec, recorder: Recorder): unknown {
  switch (spec.do) {
    case 'refill':
      return assign(({ context, event }: Args) =>
        event.ext === true ? { fuel: FUEL_MAX } : { m: (context.m + 1) % 89 },
      );
    case 'burn':
      return assign({ fuel: ({ context }: Args) => context.fuel - 1 });
    case 'add':
      return assign({
        [spec.key]: ({ context, event }: Args) => (context[spec.key] * 3 + spec.by + (event.v ?? 0)) % 97,
      });
    case 'mix':
      return assign(({ context, event }: Args) => ({
        n: (context.n + context.m) % 97,
        s: (context.s + event.type[0]!).slice(-6),
      }));
    case 'shelve':
      return assign(({ context, event }: Args) => shelved(spec.how, context, event));
    case 'hold':
      return assign((args: Args & { readonly self: unknown }) => holding(spec, args));
    case 'note':
      return spec.params === 'static'
        ? { type: 'note', params: { p: 1 } }
        : { type: 'note', params: ({ context }: Args) => ({ p: context.m }) };
    case 'inline':
      return ({ context, event }: Args) =>
        recorder.note(context.me, 'action', `inline ${event.type} ${context.n}${heldMark(context)}`);
    case 'emit':
      return emit(({ context, event }: Args) => ({
        ...{ type: 'E', at: event.type, n: context.n },
        ...(spec.cargo && cargoOf(context, spec.cargo)),
      }));
    case 'log':
      return log(({ context, event }: Args) => ({ me: context.me, line: `${event.type} ${context.n}` }), spec.label);
    case 'record':
      return recorder.keepsRecords
        ? (args: Args) => recorder.record(args.context.me, spec.name, recorded(args))
        : record(spec.name, recorded as Loose);
    case 'throw':
    case 'boom':
      return ({ context }: Args) => {
        recorder.accident(context.me, spec.do === 'boom' ? 'boom' : 'action');
        throw thrown(context, `action at ${context.n}`);
      };
    case 'badAssign':
      return assign(({ context }: Args) => {
        recorder.accident(context.me, 'pure');
        throw thrown(context, `assign at ${context.n}`);
      });
    default:
      return communication(spec, recorder);
  }
}

function recorded({ context, event }: Args): object {
  return { by: event.type, n: context.n, m: context.m, s: context.s, ...(context.n % 3 === 0 && cargoOf(context)) };
}

/** Actions that send events: to other actors, delayed, or to the same machine; and actions on children. */
function communication(spec: ActionSpec, recorder: Recorder): unknown {
  switch (spec.do) {
    case 'raise':
      return raise(said(spec, false) as Loose, options(spec) as Loose);
    case 'cancel':
      return cancel(spec.id);
    case 'tell': {
      if (spec.to === 'parent') return sendParent(said(spec, false), options(spec) as Loose);
      if (spec.to === 'self') return sendTo(({ self }) => self, said(spec, false), options(spec) as Loose);
      if (spec.to === 'peer') return toldPeer(spec);
      return sendTo(spec.to, said(spec, true), options(spec) as Loose);
    }
    case 'forward':
      return forwardTo(spec.to);
    case 'stop':
      return enqueueActions(({ context, enqueue }) => {
        enqueue.stopChild(spec.to);
        enqueue(assign({ live: (context as Context).live.filter((id) => id !== spec.to) }) as Loose);
      });
    case 'spawn':
      return enqueueActions(({ context, event, enqueue }) => {
        const { live } = context as Context;
        const input = inputFor({ context: context as Context, event }, spec.id);
        if (live.length % 2 === 0) enqueue.spawnChild(spec.src, { id: spec.id, input } as Loose);
        else enqueue(spawnChild(spec.src, { id: spec.id, input } as Loose));
        enqueue.assign({ live: [...live.filter((id) => id !== spec.id), spec.id] } as Loose);
      });
    case 'spawnInAssign':
      return assign(({ context, event, spawn }: Args & { spawn: (src: string, options: object) => unknown }) => ({
        refs: {
          ...context.refs,
          [spec.id]: spawn(spec.src, { id: spec.id, input: inputFor({ context, event }, spec.id) }),
        },
        live: [...context.live.filter((id) => id !== spec.id), spec.id],
      }));
    case 'queue': {
      const check = guardOf(spec.check, recorder);
      const then = spec.then.map((action) => plainAction(action, recorder));
      return enqueueActions(({ enqueue, check: holds }) => {
        if (!holds(check as Loose)) return;
        then.forEach((action, i) =>
          i % 2 === 0 ? enqueueByMethod(enqueue as unknown as Enqueue, action) : enqueue(action as Loose),
        );
      });
    }
    default:
      throw new Error(`no action ${spec.do}`);
  }
}

/** Tells the first actor that is referred to in what the event carries or the machine holds, if there is one. */
function toldPeer(spec: Extract<ActionSpec, { do: 'tell' }>): unknown {
  return enqueueActions(({ context, event, enqueue }) => {
    const peer = referenceIn([cargoIn(event), (context as Context).held]);
    if (peer !== undefined) enqueue.sendTo(peer as Loose, said(spec, false) as Loose, options(spec) as Loose);
  });
}

/** `enqueue` of any machine. */
type Enqueue = ((action: unknown) => void) & Record<string, (...args: unknown[]) => void>;

/** Enqueues as users do, with the method for an action of XState if there is one. */
function enqueueByMethod(enqueue: Enqueue, action: unknown): void {
  const { type, to, event, id, delay, sendId, assignment } = action as Record<string, unknown>;
  if (type === 'xstate.sendTo') enqueue['sendTo']!(to, event, { id, delay });
  else if (type === 'xstate.raise') enqueue['raise']!(event, { id, delay });
  else if (type === 'xstate.emit') enqueue['emit']!(event);
  else if (type === 'xstate.cancel') enqueue['cancel']!(sendId);
  else if (type === 'xstate.assign') enqueue['assign']!(assignment);
  else enqueue(action);
}

/** Input of a child. Without fuel it sends nothing: otherwise its parent could start it again for ever. */
function inputFor({ context, event }: Args, id: string): Input {
  return { me: `${context.me}/${id}`, fuel: event.ext === true ? 2 : 0, ...cargoOf(context) };
}

function said({ type, cargo }: Extract<ActionSpec, { do: 'tell' | 'raise' }>, isDownward: boolean) {
  return ({ context, event }: Args) => ({
    type,
    v: context.n % 5,
    ...(cargo && cargoOf(context, cargo)),
    ...(isDownward && event.ext === true && { ext: true }),
  });
}

function options({ delay, id }: { delay?: number | string; id?: string }): object {
  const after = delay === undefined ? undefined : delay in DELAYS ? delay : Number(delay);
  return { ...(after !== undefined && { delay: after }), ...(id !== undefined && { id }) };
}

function transitionOf({ target, guard, actions, reenter }: TransitionSpec, recorder: Recorder): object {
  return {
    ...(target.length > 0 && { target: target.map((id) => `#${id}`) }),
    ...(guard && { guard: guardOf(guard, recorder) }),
    ...(actions.length > 0 && { actions: actions.map((action) => plainAction(action, recorder)) }),
    ...(reenter && { reenter }),
  };
}

function transitionsOf(specs: readonly TransitionSpec[], recorder: Recorder): object[] {
  return specs.map((spec) => transitionOf(spec, recorder));
}

function invokeOf({ id, src, onDone, onError, onSnapshot }: InvokeSpec, recorder: Recorder): object {
  return {
    id,
    src,
    input: (args: Args) => inputFor(args, id),
    ...(onDone && { onDone: transitionsOf(onDone, recorder) }),
    ...(onError && { onError: transitionsOf(onError, recorder) }),
    ...(onSnapshot && { onSnapshot: transitionsOf(onSnapshot, recorder) }),
  };
}

function nodeConfig(spec: NodeSpec, recorder: Recorder): object {
  const transitions = (specs: readonly TransitionSpec[]) => transitionsOf(specs, recorder);
  const actions = (specs: readonly ActionSpec[]) => specs.map((action) => plainAction(action, recorder));
  const mapped = (record: Record<string, readonly TransitionSpec[] | null>) =>
    Object.fromEntries(
      Object.entries(record).map(([key, specs]) => [key, specs === null ? undefined : transitions(specs)]),
    );
  const base = { id: spec.id, ...(spec.type && { type: spec.type }) };
  if (spec.type === 'history')
    return { ...base, history: spec.history, ...(spec.target !== undefined && { target: `#${spec.target}` }) };
  const states = Object.entries(spec.states).map(([key, child]) => [key, nodeConfig(child, recorder)]);
  const { initial, initialActions } = spec;
  return {
    ...base,
    ...(states.length > 0 && { states: Object.fromEntries(states) as object }),
    ...(initial !== undefined && {
      initial: initialActions ? { target: initial, actions: actions(initialActions) } : initial,
    }),
    ...(spec.entry.length > 0 && { entry: actions(spec.entry) }),
    ...(spec.exit.length > 0 && { exit: actions(spec.exit) }),
    ...(Object.keys(spec.on).length > 0 && { on: mapped(spec.on) }),
    ...(spec.always.length > 0 && { always: transitions(spec.always) }),
    ...(Object.keys(spec.after).length > 0 && { after: mapped(spec.after) }),
    ...(spec.onDone.length > 0 && { onDone: transitions(spec.onDone) }),
    ...(spec.invoke.length > 0 && { invoke: spec.invoke.map((invoke) => invokeOf(invoke, recorder)) }),
    ...(spec.tags.length > 0 && { tags: spec.tags }),
    ...(spec.hasOutput && {
      output: ({ context, event }: Args) => ({ n: context.n, by: event.type, ...cargoOf(context) }),
    }),
  };
}
