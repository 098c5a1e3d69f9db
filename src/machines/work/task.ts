/** One task, as those see it that do it: what is planned around it (durations, dependencies, gates) is the plan's. */

export interface TaskRetry {
  /** In all, the first one included. */
  readonly attempts: number;
  readonly backoff: { readonly minMs: number; readonly maxMs: number; readonly factor: number };
}

export interface Task {
  /** `AAPL/screening`, or the id given in a plan of tasks. Once in the plan. */
  readonly id: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  readonly input: unknown;
  /** A shell command that does the task; null where an agent does. */
  readonly run: string | null;
  readonly retry: TaskRetry;
  readonly timeoutMs: number | null;
}

/** What is paused, resumed or failed together with a task: its item, or, in a plan of tasks, the task alone. */
export function itemOf({ item, id }: Pick<Task, 'item' | 'id'>): string {
  return item ?? id;
}
