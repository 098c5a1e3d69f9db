/**
 * The execution of a task's work: an agent function, or another way to make an attempt, as promise logic for the stage
 * agent. Reports starts and failures to the stage, so that they are announced once they are durable.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { admit } from './actors/model/value-check.ts';
import { effectOf, type EffectFacts } from './actors/model/ref.ts';
import { type Clock } from './clock.ts';
import { type Places } from './crew-places.ts';
import { type TimeLimit, withinTime } from './crew-time-limit.ts';
import { crewVoice } from './crew-voice.ts';
import { type WorkContext } from './machines/work/agent-function.ts';
import { failureOf } from './machines/work/failure-tiers.ts';
import { disown, handled } from './user-code.ts';
import { type StageContext, type WorkInput, type WorkReport } from './machines/work/stage.ts';

export interface WorkTools {
  readonly clock: Clock;
  /** Places that functions take while they run. Default: no limit. */
  readonly places?: Places | undefined;
}

/**
 * Runs one attempt of a task. A rejection fails the attempt. `effect` has the kernel's facts about it. `succeeded`
 * calls off the time limit of an attempt that is done and only takes its result.
 */
export type Attempt = (
  input: WorkInput,
  context: WorkContext,
  effect: EffectFacts,
  succeeded: () => void,
) => Promise<unknown>;

export function workOf(attempt: Attempt, { clock, places }: WorkTools): PromiseActorLogic<unknown, WorkInput> {
  return fromPromise<unknown, WorkInput>(async ({ input, self, signal }) => {
    const facts = effectOf(self);
    const { effectId, attempt: number } = facts;
    await tell(facts, { type: 'work.started', effectId, attempt: number });
    try {
      const output = await inPlace(places, input, signal, () =>
        withinTime({ limitMs: input.task.timeoutMs, outer: signal, clock }, (limit) =>
          handled(attempt(input, contextOf(input, facts, limit), facts, limit.succeeded)),
        ),
      );
      // Here and not by the kernel, so that a refused value counts as the failure of this attempt.
      return admit(output ?? null, 'output');
    } catch (error) {
      // It may be a promise itself, or hold some.
      disown(error);
      await tell(facts, { type: 'work.failed', effectId, attempt: number, failure: failureOf(error) });
      throw error;
    }
  });
}

/** Runs work in a place for its agent type, and gives the place back. Its time limit counts from then on. */
async function inPlace<T>(
  places: Places | undefined,
  { task }: WorkInput,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  const leave = await places?.enter(task.agent, signal);
  try {
    return await run();
  } finally {
    leave?.();
  }
}

function tell(facts: EffectFacts, report: WorkReport): Promise<void> {
  return facts.tellParent(report);
}

function contextOf(
  { task, item, results, decisions }: WorkInput,
  facts: EffectFacts,
  { signal, hold }: Pick<TimeLimit, 'signal' | 'hold'>,
): WorkContext {
  const { effectId, attempt, parent, checkpointed: own } = facts;
  const progress = () => (parent?.getSnapshot() as { readonly context?: StageContext } | undefined)?.context?.progress;
  // The effect stores it for its own next start, which may begin before the stage has taken the message.
  const checkpoint = async (value: unknown): Promise<void> => {
    await Promise.all([facts.checkpoint(value ?? null), tell(facts, { type: 'work.checkpoint', value })]);
  };
  const subtask = async <Result>(name: string, work: () => Result | PromiseLike<Result>): Promise<Result> => {
    const known = progress();
    if (known?.completedSubtasks.includes(name)) return known.interimResults[name] as Result;
    const result = await facts.memo(name, work);
    await tell(facts, { type: 'work.subtask', subtask: name, result });
    return result;
  };
  return {
    signal,
    effectId,
    attempt,
    checkpoint,
    checkpointed: (own === undefined ? progress()?.workingMemory : own) ?? undefined,
    subtask,
    ...crewVoice(facts, task, hold),
    item,
    decisions,
    results,
  };
}
