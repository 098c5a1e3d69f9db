/**
 * An agent: an ordinary XState machine, the events it accepts from outside as zod schemas, and a version. Types, and
 * the check of an event; agents are made by defineAgent (api/define-agent.ts).
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
import { type ActionOptions, type EffectOptions } from './effect-policy.ts';
import { type OverflowPolicy, type PoisonPolicy } from './step-engine.ts';
import { type Policies } from './policies.ts';
import { type Priority } from './priorities.ts';
import { type ScheduleOptions } from './schedules.ts';
import { type DelayOf, type TimerOptions, type Timing } from './timing.ts';
import { type MigrationSteps, type StoredState } from './version-rules.ts';

/** Per event type, the schema of the whole event or of its fields beside `type`. */
export type EventSchemas = Readonly<Record<string, z.ZodObject>>;

/** The events that schemas describe: `{ type: 'order.place', amount: number } | ...`. */
export type EventsOf<Schemas extends EventSchemas> = {
  // An object schema without keys has an output that no key may be added to, not even `type`.
  [Type in keyof Schemas & string]: z.output<Schemas[Type]> extends Record<string, never>
    ? { type: Type }
    : { type: Type } & z.output<Schemas[Type]>;
}[keyof Schemas & string];

/** A step of a migration; a parameter may be annotated with what the old context was. */
type Step<New> = { step(old: StoredState): New }['step'];

/**
 * By the version that each leads to. A step is pure, gets the state value and context of the version before it, and
 * gives those of its own. The last one gives the context of the machine of today; its state is checked when it is
 * tried.
 */
export type Migrations<Machine extends AnyStateMachine, Version extends number> = {
  readonly [To in number]: Step<StoredState<object>>;
} & (number extends Version ? unknown : { readonly [To in Version]?: Step<StoredState<ContextFrom<Machine>>> });

/** A whole number from 1. A literal that is none does not compile; any other number is checked when it is given. */
export type AgentVersion<Version extends number> = `${Version}` extends '0' | `-${string}` | `${string}.${string}`
  ? never
  : Version;

export interface AgentOptions<
  Machine extends AnyStateMachine,
  Schemas extends EventSchemas,
  Version extends number = number,
  Name extends string = string,
> {
  /** Unique in a system; stored with every actor. */
  readonly name: Name;
  /** From 1, the default. Raise it when stored contexts or states of older actors no longer fit. */
  readonly version?: Version & AgentVersion<Version>;
  /** How actors of older versions become actors of this one, when a system starts. */
  readonly migrate?: Migrations<Machine, Version>;
  /** The same for machines that this one invokes or spawns, by `src`; `line>item` is the `item` of its `line`. */
  readonly migrateChildren?: Readonly<Record<string, { readonly [To in number]: Step<StoredState<object>> }>>;
  /** Older definitions of this agent: the actors that they stored go on by them until they end. */
  readonly previous?: readonly AnyAgent[];
  readonly machine: Machine;
  /** What may come from outside (hosts, clients, people). Messages between agents need no schema. */
  readonly events: Schemas;
  /** Event types that only other agents send: names for which a key in `on` must not be taken for a misspelling. */
  readonly internal?: readonly string[];
  readonly limits?: Partial<AgentLimits>;
  /** Schemas of what clients can read of its actors. Nothing is checked by them; they say what of it is `secret`. */
  readonly shown?: ShownSchemas;
  /**
   * What happens after a message has crashed an actor three times and is put among the dead letters. `dead-letter`, the
   * default: the actor goes on. `suspend`: it takes no turns until `system.resume`. `stop`: it ends normally, so that
   * its Boss starts it anew only if it is permanent; what it had not read goes to the dead letters where it is removed.
   */
  readonly poison?: PoisonPolicy;
  /**
   * By event type, whoever sends it: `high` before `normal`, which is the default, before `low`. From one sender to one
   * receiver order holds within a level. While a message of a lower level waits, at most 16 of higher ones are taken.
   */
  readonly priorities?: { readonly [Type in OwnEvents<Machine, Schemas>]?: Priority };
  /**
   * Keeps the last turns of each of its actors in the store, whole: what they took, what it led to, the context after
   * it. 1 to 10,000 of them; they are read by `system.admin.history` and go with their actor. Default: none.
   */
  readonly trace?: { readonly keep: number };
  /**
   * Retry, timeout and heartbeat of promises, callbacks and observables, by the name under which the machine has them.
   */
  readonly effects?: { readonly [Src in ActorNames<Machine>]?: EffectOptions };
  /**
   * Custom actions that are durable, by the name under which the machine has them. Such an action is called with
   * `{ event, self, system }` and its params, all of which must be data, and without context; `actionOf(self)` has its
   * effect id. A promise that it returns is waited for.
   */
  readonly actions?: { readonly [Name in ActionNames<Machine>]?: ActionOptions };
  /** What a start of the system does to timers of earlier ones. Default: they keep their deadlines. */
  readonly timers?: TimerOptions<DelayOf<Machine>>;
  /** By name, which is stored: events that every actor of the agent gets by the calendar. */
  readonly schedules?: Readonly<Record<string, ScheduleOptions>>;
}

