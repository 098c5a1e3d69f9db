/** An agent of a plan as a function: what its author writes, and what it is given. Types only. */

/** The second argument of an agent function. */
export interface WorkContext {
  /** Aborted when the plan stops or the attempt takes longer than `timeoutMs`. */
  readonly signal: AbortSignal;
  /** The same for every attempt: use it as idempotency key towards the outside. */
  readonly effectId: string;
  /** 1 for the first start, one more for each later one, after a failure or a restart of the process. */
  readonly attempt: number;
  /** Stores a value for later attempts. Resolves when it is durable. */
  readonly checkpoint: (value: unknown) => Promise<void>;
  /** What an earlier attempt stored last; undefined when none did. */
  readonly checkpointed: unknown;
  /**
   * A part of the work, by name: runs `work` unless an attempt has completed it before, and gives its result. Resolves when that is
   * durable. What was completed stays so over failures, pauses and restarts. The result must be data.
   */
  readonly subtask: <Result>(name: string, work: () => Result | PromiseLike<Result>) => Promise<Result>;
  readonly item: string;
  /** Outputs of earlier stages of the item, by stage; in a plan of tasks, of the tasks waited for, by id. */
  readonly results: Readonly<Record<string, unknown>>;
}

/**
 * An agent as a function: its result is stored and handed to later stages, so it must be data. An error that it throws may say what it is by
 * properties of its own, `errorType` and `dataSource` (StatedFailure in failure-tiers.ts).
 */
export type AgentFunction = (input: unknown, context: WorkContext) => Promise<unknown>;
