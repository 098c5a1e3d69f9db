/**
 * defineAgent: checks the parts of an agent and fills in every default. Mistakes are refused here, with their place,
 * and not when an actor first meets them.
 */
import { parseRecords, type RecordOptions } from '../model/records.ts';
import { type KeepOptions, parseKeep } from '../model/results.ts';
import { type AnyActorLogic, type AnyStateMachine } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { problemOfOptions } from '../../option-rules.ts';
import { flawOfSchema } from '../../user-schema.ts';
import { MAILBOX_MESSAGES_MAX, TRACE_KEPT_MAX } from '../../limits.ts';
import {
  type Agent,
  type AgentLimits,
  type AgentOptions,
  type AnyAgent,
  type EventSchemas,
  isVersion,
  type ShownSchemas,
} from '../model/agent.ts';
import {
  type ActionOptions,
  actionPolicy,
  type EffectOptions,
  type EffectPolicy,
  effectPolicy,
} from '../model/effect-policy.ts';
import { type Policies, WAITING } from '../model/policies.ts';
import { parsePriorities, type Priority } from '../model/priorities.ts';
import { flawOfSpeakers } from '../model/person.ts';
import { hasSecrets } from '../model/secret.ts';
import { BOSS_AGENT } from '../model/supervision.ts';
import { type Overflow, type OverflowPolicy, type PoisonPolicy } from '../model/step-engine.ts';
import { parseTiming, type Timing } from '../model/timing.ts';
import { type MigrationSteps } from '../model/version-rules.ts';
import { foreignCopy } from '../xstate/foreign-copies.ts';
import { customAction, kindOf, machinesOf, nodesById } from '../xstate/machine-facts.ts';
import { flawOfType, refusalOf } from '../xstate/machine-rules.ts';
import { AGENT_RULES } from './agent-rules.ts';

const NAME = /^[A-Za-z0-9\-_.:@+~]+$/;
const POISON_POLICIES: ReadonlySet<string> = new Set<PoisonPolicy>(['dead-letter', 'suspend', 'stop']);
const OVERFLOW_POLICIES: ReadonlySet<string> = new Set<OverflowPolicy>(['wait', 'refuse', 'drop-oldest']);
const EFFECTS: ReadonlySet<string> = new Set(['promise', 'callback', 'observable']);

/**
 * Defines an agent. Throws BOSUN_AGENT_INVALID for a missing or unknown option or one of the wrong kind, an invalid
 * name, an event schema that is not an object schema, a mark of a speaker in a place where no caller can be held to it,
 * a schema with an async function, a reserved event type or a wildcard, a schema for an event that no state of the
 * machine handles, a key in `on` that is a misspelt schema, a missing implementation of an invoked or spawned actor, an
 * action, a guard or a delay, inline logic in `spawnChild`, a history state that XState itself cannot return to, an
 * action named `bosun.*`, options of an effect or action that the machine does not have, a restore policy for a delay
 * that it lacks, an invalid schedule, a priority of an event that no state handles, or a migration to a version beyond
 * its own. The message names the place.
 */
export function defineAgent<
  Machine extends AnyStateMachine,
  const Schemas extends EventSchemas,
  const Version extends number = 1,
  const Name extends string = string,
