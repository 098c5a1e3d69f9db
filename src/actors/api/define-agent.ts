/**
 * defineAgent: checks what an agent is made of, and fills in every default. What is wrong is refused here, with its
 * place, and not when an actor first meets it.
 */
import { type AnyActorLogic, type AnyStateMachine } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { MAILBOX_MESSAGES_MAX, TRACE_KEPT_MAX } from '../../limits.ts';
import {
  type Agent,
  type AgentLimits,
  type AgentOptions,
  type AnyAgent,
  BOSS_AGENT,
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
import { hasSecrets } from '../model/secret.ts';
import { type Overflow, type OverflowPolicy, type PoisonPolicy } from '../model/step-engine.ts';
import { parseTiming, type Timing } from '../model/timing.ts';
import { type MigrationSteps } from '../model/version-rules.ts';
import { customAction, kindOf } from '../xstate/machine-facts.ts';
import { flawOfType, refusalOf } from '../xstate/machine-rules.ts';

const NAME = /^[A-Za-z0-9\-_.:@+~]+$/;
const POISON_POLICIES: ReadonlySet<string> = new Set<PoisonPolicy>(['dead-letter', 'suspend', 'stop']);
const OVERFLOW_POLICIES: ReadonlySet<string> = new Set<OverflowPolicy>(['wait', 'refuse', 'drop-oldest']);
const EFFECTS: ReadonlySet<string> = new Set(['promise', 'callback', 'observable']);

/**
 * Throws BOSUN_AGENT_INVALID for a name that is none, an event type that is reserved or a wildcard, a schema for an
 * event that no state of the machine handles or a key in `on` that is a schema's misspelt, an actor that is invoked or
 * spawned and not there, inline logic in `spawnChild`, a history state that XState itself cannot go back to, an action
 * named `bosun.*`, options of an effect or action that the machine does not have, a restore policy for a delay that it
 * lacks, a schedule that is none, a priority of an event that no state handles, or a migration to a version that is
 * none of those up to its own. The message names the place.
 */
export function defineAgent<
  Machine extends AnyStateMachine,
  const Schemas extends EventSchemas,
  const Version extends number = 1,
  const Name extends string = string,
>(options: AgentOptions<Machine, Schemas, Version, Name>): Agent<Machine, Schemas, Name> {
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
  const invalid = (what: string) => new BosunError('BOSUN_AGENT_INVALID', `agent ${JSON.stringify(name)}: ${what}`);
  if (!NAME.test(name)) throw invalid('a name is letters, digits and -_.:@+~');
  if (name === BOSS_AGENT) throw invalid('this name is that of Bosses');
  if (!isVersion(version)) throw invalid('a version is a whole number from 1');
  const { mailboxMessages } = limits;
  if (!Number.isSafeInteger(mailboxMessages) || mailboxMessages < 1 || mailboxMessages > MAILBOX_MESSAGES_MAX) {
    throw invalid(`limits.mailboxMessages is a whole number from 1 to ${MAILBOX_MESSAGES_MAX}`);
  }
  if (!OVERFLOW_POLICIES.has(limits.overflow))
    throw invalid(`limits.overflow is one of ${[...OVERFLOW_POLICIES].join(', ')}`);
  const scheduled = Object.values(options.schedules ?? {}).map((schedule) => schedule?.event?.type);
  const refusal = refusalOf({ machine, schemas: Object.keys(events), internal: [...internal, ...scheduled] });
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

function overflowOf({ overflow: policy, mailboxMessages: messages }: AgentLimits): Overflow {
  return policy === 'wait' ? WAITING : { policy, messages };
}

type Declared = Readonly<Record<string, EffectOptions | ActionOptions | undefined>>;

interface DeclaredPolicies {
  readonly effects?: Declared;
  readonly actions?: Declared;
  readonly poison?: PoisonPolicy;
  readonly trace?: { readonly keep: number };
  readonly priorities?: Readonly<Record<string, Priority | undefined>>;
  readonly events: EventSchemas;
  readonly shown?: ShownSchemas;
}

function policiesOf(
  machine: AnyStateMachine,
  { effects = {}, actions = {}, poison = 'dead-letter', trace, priorities = {}, events, shown = {} }: DeclaredPolicies,
  invalid: (what: string) => BosunError,
): Omit<Policies, 'overflow'> {
  if (!POISON_POLICIES.has(poison)) throw invalid(`poison is one of ${[...POISON_POLICIES].join(', ')}`);
  if (trace !== undefined && !(Number.isSafeInteger(trace.keep) && trace.keep >= 1 && trace.keep <= TRACE_KEPT_MAX)) {
    throw invalid(`trace.keep is a whole number from 1 to ${TRACE_KEPT_MAX}`);
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
    isSecret: [
      shown.context,
      shown.output,
      shown.reply,
      ...Object.values(shown.emitted ?? {}),
      ...Object.values(events),
    ].some(hasSecrets),
    priorities: levelsOf(machine, priorities, invalid),
    effects: policies(effects, 'effects', (src, options: EffectOptions) => {
      const logic = Object.hasOwn(actors, src) ? actors[src] : undefined;
      if (logic === undefined || !EFFECTS.has(kindOf(logic)))
        throw invalid(`"${src}" is no promise, callback or observable of its actors`);
      return effectPolicy(options);
    }),
    actions: policies(actions, 'actions', (name, options: ActionOptions) => {
      if (customAction(machine, name) === undefined) throw invalid(`"${name}" is no custom action of its machine`);
      return actionPolicy(options);
    }),
  };
}

/** The problem with an agent's migrations or earlier definitions, in words; undefined where there is none. */
function historyProblem(
  migrate: MigrationSteps,
  migrateChildren: Readonly<Record<string, MigrationSteps>>,
  previous: readonly AnyAgent[],
  { name, version }: { name: string; version: number },
): string | undefined {
  const targets = [migrate, ...Object.values(migrateChildren)].flatMap((steps) => Object.keys(steps).map(Number));
  const wrong = targets.find((to) => !isVersion(to) || to === 1 || to > version);
  if (wrong !== undefined)
    return `a migration leads to a version from 2 to ${version}, which is its own, and not to ${wrong}`;
  const stranger = previous.find((old) => old.name !== name || old.version >= version);
  if (stranger !== undefined)
    return `version ${stranger.version} of "${stranger.name}" is none before version ${version} of it`;
  const versions = previous.map((old) => old.version);
  return versions.some((old, index) => versions.indexOf(old) !== index)
    ? 'two agents of one version are in `previous`'
    : undefined;
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
