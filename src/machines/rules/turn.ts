/**
 * One turn of an agent that decides by rules, one per event type. The changes, messages and emissions of a rule are
 * collected here and carried out at the end of the turn, so rules know nothing of XState. A machine runs the rules as
 * its only action and derives its `on` from the same table, so it stays an ordinary machine that can be inspected.
 */
import {
  type ActionFunction,
  type AnyActorRef,
  type AnyEventObject,
  enqueueActions,
  type EventObject,
  type MachineContext,
  type ParameterizedObject,
  raise,
  setup,
} from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { isParsedBy } from '../../actors/model/agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { record, reply, type ReplyTo } from '../../actors/model/talk-actions.ts';

/** The reply to an order. `problems` say why it was refused, or are remarks on an order that was taken. */
export interface OrderReply {
  readonly taken: boolean;
  readonly problems: readonly string[];
}

export const TAKEN: OrderReply = { taken: true, problems: [] };

export function refused(...problems: string[]): OrderReply {
  return { taken: false, problems };
}

/** An event whose sender may wait for a reply. */
export type Asked = {
  readonly type: string;
  readonly replyTo?: ReplyTo | undefined;
};

/** The arguments of an `enqueueActions`. */
export interface TurnArgs<Context> {
  readonly context: Context;
  readonly enqueue: unknown;
  readonly self: AnyActorRef;
  readonly system: { get(id: string): unknown };
}

/** The part of XState's `enqueue` that is used; its own type depends on the machine. */
interface Enqueue {
  (action: unknown): void;
  assign(patch: object): void;
  cancel(id: string): void;
  emit(event: object): void;
  raise(event: object, options?: { readonly id: string; readonly delay: number }): void;
  sendTo(to: AnyActorRef, event: object): void;
}

export class Turn<Context extends object, Emitted extends object = never> {
  readonly context: Context;
  readonly self: AnyActorRef;
  readonly nowMs: number;
  readonly #system: TurnArgs<Context>['system'];
  readonly #enqueue: Enqueue;
  readonly #patch: object = {};

  constructor({ context, enqueue, self, system }: TurnArgs<Context>) {
    this.context = { ...context };
    this.self = self;
    this.nowMs = timeOf(self);
    this.#system = system;
    this.#enqueue = enqueue as Enqueue;
  }