/** Event types with a schema, and those that the machine's types name. */
type OwnEvents<Machine extends AnyStateMachine, Schemas extends EventSchemas> =
  | (keyof Schemas & string)
  | (string extends EventFromLogic<Machine>['type'] ? never : EventFromLogic<Machine>['type']);

type ActorNames<Machine extends AnyStateMachine> = keyof NonNullable<MachineImplementationsFrom<Machine>['actors']> &
  string;
type ActionNames<Machine extends AnyStateMachine> = keyof NonNullable<MachineImplementationsFrom<Machine>['actions']> &
  string;

/** Where an event type of `emitted` is not named, its schema in `events` counts. */
export interface ShownSchemas {
  readonly context?: z.ZodType;
  readonly output?: z.ZodType;
  /** What it replies to an ask. */
  readonly reply?: z.ZodType;
  readonly emitted?: Readonly<Record<string, z.ZodType>>;
}

export interface AgentLimits {
  /** Unread messages over which a sender from outside gets BOSUN_MAILBOX_FULL. Default and highest: 10,000. */
  readonly mailboxMessages: number;
  /**
   * What becomes of events that come to a full mailbox. `wait`, the default: an actor that sent one takes no turn until
   * there is room, by the runtime's bound of 10,000. `refuse`: it becomes a dead letter. `drop-oldest`: the oldest
   * unread event does, also for senders from outside. Those two go by `mailboxMessages`, whoever sends.
   */
  readonly overflow: OverflowPolicy;
}

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
  /** Of its effects and its durable actions, with every default filled in. */
  readonly policies: Policies;
  readonly migrate: MigrationSteps;
  readonly migrateChildren: Readonly<Record<string, MigrationSteps>>;
  readonly previous: readonly AnyAgent[];
  readonly timing: Timing;
}

export type AnyAgent = Agent<AnyStateMachine, EventSchemas>;
export type AgentEvents<A> = A extends Agent<AnyStateMachine, infer Schemas> ? EventsOf<Schemas> : EventObject;
export type AgentInput<A> = A extends Agent<infer Machine, EventSchemas> ? InputFrom<Machine> : unknown;

/** The agent name of every Boss. */
export const BOSS_AGENT = 'bosun.boss';

export function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 1;
}

/**
 * The event if it is one of the agent's, with its fields as the schema gives them. Throws BOSUN_EVENT_REFUSED or
 * _INVALID.
 */
export function parseEvent(agent: { name: string; events: EventSchemas }, event: EventObject): EventObject {
  const type: unknown = event?.type;
  const schema = typeof type === 'string' && Object.hasOwn(agent.events, type) ? agent.events[type] : undefined;
  if (typeof type !== 'string' || schema === undefined) {
    const known = Object.keys(agent.events);
    const hint =
      known.length === 0 ? 'it accepts none' : `it accepts ${known.map((name) => JSON.stringify(name)).join(', ')}`;
    throw new BosunError(
      'BOSUN_EVENT_REFUSED',
      `${agent.name} does not accept ${JSON.stringify(type)} from outside; ${hint}`,
    );
  }
  const parsed = schema.safeParse(takesType(schema) ? event : withoutType(event));
  // An object schema gives an object of its own, whatever it was given.
  if (parsed.success) return Object.assign(parsed.data, { type });
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`);
  throw new BosunError('BOSUN_EVENT_INVALID', `${type} for ${agent.name}: ${problems.join('; ')}`, {
    cause: parsed.error,
  });
}

/** A schema that does not name the type leaves it out, unless it refuses what it does not name. */
function takesType({ shape, def }: z.ZodObject): boolean {
  return 'type' in shape || def.catchall === undefined;
}

function withoutType({ type: _, ...fields }: EventObject): object {
  return fields;
}

/** Throws BOSUN_CONFIG_INVALID for two agents of one name. */
export function agentsByName(agents: readonly AnyAgent[]): Map<string, AnyAgent> {
  const map = new Map<string, AnyAgent>();
  for (const agent of agents) {
    if (map.has(agent.name)) throw new BosunError('BOSUN_CONFIG_INVALID', `two agents are named "${agent.name}"`);
    map.set(agent.name, agent);
  }
  return map;
}