>(options: AgentOptions<Machine, Schemas, Version, Name>): Agent<Machine, Schemas, Name> {
  const unfit = problemOfOptions(options, AGENT_RULES);
  const nameGiven: unknown = (options as typeof options | undefined)?.name;
  const invalid = (what: string) =>
    new BosunError(
      'BOSUN_AGENT_INVALID',
      `agent ${typeof nameGiven === 'string' ? JSON.stringify(nameGiven) : 'without a name'}: ${what}`,
    );
  if (unfit !== undefined) throw invalid(unfit);
  const {
    name,
    version = 1,
    machine,
    events,
    internal = [],
    migrateChildren = {},
    previous = [],
    shown = {},
  } = options;
  const migrate = (options.migrate ?? {}) as MigrationSteps;
  const limits: AgentLimits = { mailboxMessages: MAILBOX_MESSAGES_MAX, overflow: 'wait', ...options.limits };
  if (!NAME.test(name)) throw invalid('a name must consist of letters, digits and -_.:@+~');
  if (name === BOSS_AGENT) throw invalid('this name is reserved for Bosses');
  if (!isVersion(version)) throw invalid('version must be a whole number from 1');
  const { mailboxMessages } = limits;
  if (!Number.isSafeInteger(mailboxMessages) || mailboxMessages < 1 || mailboxMessages > MAILBOX_MESSAGES_MAX) {
    throw invalid(`limits.mailboxMessages must be a whole number from 1 to ${MAILBOX_MESSAGES_MAX}`);
  }
  if (!OVERFLOW_POLICIES.has(limits.overflow))
    throw invalid(`limits.overflow must be one of ${[...OVERFLOW_POLICIES].join(', ')}`);
  const schemas = schemasOf(options);
  const foreign = foreignCopy({ machine, schemas, calledBy: defineAgent }) ?? wrongSchema(events, schemas);
  if (foreign !== undefined) throw invalid(foreign);
  const scheduled = Object.values(options.schedules ?? {}).map((schedule) => schedule?.event?.type);
  const refusal =
    lostState(machine) ?? refusalOf({ machine, schemas: Object.keys(events), internal: [...internal, ...scheduled] });
  if (refusal !== undefined) throw invalid(refusal);
  const policies = { ...policiesOf(machine, options, invalid), overflow: overflowOf(limits) };
  const timing = timingOf(options, invalid);
  const history = historyProblem(migrate, migrateChildren, previous, { name, version });
  if (history !== undefined) throw invalid(history);
  return Object.freeze({
    name,
    version,
    machine,
    events,
    limits: Object.freeze(limits),
    shown,
    policies,
    timing,
    migrate,
    migrateChildren,
    previous,
  });
}

function schemasOf({
  events,
  shown = {},
  records = {},
}: Pick<AgentOptions<AnyStateMachine, EventSchemas>, 'shown' | 'records'> & {
  readonly events: EventSchemas;
}): (readonly [place: string, schema: unknown])[] {
  const { emitted = {}, ...others } = shown;
  return [
    ...Object.entries(events).map(([type, schema]) => [`the schema of ${JSON.stringify(type)}`, schema] as const),
    ...Object.entries(others).map(([name, schema]) => [`shown.${name}`, schema] as const),
    ...Object.entries(emitted).map(([type, schema]) => [`shown.emitted.${type}`, schema] as const),
    ...Object.entries(records).map(([name, record]) => [`records.${name}.schema`, record?.schema] as const),
  ];
}

/** A state that XState 5 takes, and then loses, because its states are properties of an object; undefined for none. */
function lostState(machine: AnyStateMachine): string | undefined {
  for (const { machine: one, owner } of machinesOf(machine)) {
    const node = [...nodesById(one).values()].find(({ key }) => key === '__proto__');
    if (node !== undefined)
      return `${owner === '' ? '' : `in ${owner}: `}state ${node.id}: a state must not be named "__proto__"`;
  }
  return undefined;
}

/** The first schema that cannot be used, in words; undefined if there is none. */
function wrongSchema(
  events: EventSchemas,
  schemas: readonly (readonly [place: string, schema: unknown])[],
): string | undefined {
  const shapeless = Object.keys(events).find((type) => !isObjectSchema(events[type]));
  if (shapeless !== undefined)
    return `the schema of ${JSON.stringify(shapeless)} is not an object schema of zod 4: write z.object({ ... })`;
  for (const [place, schema] of schemas) {
    const flaw = schema === undefined ? undefined : flawOfSchema(schema);
    if (flaw !== undefined) return `${place}${/^(is|has) /.test(flaw) ? '' : ':'} ${flaw}`;
  }
  for (const [type, schema] of Object.entries(events)) {
    const flaw = flawOfSpeakers(schema);
    if (flaw !== undefined) return `the schema of ${JSON.stringify(type)}: ${flaw}`;
  }
  return undefined;
}

/** Whether the schema is an object schema: an event is an object, and checks need the schemas of its fields. */
function isObjectSchema(schema: unknown): boolean {
  const { def, _zod } = (schema ?? {}) as { readonly def?: { readonly type?: unknown }; readonly _zod?: unknown };
  return def?.type === 'object' && _zod !== undefined;
}

function overflowOf({ overflow: policy, mailboxMessages: messages }: AgentLimits): Overflow {
  return policy === 'wait' ? WAITING : { policy, messages };
}

type Declared = Readonly<Record<string, EffectOptions | ActionOptions | undefined>>;

interface DeclaredPolicies {
  readonly effects?: Declared;
  readonly actions?: Declared;
  readonly poison?: PoisonPolicy;
  readonly trace?: { readonly keep: number };
  readonly records?: Readonly<Record<string, RecordOptions | undefined>>;
  readonly keep?: KeepOptions;
  readonly priorities?: Readonly<Record<string, Priority | undefined>>;
  readonly events: EventSchemas;
  readonly shown?: ShownSchemas;
}

