/**
 * An agent: an ordinary XState machine, zod schemas of the events that it accepts from outside, and a version. Contains
 * the types and the check of an event; defineAgent (api/define-agent.ts) makes agents.
 */
import {
  type AnyStateMachine,
  type ContextFrom,
  type EventFromLogic,
  type EventObject,
  type InputFrom,
  type MachineImplementationsFrom,
} from 'xstate';
import { type z } from 'zod';
import { BosunError } from '../../errors.ts';
import { disown, disownParts } from '../../user-code.ts';
import { readBy, unreadable } from '../../user-schema.ts';
import { eventType } from './event-check.ts';
import { type ActionOptions, type EffectOptions } from './effect-policy.ts';
import { type OverflowPolicy, type PoisonPolicy } from './step-engine.ts';
import { isRecord } from './plain-values.ts';
import { type Policies } from './policies.ts';
import { type Priority } from './priorities.ts';
import { type RecordOptions } from './records.ts';
import { type KeepOptions } from './results.ts';
import { type ScheduleOptions } from './schedules.ts';
import { type DelayOf, type TimerOptions, type Timing } from './timing.ts';
import { causeOf } from './thrown.ts';
import { type MigrationSteps, type StoredState } from './version-rules.ts';

/** Schemas by event type: each describes the whole event, or its fields beside `type`. */
export type EventSchemas = Readonly<Record<string, z.ZodObject>>;

/** The events that schemas describe: `{ type: 'order.place', amount: number } | ...`. */
export type EventsOf<Schemas extends EventSchemas> = {
  // An object schema without keys has an output that no key may be added to, not even `type`.
  [Type in keyof Schemas & string]: z.output<Schemas[Type]> extends Record<string, never>
    ? { type: Type }
    : { type: Type } & z.output<Schemas[Type]>;
}[keyof Schemas & string];

/** The events of a machine that have one type; any event where the machine's types do not say. */
type EventOfType<Event, Type extends string> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Event
    : never
  : never;

/**
 * The fields of an event without `replyTo`, which an ask adds itself. A key that may be left out may be undefined, as
 * in zod.
 */
type FieldsOf<Event> = {
  [Key in keyof Event as string extends Key ? never : Exclude<Key, 'replyTo'>]: Record<never, never> extends Pick<
    Event,
    Key
  >
    ? Event[Key] | undefined
    : Event[Key];
};

/** Schemas whose results fit the machine's own event types; the compiler names each event that does not fit. */
export type FittingSchemas<Machine extends AnyStateMachine, Schemas extends EventSchemas> = string extends
  | keyof Schemas
  | EventFromLogic<Machine>['type']
  ? unknown
  : {
      readonly [Type in keyof Schemas & string]: [EventOfType<EventFromLogic<Machine>, Type>] extends [never]
        ? { readonly 'the machine has no such event, but': EventFromLogic<Machine>['type'] }
        : EventsOf<Pick<Schemas, Type>> extends FieldsOf<EventOfType<EventFromLogic<Machine>, Type>>
          ? Schemas[Type]
          : { readonly 'the schema does not give the event': EventOfType<EventFromLogic<Machine>, Type> };
    };

/** One step of a migration. Its parameter may be annotated with the type of the old context. */
type Step<New> = { step(old: StoredState): New }['step'];

/**
 * Migration steps by the version that each leads to. A step is pure: it takes the state value and context of the
 * version before it and returns those of its own. The last step returns the context of today's machine; the returned
 * state is checked when the migration is tried.
 */
export type Migrations<Machine extends AnyStateMachine, Version extends number> = {
  readonly [To in number]: Step<StoredState<object>>;
} & (number extends Version ? unknown : { readonly [To in Version]?: Step<StoredState<ContextFrom<Machine>>> });

/** A version: a whole number from 1. Any other literal does not compile; other numbers are checked at run time. */
export type AgentVersion<Version extends number> = `${Version}` extends '0' | `-${string}` | `${string}.${string}`
  ? never
  : Version;

/** The options of `defineAgent`. */
export interface AgentOptions<
  Machine extends AnyStateMachine,
  Schemas extends EventSchemas,
  Version extends number = number,
  Name extends string = string,
