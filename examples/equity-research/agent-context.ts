/**
 * The context that an agent function of a plan receives beside its input. The runtime passes exactly this object as the
 * second argument; the example declares its part of it here so that it can be read and tested on its own.
 */

/** The second argument of every agent function. */
export interface AgentContext {
  /** Aborted when the plan stops, the item pauses or the task runs out of time. Anything that waits must honour it. */
  readonly signal: AbortSignal;
  /**
   * The id of this piece of work. It stays the same over restarts and retries, so outside systems can recognise a
   * repeat.
   */
  readonly effectId: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
  /** Stores a value from which a later try may continue. These agents are too quick to need it. */
  readonly checkpoint: (value: unknown) => unknown;
  /** The item of the plan this task belongs to; here a ticker such as `AAPL`. */
  readonly item: string;
  /** Outputs of the earlier stages of the same item, by stage name. They come back from the store as plain JSON. */
  readonly results: Readonly<Record<string, unknown>>;
}
