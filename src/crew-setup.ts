/**
 * The options of a crew in a host's own process, and the views that the host reads: types, and the rules by which
 * options are checked at once.
 */
import { type AnyActorLogic, type InputFrom, type OutputFrom } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from './actors/model/agent.ts';
import { type Store } from './actors/model/ports.ts';
import { closed } from './closed-object.ts';
import { type CrewOptions, type WrittenPlan } from './crew-plan.ts';
import { aCount, aFunction, anObject, anything, aTime, needed, type OptionRules, recordOf } from './option-rules.ts';
import { type ToldPhase } from './machines/coordination/coordinator/progress.ts';
import { retrySchema } from './machines/coordination/plan/plan-form.ts';
import { durationMs, type GateQuestion } from './machines/people/gates/gate.ts';
import { type TaskGate } from './machines/tasks/task.ts';
import { type WorkContext } from './machines/work/agent-function.ts';
import { type BossOptions } from './supervisor/child-spec.ts';
import { type SystemOptions } from './system-options.ts';

/** The function of an agent. As a method, so that a host may say of which type the input is. */
type CrewFunction = { work(input: unknown, context: WorkContext): unknown }['work'];

/** Agents by type: functions, or machines of XState with an output. */
export type CrewAgents = Readonly<Record<string, CrewFunction | AnyActorLogic>>;

/** The options of `crew`. */
export interface CrewSetup<Agents extends CrewAgents = CrewAgents>
  extends Pick<CrewOptions, 'ports' | 'roster' | 'answers' | 'tickets'> {
  readonly agents: Agents;
  /** `levelStore('./data')` or `memoryStore()`. */
  readonly store: Store;
  /** A plan that begins with the first start on the store; a later start continues it. Default: none. */
  readonly plan?: WrittenPlan;
  /** How many functions of an agent type run at once in this process. Default: no limit. */
  readonly capacity?: { readonly [Name in keyof Agents]?: number };
  /** Milliseconds for which an ended single task is kept. Default: a week. */
  readonly keepMs?: number;
  /** Further options of the system, and agents and children of the host's own. */
  readonly system?: Omit<SystemOptions, 'agents' | 'store' | 'tree'> & {
    readonly agents?: readonly AnyAgent[];
    readonly tree?: BossOptions;
  };
}

export const SETUP_RULES: OptionRules<CrewSetup> = {
  agents: needed('give the functions by agent name', anObject),
  store: needed("give it levelStore('./data'), or memoryStore() to keep nothing", anything),
  plan: anObject,
  capacity: recordOf(aCount),
  keepMs: aTime,
  ports: recordOf(aFunction),
  roster: anything,
  answers: anObject,
  tickets: anObject,
  system: anObject,
};

/** The input of an agent in a task; optional where its function takes none. */
export type MemberInput<Member> = Member extends (...args: infer Args) => unknown
  ? Args extends readonly [infer Given, ...unknown[]]
    ? { readonly input: Given } | (undefined extends Given ? { readonly input?: Given } : never)
    : { readonly input?: undefined }
  : Member extends AnyActorLogic
    ? { readonly input?: InputFrom<Member> }
    : never;

/** The output of an agent as it is stored: nothing becomes null. */
export type MemberOutput<Member> = Member extends (...args: never[]) => infer Given
  ? Stored<Awaited<Given>>
  : Member extends AnyActorLogic
    ? Stored<OutputFrom<Member>>
    : never;
type Stored<Value> = Value extends undefined | void ? null : Value;

/** A single task. */
export interface TaskOptions<Name extends string = string> {
  /**
   * The key of the task: 1 to 60 letters, digits or `-_.:@+~`. Asking for the same task again gets the same task, over
   * restarts too, until it is forgotten.
   */
  readonly id: string;
  readonly agent: Name;
  /** The retries after failures. Default: three attempts in all, with waits from a second on. */
  readonly retry?: z.input<typeof retrySchema>;
  /** Longest time of an attempt in milliseconds; not for machines, whose limits are their own. Default: no limit. */
  readonly timeoutMs?: number | null;
  /** A question to people about the result. Without their approval the task fails. Default: nobody is asked. */
  readonly gate?: TaskGate;
}

/** A single task as it stands. */
export interface TaskView {
  readonly id: string;
  readonly agent: string;
  /** `waitingForHuman`: people decide about the result, or the work waits for the answer to a ticket. */
  readonly state: 'working' | 'waitingForHuman' | 'done' | 'failed' | 'cancelled';
  /** Ids of the tickets for whose answer the work waits. */
  readonly tickets: readonly string[];
  /** Failed attempts so far. */
  readonly failures: number;
  /** The result of the work; null before, and for work that returns nothing. */
  readonly output: unknown;
  /** Why the task failed; null unless it did. */
  readonly error: string | null;
  readonly startedAtMs: number;
}

/** A plan as it stands. */
export interface PlanView {
  /** `paused`: nothing goes on until a person resumes an item. */
  readonly state: 'working' | 'paused' | 'failed' | 'completed';
  /** Items by name; in a plan of tasks the tasks. */
  readonly items: Readonly<Record<string, PlanItemView>>;
}

/** An item of a plan as it stands. */
export interface PlanItemView {
  readonly phase: ToldPhase;
  /** Why the item is not running; null while it runs. */
  readonly reason: string | null;
  /** Ids of the tickets for whose answer its tasks wait. */
  readonly tickets: readonly string[];
  /** Outputs by stage; in a plan of tasks by task. */
  readonly results: Readonly<Record<string, unknown>>;
}

/** A question to people that waits for its answer. */
export interface OpenGate
  extends Pick<GateQuestion, 'id' | 'kind' | 'title' | 'item' | 'stage' | 'proposal' | 'audience'> {
  /** JSON Schema of the answer. */
  readonly form: GateQuestion['form'];
  readonly materials: unknown;
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
}

/** The schema of a single task, with its defaults. */
export const taskOptions = closed({
  id: z.string().regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,60}$/, 'must be 1 to 60 letters, digits and -_.:@+~'),
  agent: z.string(),
  input: z.unknown().optional(),
  retry: retrySchema.prefault({}),
  timeoutMs: z.number().positive().nullable().default(null),
  gate: closed({
    title: z.string().min(1).max(500),
    audience: z.array(z.string().min(1)).min(1).optional(),
    remindAfterMs: z.array(durationMs).optional(),
    deadlineMs: durationMs.nullable().optional(),
  })
    .nullable()
    .default(null),
});
