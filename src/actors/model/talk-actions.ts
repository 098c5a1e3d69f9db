/**
 * Actions for machines: to put messages off, to reply, to watch other actors, to be in groups and to have names. They
 * stand where `assign` and `sendTo` stand, and what they do is durable with the turn. Under XState's `createActor` they
 * do nothing, but for `eventTimeout`.
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

/** As XState has it: `NoInfer` does not find its way through a union of events. */
type DoNotInfer<T> = [T][T extends unknown ? 0 : never];

/** What can be data. Spelled out, because a parameter of `unknown` would say nothing of the function beside it. */
type Plain = string | number | boolean | bigint | null | undefined | object;

/** A value, or how it is worked out from context and event. */
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

/** Makes an action that concerns one thing. */
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
 * Where a reply goes: what an event has as `replyTo` when it was asked. Data: it may be kept in the context and passed
 * on.
 */
export type ReplyTo = object;

/**
 * Leaves the message of this transition unread, gen_statem's postpone: it is set aside until a turn ends in another
 * state, and comes up again then, with all that were deferred, in their order and before newer ones. What else the
 * transition does stands. At most 1,000 are deferred; one more becomes a dead letter. In the first turn of an actor,
 * which has no message, it throws BOSUN_VALUE_REFUSED.
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
 * Sends this actor an event unless it takes a message before: whatever that is, a deferred one that is offered again
 * too, disarms it. As a delayed `raise` otherwise: durable, in kernel time, `delay` a name of the machine's,
 * milliseconds, or how they are worked out. One at a time: a second one takes the place of the first. Under
 * `createActor` nothing disarms it.
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
 * Replies to whoever asked: with the event of this transition, or with the one whose `replyTo` is given. The first
 * reply counts; a later one, or one that nobody waits for any more, becomes a dead letter. Does nothing for an event
 * that was sent and not asked. The value must be data (BOSUN_VALUE_REFUSED makes the turn throw).
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
 * Has this actor told when a life ends: it gets `bosun.down` once, with `{ address, ref, reason, error }`, behind all
 * that the other had sent. Reasons: `normal`, `error`, `shutdown`, and `unknown` for one that has ended already. A
 * restart by a Boss is no end. A second monitor of the same life changes nothing.
 */
export const monitor: ActionOn<Target> = (target) => command('bosun.monitor', { to: target });

/** Takes a monitor back. A `bosun.down` that is in the mailbox already stays there. */
export const demonitor: ActionOn<Target> = (target) => command('bosun.demonitor', { to: target });

/**
 * Links this actor and another: when the life of either ends other than normally, the other fails with BOSUN_LINK_DOWN,
 * and its Boss decides. Use `monitor` to be told instead.
 */
export const link: ActionOn<Target> = (target) => command('bosun.link', { to: target });

/** Undoes a link, from either side. */
export const unlink: ActionOn<Target> = (target) => command('bosun.unlink', { to: target });

/**
 * Enters a group. One that has joined twice leaves twice; the end of its life, or a restart from initial, leaves all.
 */
export const join: ActionOn<string> = (group) => command('bosun.join', { group });

/** Leaves a group once. Does nothing for one that is not in it. */
export const leave: ActionOn<string> = (group) => command('bosun.leave', { group });

/** Sends an event to every member of a group as of this turn, each once, the sender among them if it is one. */
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
 * Takes a name for this actor, or gives another value to one that it has. `system.get(name)` finds it, and so does
 * `system.lookup` of a host. Where somebody else has the name, this actor gets `bosun.name.taken` with `{ name, ref,
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

/** Gives a name up. Does nothing for one that somebody else has. */
export const unregister: ActionOn<string> = (name) => command('bosun.unregister', { group: name });

/**
 * An action without an implementation is described to the kernel, and skipped by `createActor`. What is {@link Given}
 * as a function is worked out when it is described.
 */
function command<
  Context extends MachineContext,
  Expression extends EventObject,
  P extends Params,
  Event extends EventObject,
>(type: string, given: Readonly<Record<string, unknown>>): Action<Context, Expression, P, Event> {
  const action = enqueueActions((args, params) => {
    // What is enqueued is typed by the machine's own actions, of which this is none.
    const enqueue = args.enqueue as unknown as (action: { type: string; params: object }) => void;
    const said: Record<string, unknown> = {};
    for (const [name, what] of Object.entries(given))
      said[name] = typeof what === 'function' ? (what as (...of: unknown[]) => unknown)(args, params) : what;
    enqueue({ type, params: said });
  });
  return action as unknown as Action<Context, Expression, P, Event>;
}