function policiesOf(
  machine: AnyStateMachine,
  {
    effects = {},
    actions = {},
    poison = 'dead-letter',
    trace,
    records = {},
    keep,
    priorities = {},
    events,
    shown = {},
  }: DeclaredPolicies,
  invalid: (what: string) => BosunError,
): Omit<Policies, 'overflow'> {
  if (!POISON_POLICIES.has(poison)) throw invalid(`poison must be one of ${[...POISON_POLICIES].join(', ')}`);
  if (trace !== undefined && !(Number.isSafeInteger(trace.keep) && trace.keep >= 1 && trace.keep <= TRACE_KEPT_MAX)) {
    throw invalid(`trace.keep must be a whole number from 1 to ${TRACE_KEPT_MAX}`);
  }
  const actors = machine.implementations.actors as Record<string, AnyActorLogic>;
  const policies = (declared: Declared, kind: string, policyOf: (name: string, options: never) => EffectPolicy) =>
    new Map(
      Object.entries(declared).flatMap(([name, options]) => {
        if (options === undefined) return [];
        try {
          return [[name, policyOf(name, options as never)] as const];
        } catch (error) {
          if (error instanceof RangeError) throw invalid(`${kind}.${name}: ${error.message}`);
          throw error;
        }
      }),
    );
  return {
    poison,
    keptTurns: trace?.keep ?? 0,
    records: recordsOf(records, invalid),
    ended: endedOf(keep, invalid),
    isSecret: [
      shown.context,
      shown.output,
      shown.reply,
      ...Object.values(shown.emitted ?? {}),
      ...Object.values(events),
      ...Object.values(records).map((one) => one?.schema),
    ].some(hasSecrets),
    priorities: levelsOf(machine, priorities, invalid),
    effects: policies(effects, 'effects', (src, options: EffectOptions) => {
      const logic = Object.hasOwn(actors, src) ? actors[src] : undefined;
      if (logic === undefined || !EFFECTS.has(kindOf(logic)))
        throw invalid(`"${src}" is not a promise, callback or observable in setup({ actors })`);
      return effectPolicy(options);
    }),
    actions: policies(actions, 'actions', (name, options: ActionOptions) => {
      if (customAction(machine, name) === undefined) throw invalid(`"${name}" is not a custom action of its machine`);
      return actionPolicy(options);
    }),
  };
}

/** The problem with an agent's migrations or earlier definitions, in words; undefined if there is none. */
function historyProblem(
  migrate: MigrationSteps,
  migrateChildren: Readonly<Record<string, MigrationSteps>>,
  previous: readonly AnyAgent[],
  { name, version }: { name: string; version: number },
): string | undefined {
  const targets = [migrate, ...Object.values(migrateChildren)].flatMap((steps) => Object.keys(steps).map(Number));
  const wrong = targets.find((to) => !isVersion(to) || to === 1 || to > version);
  if (wrong !== undefined)
    return `a migration must lead to a version from 2 to ${version}, the agent's own, not to ${wrong}`;
  const stranger = previous.find((old) => old.name !== name || old.version >= version);
  if (stranger !== undefined)
    return `version ${stranger.version} of "${stranger.name}" in \`previous\` is not an earlier version of this agent`;
  const versions = previous.map((old) => old.version);
  return versions.some((old, index) => versions.indexOf(old) !== index)
    ? '`previous` has two agents of one version'
    : undefined;
}

function recordsOf(
  declared: Readonly<Record<string, RecordOptions | undefined>>,
  invalid: (what: string) => BosunError,
): Policies['records'] {
  try {
    const records = parseRecords(declared);
    return records.size === 0 ? undefined : records;
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function endedOf(keep: KeepOptions | undefined, invalid: (what: string) => BosunError): Policies['ended'] {
  try {
    return parseKeep(keep);
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function levelsOf(
  machine: AnyStateMachine,
  priorities: Readonly<Record<string, Priority | undefined>>,
  invalid: (what: string) => BosunError,
): Policies['priorities'] {
  try {
    return parsePriorities(priorities, (type) => flawOfType(machine, type));
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function timingOf(
  { machine, timers, schedules }: Pick<AgentOptions<AnyStateMachine, EventSchemas>, 'machine' | 'timers' | 'schedules'>,
  invalid: (what: string) => BosunError,
): Timing {
  try {
    return parseTiming(machine, { timers, schedules }, (type) => flawOfType(machine, type));
  } catch (error) {
    throw invalid(messageOf(error));
  }
}