> {
  /** The name of the agent, unique in a system and stored with every actor. */
  readonly name: Name;
  /**
   * The version of the machine, 1 by default. Raise it when stored contexts or states of older actors no longer fit the
   * machine.
   */
  readonly version?: Version & AgentVersion<Version>;
  /** Migration steps for actors of older versions, run when a system starts. */
  readonly migrate?: Migrations<Machine, Version>;
  /**
   * Migration steps for machines that this one invokes or spawns, by `src`; `line>item` is the `item` of its `line`.
   */
  readonly migrateChildren?: Readonly<Record<string, { readonly [To in number]: Step<StoredState<object>> }>>;
  /** Older definitions of this agent. Actors stored by them keep running on them until they end. */
  readonly previous?: readonly AnyAgent[];
  readonly machine: Machine;
  /** Schemas of events accepted from outside (hosts, clients, people). Events between agents need no schema. */
  readonly events: Schemas & FittingSchemas<Machine, Schemas>;
  /** Event types that only other agents send. Keys in `on` with these names are not reported as misspelt. */
  readonly internal?: readonly string[];
  readonly limits?: Partial<AgentLimits>;
  /**
   * Schemas of the data that clients can read of its actors. They validate nothing; they only mark parts as `secret`.
   */
  readonly shown?: ShownSchemas;
  /**
   * The action taken after a message has crashed an actor three times and becomes a dead letter. `dead-letter`, the
   * default: the actor goes on. `suspend`: it takes no turns until `system.resume`. `stop`: it ends normally, so that
   * its Boss restarts it only if it is permanent; its unread messages become dead letters when it is removed.
   */
  readonly poison?: PoisonPolicy;
  /**
   * Priorities by event type, independent of the sender: `high` before `normal` (the default) before `low`. Messages
   * from one sender to one receiver keep their order within a priority. At most 16 messages of higher priority are
   * taken while one of a lower priority waits.
   */
  readonly priorities?: { readonly [Type in OwnEvents<Machine, Schemas>]?: Priority };
  /**
   * Keeps the last turns of each of its actors in the store: the event, its consequences, and the whole context after
   * it. `keep` is 1 to 10,000. `system.admin.history` reads them; they are removed with their actor. Default: none.
   */
  readonly trace?: { readonly keep: number };
  /**
   * Histories by name: append-only records that its actors write with the action `record` and that `system.records`
   * reads from the store. At most 32 names.
   */
  readonly records?: Readonly<Record<string, RecordOptions>>;
  /**
   * How long the results of its ended actors are kept, with their records and kept turns: `ended.count` of them, for
   * `ended.days`. `system.result` reads them, and a `spawn` of an ended id returns that result instead of doing the
   * work again. Default: the last 10,000 of the agent, for 30 days.
   */
  readonly keep?: KeepOptions;
  /** Retry, timeout and heartbeat of promises, callbacks and observables, by their name in the machine. */
  readonly effects?: { readonly [Src in ActorNames<Machine>]?: EffectOptions };
  /**
   * Durable custom actions, by their name in the machine. A durable action is called with `{ event, self, system }` and
   * its params, all of which must be data, and without context; `actionOf(self)` has its effect id. A promise that it
   * returns is awaited.
   */
  readonly actions?: { readonly [Name in ActionNames<Machine>]?: ActionOptions };
  /** How a start of the system treats timers armed in earlier runs. Default: they keep their deadlines. */
  readonly timers?: TimerOptions<DelayOf<Machine>>;
  /** Calendar events that every actor of the agent receives, by a name that is stored. */
  readonly schedules?: Readonly<Record<string, ScheduleOptions>>;
}

/** Event types that have a schema or are named by the machine's types. */
type OwnEvents<Machine extends AnyStateMachine, Schemas extends EventSchemas> =
  | (keyof Schemas & string)
  | (string extends EventFromLogic<Machine>['type'] ? never : EventFromLogic<Machine>['type']);

type ActorNames<Machine extends AnyStateMachine> = keyof NonNullable<MachineImplementationsFrom<Machine>['actors']> &
  string;
type ActionNames<Machine extends AnyStateMachine> = keyof NonNullable<MachineImplementationsFrom<Machine>['actions']> &
  string;

/**
 * Schemas of the data that clients can read of an agent's actors. An event type missing in `emitted` uses its schema in
 * `events`.
 */
export interface ShownSchemas {
  readonly context?: z.ZodType;
  readonly output?: z.ZodType;
  /** The value that it replies to an ask. */
  readonly reply?: z.ZodType;
  readonly emitted?: Readonly<Record<string, z.ZodType>>;
}

/** The capacity of the mailbox of each of the agent's actors, and the policy for events beyond it. */
export interface AgentLimits {
  /** Number of unread messages from which outside senders get BOSUN_MAILBOX_FULL. Default and maximum: 10,000. */
  readonly mailboxMessages: number;
  /**
   * The policy for events that arrive at a full mailbox. `wait`, the default: an actor that sent one takes no turn
   * until there is room, by the runtime's bound of 10,000. `refuse`: the event becomes a dead letter. `drop-oldest`:
   * the oldest unread event becomes a dead letter, also for senders from outside. `refuse` and `drop-oldest` use
   * `mailboxMessages` for every sender.
   */
  readonly overflow: OverflowPolicy;
}

