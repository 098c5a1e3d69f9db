/** One task as its agents see it. Its durations, dependencies and gates belong to the plan. */
import { type PersonQuestion } from './crew-requests.ts';

export interface TaskRetry {
  /** Attempts in total, the first one included. */
  readonly attempts: number;
  readonly backoff: { readonly minMs: number; readonly maxMs: number; readonly factor: number };
}

export interface Task {
  /** The id of the task, unique in the plan: `AAPL/screening`, or the id given in a plan of tasks. */
  readonly id: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  readonly input: unknown;
  /** A shell command that does the task; null if an agent does it. */
  readonly run: string | null;
  /** The question that a person answers instead of an agent. Absent for any other task. */
  readonly ask?: Omit<PersonQuestion, 'name'>;
  /** The fate of what the command leaves in the background when it has succeeded. Absent: it is ended. */
  readonly background?: 'keep';
  readonly retry: TaskRetry;
  readonly timeoutMs: number | null;
}

/** The unit that is paused, resumed or failed with a task: its item, or in a plan of tasks the task alone. */
export function itemOf({ item, id }: Pick<Task, 'item' | 'id'>): string {
  return item ?? id;
}
