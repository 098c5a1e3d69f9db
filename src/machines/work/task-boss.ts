/** The Boss of one task, as the child spec with which an agent has it started. */
import { stageName, type StageInput } from './stage.ts';

/** The period of a retry budget: the whole life of a task, so that failures of any age count. */
const TASK_PERIOD_MS = 10 * 365 * 24 * 60 * 60 * 1000;

/** Jitter that spreads the retries of tasks that failed together. */
const RETRY_JITTER = 0.2;

/**
 * The Boss of a task. Its restart intensity is the task's own retry budget, which no other task uses up. It reports to
 * the agent that also hears of the stage.
 */
export function taskBoss(input: StageInput): object {
  const { id, agent, retry } = input.task;
  const backoff = { ...retry.backoff, jitter: RETRY_JITTER };
  const stage = { id: 'agent', agent: stageName(agent), restart: 'transient', backoff, input };
  const boss = { intensity: retry.attempts - 1, periodMs: TASK_PERIOD_MS, children: [stage] };
  return { id, restart: 'temporary', reportTo: input.coordinator, boss };
}
