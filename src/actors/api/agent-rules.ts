/**
 * The options of defineAgent: the known keys, and the kind of value of each. Bounds, and checks against the machine,
 * are made where an option is read.
 */
import {
  aFunction,
  anObject,
  anything,
  aText,
  closedObject,
  listOf,
  needed,
  type OptionRule,
  type OptionRules,
  recordOf,
  rule,
} from '../../option-rules.ts';
import { type Backoff } from '../../backoff.ts';
import { type AgentLimits, type AgentOptions, type AnyAgent, type ShownSchemas } from '../model/agent.ts';
import { type ActionOptions, type EffectOptions, type RetryOptions } from '../model/effect-policy.ts';
import { type KeepBounds } from '../model/keep-bounds.ts';
import { type RecordOptions } from '../model/records.ts';
import { type KeepOptions } from '../model/results.ts';
import { type ScheduleOptions } from '../model/schedules.ts';
import { type TimerOptions } from '../model/timing.ts';
import { isAsync } from '../../user-code.ts';
import { isMachine } from '../xstate/machine-facts.ts';

/**
 * Whether a value is an agent. Checked by its form, because a module may have another copy of Bosun than its loader.
 */
export function isAgent(value: unknown): value is AnyAgent {
  if (typeof value !== 'object' || value === null) return false;
  const { name, version, machine } = value as Partial<AnyAgent>;
  return typeof name === 'string' && typeof version === 'number' && isMachine(machine);
}

/** A rule for a function of which a value is due. */
export const aPromptFunction: OptionRule = (value) => aFunction(value) ?? (isAsync(value) ? ASYNC : undefined);

const ASYNC = 'must not be async: nobody waits for its promise';

/** A rule for an object none of whose methods is visibly async. */
export function promptly(rule: OptionRule, ...methods: readonly string[]): OptionRule {
  return (value) => {
    const problem = rule(value);
    if (problem !== undefined || value === undefined) return problem;
    const method = methods.find((name) => isAsync((value as Record<string, unknown>)[name]));
    return method && `.${method}: ${ASYNC}`;
  };
}

export const anAgent: OptionRule = rule('an agent made by defineAgent', isAgent);

const retry = closedObject<RetryOptions>({
  attempts: anything,
  backoff: closedObject<Backoff>({ minMs: anything, maxMs: anything, factor: anything, jitter: anything }),
  retryIf: aPromptFunction,
});
const keepBounds = closedObject<KeepBounds>({ count: anything, days: anything });
const effect = { retry, timeoutMs: anything };

export const AGENT_RULES: OptionRules<AgentOptions<never, never>> = {
  name: needed('give the name under which its actors are stored', aText),
  version: anything,
  migrate: recordOf(aPromptFunction),
  migrateChildren: recordOf(recordOf(aPromptFunction)),
  previous: listOf(anAgent),
  machine: needed(
    'give a machine of XState: setup({ ... }).createMachine({ ... })',
    rule('a machine of XState: setup({ ... }).createMachine({ ... })', isMachine),
  ),
  events: needed('list the events that may come from outside, by type, or write events: {} for none', anObject),
  internal: listOf(aText),
  limits: closedObject<AgentLimits>({ mailboxMessages: anything, overflow: anything }),
  shown: closedObject<ShownSchemas>({ context: anObject, output: anObject, reply: anObject, emitted: anObject }),
  poison: anything,
  priorities: anObject,
  trace: closedObject<{ keep: number }>({ keep: anything }),
  records: recordOf(closedObject<RecordOptions>({ schema: anObject, keep: keepBounds, keys: anObject })),
  keep: closedObject<KeepOptions>({
    ended: keepBounds,
  }),
  effects: recordOf(closedObject<EffectOptions>({ ...effect, heartbeatMs: anything })),
  actions: recordOf(closedObject<ActionOptions>({ ...effect, durable: anything })),
  timers: closedObject<TimerOptions>({ restore: anObject, restoreDefault: anything }),
  schedules: recordOf(
    closedObject<ScheduleOptions>({
      cron: anything,
      timezone: anything,
      event: anything,
      catchUp: anything,
      max: anything,
    }),
  ),
};
