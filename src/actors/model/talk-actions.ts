/**
 * Actions for machines: to defer messages, to reply, to watch other actors, to join groups and to register names. They
 * are used like `assign` and `sendTo`, and their effects are durable with the turn. Under XState's `createActor` they
 * do nothing, except for `eventTimeout`.
 */
import {
  type ActionArgs,
  type ActionFunction,
  enqueueActions,
  type EventObject,
  type MachineContext,
  type ParameterizedObject,
  raise,
  type SendExpr,
} from 'xstate';
import { EVENT_TIMEOUT_ID } from './timers.ts';

type Params = ParameterizedObject['params'] | undefined;

/** A copy of XState's own type: `NoInfer` fails on a union of events. */
type DoNotInfer<T> = [T][T extends unknown ? 0 : never];

/**
 * Values that can be data. Spelled out, because a parameter of type `unknown` would leave a function in its place
 * untyped.
 */
type Plain = string | number | boolean | bigint | null | undefined | object;

/** A value, or a function that computes it from context and event. */
type Given<
  Value,
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
> = Value | ((args: ActionArgs<Context, Expression, Event>, params: P) => Value);

type Action<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
> = ActionFunction<Context, Expression, Event, P, never, never, never, never, never>;

/** A creator of an action with one parameter. */
type ActionOn<Value> = <
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(
  value: Given<Value, Context, Expression, P, Event>,
) => Action<Context, Expression, P, Event>;

/** A reference to an actor (`self`, a child, one from a context or an event), or an address. */
export type Target = object | string;

/**
 * The return address of an ask, as an event has it in `replyTo`. It is data: it may be kept in the context and passed
 * on.
 */
export type ReplyTo = object;

/**
 * Leaves the message of this transition unread, as gen_statem's postpone does: it is set aside until a turn ends in
 * another state; then all deferred messages come up again in their order, before newer ones. The transition's other
 * actions take effect. At most 1,000 messages are deferred; one more becomes a dead letter. In the first turn of an
 * actor, which has no message, it throws BOSUN_VALUE_REFUSED.
 */
export function defer<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(): Action<Context, Expression, P, Event> {
  return command('bosun.defer', {});
}

/**
 * Sends this actor an event unless it takes another message first: any message disarms it, also a deferred one that is
 * offered again. Otherwise like a delayed `raise`: durable, in kernel time; `delay` is a name of the machine's,
 * milliseconds, or a function. An actor has one at a time: a second one replaces the first. Under `createActor` nothing
 * disarms it.
 */
export function eventTimeout<
  Context extends MachineContext,
  Expression extends EventObject,
  Event extends EventObject,
  P extends Params,
  Delay extends string = never,
  Used extends Delay = never,
>(
  delay: number | Used | ((args: ActionArgs<Context, Expression, DoNotInfer<Event>>, params: P) => number),
  event: DoNotInfer<Event> | SendExpr<Context, Expression, P, DoNotInfer<Event>, Event>,
): ActionFunction<Context, Expression, Event, P, never, never, never, Delay, never> {
  return raise<Context, Expression, Event, P, Delay, Used>(event, { delay, id: EVENT_TIMEOUT_ID });
}

/**
 * Replies to the asker of this transition's event, or to the one whose `replyTo` is given. The first reply counts; a
 * later one, or one that nobody waits for any more, becomes a dead letter. Does nothing for an event that was not an
 * ask. The value must be data (BOSUN_VALUE_REFUSED makes the turn throw).
 */
export function reply<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(
  value: Plain | ((args: ActionArgs<Context, Expression, Event>, params: P) => unknown),
  options: { readonly to?: Given<ReplyTo | undefined, Context, Expression, P, Event> } = {},
): Action<Context, Expression, P, Event> {
  return command('bosun.reply', {
    to: 'to' in options ? options.to : ({ event }: { event: { replyTo?: unknown } }) => event.replyTo,
    value,
  });
}

/**
 * Adds a value to the records of a name that the agent declares (`records` of `defineAgent`): numbered, durable with
 * the turn, and readable with `system.records` from then on. The turn throws BOSUN_VALUE_REFUSED for an undeclared
 * name, a value that does not match its schema or exceeds 256 KiB, and for more than 100 records.
 */
export function record<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(
  name: string,
  value: Plain | ((args: ActionArgs<Context, Expression, Event>, params: P) => unknown),
): Action<Context, Expression, P, Event> {
  return command('bosun.record', { name, value });
}

/**
 * Watches another life: when it ends, this actor gets `bosun.down` once, with `{ address, ref, reason, error }`, after
 * everything that the other had sent. Reasons: `normal`, `error`, `shutdown`, and `unknown` where it had ended already.
 * A restart by a Boss is not an end. A second monitor of the same life changes nothing.
 */
export const monitor: ActionOn<Target> = (target) => command('bosun.monitor', { to: target });

/** Removes a monitor. A `bosun.down` that is already in the mailbox stays there. */
export const demonitor: ActionOn<Target> = (target) => command('bosun.demonitor', { to: target });

/**
 * Links this actor and another: when the life of either ends abnormally, the other fails with BOSUN_LINK_DOWN, and its
 * Boss decides. Use `monitor` to be notified instead.
 */
export const link: ActionOn<Target> = (target) => command('bosun.link', { to: target });

/** Removes a link, from either side. */
export const unlink: ActionOn<Target> = (target) => command('bosun.unlink', { to: target });

/**
 * Joins a group. An actor that has joined twice has to leave twice; the end of its life, or a restart from initial,
 * leaves all groups.
 */
export const join: ActionOn<string> = (group) => command('bosun.join', { group });

/** Leaves a group once. Does nothing for an actor that is not a member. */
export const leave: ActionOn<string> = (group) => command('bosun.leave', { group });

/** Sends an event to every member of a group as of this turn, once each, including the sender if it is a member. */
export function publish<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(
  group: Given<string, Context, Expression, P, Event>,
  event: Given<EventObject & { readonly [field: string]: unknown }, Context, Expression, P, Event>,
): Action<Context, Expression, P, Event> {
  return command('bosun.publish', { group, event });
}

/**
 * Registers a name for this actor, or changes the value of one that it has. `system.get(name)` finds the actor, and so
 * does `system.lookup` of a host. Where another actor has the name, this one gets `bosun.name.taken` with `{ name, ref,
 * address }`.
 */
export function register<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(
  name: Given<string, Context, Expression, P, Event>,
  value?: Plain | ((args: ActionArgs<Context, Expression, Event>, params: P) => unknown),
): Action<Context, Expression, P, Event> {
  return command('bosun.register', { group: name, value });
}

/** Gives up a name. Does nothing if another actor has it. */
export const unregister: ActionOn<string> = (name) => command('bosun.unregister', { group: name });

/**
 * Creates an action without an implementation: the engine describes it to the kernel, and `createActor` skips it.
 * Functions among the parameters ({@link Given}) are evaluated when the action is described.
 */
function command<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(type: string, given: Readonly<Record<string, unknown>>): Action<Context, Expression, P, Event> {
  const action = enqueueActions((args, params) => {
    // `enqueue` accepts only the machine's own actions, and this is none of them.
    const enqueue = args.enqueue as unknown as (action: { type: string; params: object }) => void;
    const said: Record<string, unknown> = {};
    for (const [name, what] of Object.entries(given))
      said[name] = typeof what === 'function' ? (what as (...of: unknown[]) => unknown)(args, params) : what;
    enqueue({ type, params: said });
  });
  // Charts show this name in place of XState's.
  return Object.assign(action as unknown as Action<Context, Expression, P, Event>, { command: type });
}
