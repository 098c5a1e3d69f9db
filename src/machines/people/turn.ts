/**
 * One turn of an agent that decides by rules, one per event type: what a rule changes, sends and says goes through here
 * and is done at the end of the turn, so that rules know nothing of XState. A machine has them as its one action and
 * makes its `on` of the same table; it stays an ordinary machine that anybody can look at.
 */
import {
  type ActionFunction,
  type AnyActorRef,
  type AnyEventObject,
  enqueueActions,
  type EventObject,
  type MachineContext,
  type ParameterizedObject,
  setup,
} from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { reply, type ReplyTo } from '../../actors/model/talk-actions.ts';
import { alertOf, type Notice, type Settlement, settlementOf } from './notice.ts';
import { DESKS } from '../work/system-ids.ts';

/** The reply to an order: why it was not taken, or what is to be said although it was. */
export interface OrderReply {
  readonly taken: boolean;
  readonly problems: readonly string[];
}

export const TAKEN: OrderReply = { taken: true, problems: [] };

export function refused(...problems: string[]): OrderReply {
  return { taken: false, problems };
}

/** An event that may have been asked. */
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

  /** The actor of a system id; undefined where there is none. */
  find(systemId: string): AnyActorRef | undefined {
    return this.#system.get(systemId) as AnyActorRef | undefined;
  }

  /** Sends to an actor, or to the one of a system id where there is one: a system need not have every desk. */
  send(to: AnyActorRef | string, event: AnyEventObject): void {
    const receiver = typeof to === 'string' ? this.find(to) : to;
    if (receiver !== undefined) this.#enqueue.sendTo(receiver, event);
  }

  notify(notice: Notice): void {
    this.send(DESKS.alerts, alertOf(notice));
  }

  settle(settlement: Settlement): void {
    this.send(DESKS.alerts, settlementOf(settlement));
  }

  emit(event: Emitted): void {
    this.#enqueue.emit(event);
  }

  /** An event to itself: at once, or later under an id by which it can be taken back. */
  raise(event: AnyEventObject, later?: { readonly id: string; readonly delay: number }): void {
    this.#enqueue.raise(event, later);
  }

  cancel(id: string): void {
    this.#enqueue.cancel(id);
  }

  /** Replies to one who asked; whoever asked by the event of this turn gets what its rule returns. */
  reply(to: ReplyTo | undefined, value: object | null): void {
    if (to !== undefined) this.#enqueue(reply(() => value, { to }));
  }

  /** Replies to whoever asked by the event of this turn, if anybody did. */
  answer(value: object): void {
    this.#enqueue(reply(() => value));
  }

  /** Hands what was changed to the machine. */
  close(): void {
    if (Object.keys(this.#patch).length > 0) this.#enqueue.assign(this.#patch);
  }
}

/** What an event of one type leads to. An event that was asked is replied to with what the rule returns. */
export type Rule<Context extends object, Emitted extends object> = (
  turn: Turn<Context, Emitted>,
  event: never,
  /** Of an order, what its schema has of the event. */
  fields: never,
) => object | null | void;

/** A rule for events that also come from outside the system. */
export interface Order<Schema extends z.ZodObject, Given> {
  readonly schema: Schema;
  readonly rule: Given;
}

export type Rules<Context extends object, Emitted extends object = never> = Readonly<
  Record<string, Rule<Context, Emitted> | Order<z.ZodObject, Rule<Context, Emitted>>>
>;

/** The schema is checked whoever sends it: an event that does not fit is refused, and said so to whoever asked. */
export function order<Schema extends z.ZodObject, Own, Reply extends object | null | void>(
  schema: Schema,
  rule: (turn: Own, event: z.output<Schema> & Asked, fields: z.output<Schema>) => Reply,
): Order<Schema, typeof rule> {
  return { schema, rule };
}

/** An action of a machine, carried out in a turn of its own. */
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

/** What an agent that decides by rules is made of. */
interface Ruled<Context, Input, Table> {
  readonly name: string;
  readonly rules: Table;
  readonly context: (input: Input) => Context;
}

/** An agent that decides by rules alone: its machine has one state and one action, and the table is its `on`. */
export function ruledAgent<Context extends MachineContext, Input, Table extends Rules<Context>>({
  name,
  rules,
  context,
}: Ruled<Context, Input, Table>) {
  const decide = inTurn((turn: Turn<Context>, event: Asked) => {
    const said = outcomeOf(turn, event, rules[event.type]);
    if (said !== undefined) turn.reply(event.replyTo, said);
  });
  const machine = setup({
    types: {} as { context: Context; events: Asked; input: Input },
    actions: { decide },
  }).createMachine({ id: name, context: ({ input }) => context(input), on: transitionsOf(rules) });
  return defineAgent({ name, machine, events: schemasOf(rules) });
}

function outcomeOf<Context extends object, Emitted extends object>(
  turn: Turn<Context, Emitted>,
  event: Asked,
  rule: Rules<Context, Emitted>[string] | undefined,
): object | null | void {
  if (rule === undefined) return undefined;
  if (typeof rule === 'function') return rule(turn, event as never, undefined as never);
  const { data, error } = rule.schema.safeParse(event);
  if (error !== undefined) return refused(z.prettifyError(error));
  return rule.rule(turn, { ...event, ...data } as never, data as never);
}

function transitionsOf(rules: Readonly<Record<string, unknown>>): Record<string, { actions: 'decide' }> {
  return Object.fromEntries(Object.keys(rules).map((type) => [type, { actions: 'decide' }]));
}

/** The schemas of its orders. */
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