  assign(patch: Partial<Context>): void {
    Object.assign(this.context, patch);
    Object.assign(this.#patch, patch);
  }

  /** The actor with a system id; undefined if there is none. */
  find(systemId: string): AnyActorRef | undefined {
    return this.#system.get(systemId) as AnyActorRef | undefined;
  }

  /** Sends to an actor, or to the actor with a system id if it exists: a system need not have every desk. */
  send(to: AnyActorRef | string, event: AnyEventObject): void {
    const receiver = typeof to === 'string' ? this.find(to) : to;
    if (receiver !== undefined) this.#enqueue.sendTo(receiver, event);
  }

  emit(event: Emitted): void {
    this.#enqueue.emit(event);
  }

  /** Adds a value to the agent's records of a name that its definition declares. */
  record(name: string, value: object): void {
    this.#enqueue(record(name, () => value));
  }

  /** Sends the agent itself an event, at once, or later under an id by which it can be cancelled. */
  raise(event: AnyEventObject, later?: { readonly id: string; readonly delay: number }): void {
    this.#enqueue.raise(event, later);
  }

  cancel(id: string): void {
    this.#enqueue.cancel(id);
  }

  /** Replies to an earlier request. The sender of this turn's event gets the rule's result instead. */
  reply(to: ReplyTo | undefined, value: object | null): void {
    if (to !== undefined) this.#enqueue(reply(() => value, { to }));
  }

  /** Replies to the sender of this turn's event, if it waits for a reply. */
  answer(value: object): void {
    this.#enqueue(reply(() => value));
  }

  /** Hands the changes to the machine. */
  close(): void {
    if (Object.keys(this.#patch).length > 0) this.#enqueue.assign(this.#patch);
  }
}

/** The rule for one event type. Its result is the reply if the sender waits for one. */
export type Rule<Context extends object, Emitted extends object> = (
  turn: Turn<Context, Emitted>,
  event: never,
  /** The event's fields, restricted for an order to those that its schema names. */
  fields: never,
) => object | null | void;

/** A rule for events that also come from outside the system. */
export interface Order<Schema extends z.ZodObject, Given> {
  readonly schema: Schema;
  readonly rule: Given;
  /** Called after an order that was refused, by its schema or by its rule, with the refusal. */
  readonly wasRefused?: (turn: never, event: Asked, reply: OrderReply) => void;
}

export type Rules<Context extends object, Emitted extends object = never> = Readonly<
  Record<string, Rule<Context, Emitted> | Order<z.ZodObject, Rule<Context, Emitted>>>
>;

/**
 * Makes a rule whose events are checked by a schema, from any sender. An event that does not fit is refused, and its
 * sender is told if it waits for a reply.
 *
 * @param wasRefused Called after an order that was refused, by its schema or by its rule, with the refusal.
 */
export function order<Schema extends z.ZodObject, Own, Reply extends object | null | void>(
  schema: Schema,
  rule: (turn: Own, event: z.output<Schema> & Asked, fields: z.output<Schema>) => Reply,
  wasRefused?: (turn: Own, event: Asked, reply: OrderReply) => void,
): Order<Schema, typeof rule> {
  return { schema, rule, ...(wasRefused !== undefined && { wasRefused }) };
}

/** An action of a machine that runs in a turn of its own. */
export function inTurn<
  Context extends MachineContext,
  Event extends EventObject,
  Params extends ParameterizedObject['params'] | undefined,
  Emitted extends EventObject = never,
>(
  act: (turn: Turn<Context, Emitted>, event: Event, params: Params) => void,
): ActionFunction<Context, Event, Event, Params, never, never, never, never, Emitted> {
  return enqueueActions((args, params) => {
    const turn = new Turn<Context, Emitted>(args);
    act(turn, args.event, params);
    turn.close();
  });
}

/** The parts of an agent that decides by rules. */
interface Ruled<Context, Input, Table, Name> {
  readonly name: Name;
  readonly rules: Table;
  readonly context: (input: Input) => Context;
  /** Names of the records that the rules add to. */
  readonly records?: NonNullable<AnyOptions['records']>;
  /** An event that the agent sends itself in its first turn. */
  readonly entry?: Asked;
  /** Bounds of its mailbox (`limits` of `defineAgent`). */
  readonly limits?: NonNullable<AnyOptions['limits']>;
  /** The version of the machine. Default: 1. */
  readonly version?: number;
  /** Contexts of each version from those of the version before, by the later one (docs/versions.md). */
  readonly migrate?: Readonly<Record<number, (old: never) => object>>;
}

type AnyOptions = Parameters<typeof defineAgent>[0];

/** The parts of a machine that decides by rules in every state: the action, its transitions, the schemas of orders. */
export function ruled<Context extends MachineContext, Table extends Rules<Context>>(rules: Table) {
  const decide = inTurn((turn: Turn<Context>, event: Asked) => {
    const said = outcomeOf(turn, event, rules[event.type]);
    if (said !== undefined) turn.reply(event.replyTo, said);
  });
  return { decide, on: transitionsOf(rules), events: schemasOf(rules) };
}

/** An agent that decides by rules alone: its machine has one state and one action, and `on` lists the rule table. */
export function ruledAgent<
  Context extends MachineContext,
  Input,
  Table extends Rules<Context>,
  const Name extends string,
>({
  name,
  rules,
  context,
  records = {},
  limits = {},
  entry,
  version = 1,
  migrate = {},
}: Ruled<Context, Input, Table, Name>) {
  const { decide, on, events } = ruled<Context, Table>(rules);
  const machine = setup({
    types: {} as { context: Context; events: Asked; input: Input },
    actions: { decide },
  }).createMachine({
    id: name,
    context: ({ input }) => context(input),
    ...(entry !== undefined && { entry: raise(entry) }),
    on,
  });
  const steps = Object.entries(migrate).map(([to, step]) => [to, contextStep(step)] as const);
  return defineAgent({ name, version, machine, migrate: Object.fromEntries(steps), events, records, limits });
}

/** A step of a migration to a machine in which the states and contexts of the version before fit as they are. */
export function asBefore(old: { readonly value: unknown; readonly context: unknown }) {
  return old as never;
}

/** A step of a migration that changes the context alone: agents that decide by rules have one state. */
function contextStep<Context>(step: (old: never) => Context) {
  return ({ value, context }: { readonly value: unknown; readonly context: unknown }) =>
    ({ value, context: step(context as never) }) as never;
}

function outcomeOf<Context extends object, Emitted extends object>(
  turn: Turn<Context, Emitted>,
  event: Asked,
  rule: Rules<Context, Emitted>[string] | undefined,
): object | null | void {
  if (rule === undefined) return undefined;
  if (typeof rule === 'function') return rule(turn, event as never, undefined as never);
  const said = outcomeOfOrder(turn, event, rule);
  if (rule.wasRefused !== undefined && (said as Partial<OrderReply> | null | void)?.taken === false)
    rule.wasRefused(turn as never, event, said as OrderReply);
  return said;
}

function outcomeOfOrder<Context extends object, Emitted extends object>(
  turn: Turn<Context, Emitted>,
  event: Asked,
  { schema, rule }: Order<z.ZodObject, Rule<Context, Emitted>>,
): object | null | void {
  if (isParsedBy(event, schema)) {
    const { type: _, replyTo: __, ...fields } = event;
    return rule(turn, event as never, fields as never);
  }
  const { data, error } = schema.safeParse(event);
  if (error !== undefined) return refused(z.prettifyError(error));
  return rule(turn, { ...event, ...data } as never, data as never);
}

function transitionsOf(rules: Readonly<Record<string, unknown>>): Record<string, { actions: 'decide' }> {
  return Object.fromEntries(Object.keys(rules).map((type) => [type, { actions: 'decide' }]));
}

/** The schemas of the orders among the rules. */
function schemasOf<Table extends Readonly<Record<string, unknown>>>(rules: Table): SchemasOf<Table> {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([type, rule]) =>
      typeof rule === 'function' ? [] : [[type, (rule as Order<z.ZodObject, unknown>).schema]],
    ),
  ) as SchemasOf<Table>;
}

type SchemasOf<Table> = {
  readonly [Type in keyof Table as Table[Type] extends Order<z.ZodObject, unknown>
    ? Type
    : never]: Table[Type] extends Order<infer Schema, unknown> ? Schema : never;
};