/** An agent checked by `defineAgent`, for `createSystem` and `system.spawn`. */
export interface Agent<
  Machine extends AnyStateMachine = AnyStateMachine,
  Schemas extends EventSchemas = EventSchemas,
  Name extends string = string,
> {
  readonly name: Name;
  readonly version: number;
  readonly machine: Machine;
  readonly events: Schemas;
  readonly limits: AgentLimits;
  readonly shown: ShownSchemas;
  /** Policies of its effects and its durable actions, with every default filled in. */
  readonly policies: Policies;
  readonly migrate: MigrationSteps;
  readonly migrateChildren: Readonly<Record<string, MigrationSteps>>;
  readonly previous: readonly AnyAgent[];
  readonly timing: Timing;
}

/** An agent with any machine and any schemas. */
export type AnyAgent = Agent<AnyStateMachine, EventSchemas>;
/** The events that an agent accepts from outside, as its schemas describe them. */
export type AgentEvents<A> = A extends Agent<AnyStateMachine, infer Schemas> ? EventsOf<Schemas> : EventObject;
export type AgentInput<A> = A extends Agent<infer Machine, EventSchemas> ? InputFrom<Machine> : unknown;

export function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 1;
}

/**
 * Returns the event parsed by the agent's schema. Throws BOSUN_EVENT_REFUSED or BOSUN_EVENT_INVALID and nothing else:
 * an error thrown by the event or by code in the schema is quoted in the message. Rejections of promises in a refused
 * event are handled.
 */
export function parseEvent(agent: { name: string; events: EventSchemas }, event: EventObject): EventObject {
  try {
    return parsed(agent, event);
  } catch (error) {
    disown(event);
    throw error;
  }
}

function parsed(agent: { name: string; events: EventSchemas }, event: EventObject): EventObject {
  const type = eventType(event);
  const schema = type !== undefined && Object.hasOwn(agent.events, type) ? agent.events[type] : undefined;
  if (type === undefined || schema === undefined) {
    const known = Object.keys(agent.events);
    const hint =
      known.length === 0 ? 'it accepts none' : `it accepts ${known.map((name) => JSON.stringify(name)).join(', ')}`;
    throw new BosunError(
      'BOSUN_EVENT_REFUSED',
      `${agent.name} does not accept ${JSON.stringify(type) ?? 'an event without a type'} from outside; ${hint}`,
    );
  }
  const invalid = (why: string, cause?: unknown) =>
    new BosunError('BOSUN_EVENT_INVALID', `${type} for ${agent.name}: ${why}`, { cause });
  let given: object;
  try {
    given = takesType(schema) ? event : withoutType(event);
  } catch (thrown) {
    throw invalid(unreadable(thrown), causeOf(thrown));
  }
  const read = readBy(schema, given, 'event');
  if (!read.isSound) throw invalid(read.why, read.error ?? causeOf(read.thrown));
  // Code in the schema may return anything, an object of its own included.
  if (!isRecord(read.value)) throw invalid('its schema gives something that is not an object');
  // A schema that does not name a field drops it.
  disownParts(event);
  return noted({ ...read.value, type }, schema);
}

/** The schema by which each event was parsed. Events read from disk or replaced by admission are not in here. */
const parsedBy = new WeakMap<EventObject, z.ZodObject>();

function noted(event: EventObject, schema: z.ZodObject): EventObject {
  parsedBy.set(event, schema);
  return event;
}

/** Whether this event object is the result of parsing by that schema, and so need not be parsed again. */
export function isParsedBy(event: EventObject, schema: z.ZodObject): boolean {
  return parsedBy.get(event) === schema;
}

/**
 * Whether the schema parses an event with its `type`. A schema that does not name the type strips it, unless the schema
 * also refuses or checks unknown keys.
 */
function takesType({ shape, def }: z.ZodObject): boolean {
  return 'type' in shape || def.catchall === undefined;
}

function withoutType({ type: _, ...fields }: EventObject): object {
  return fields;
}

/** Indexes agents by name. Throws BOSUN_CONFIG_INVALID for two agents of one name. */
export function agentsByName(agents: readonly AnyAgent[]): Map<string, AnyAgent> {
  const map = new Map<string, AnyAgent>();
  for (const agent of agents) {
    if (map.has(agent.name)) throw new BosunError('BOSUN_CONFIG_INVALID', `two agents are named "${agent.name}"`);
    map.set(agent.name, agent);
  }
  return map;
}
