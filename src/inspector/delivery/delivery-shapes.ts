/** Answers of the procedures of the delivery organisation, derived from its own types. No behaviour. */
import type { deliveryProcedures } from '../../crew-delivery.ts';
import type { RaciRow } from '../../machines/delivery/organisation/raci.ts';
import type { Team, TeamId } from '../../machines/delivery/organisation/teams.ts';
import type { TaskRow } from '../../machines/delivery/tasks/orchestrator-state.ts';
import type { TaskContext } from '../../machines/delivery/tasks/task-state.ts';
import type { WorkItem } from '../../machines/work/work-item.ts';

/** A task: its work item, and what the orchestrator says about it. */
export type TaskShown = WorkItem & Omit<TaskRow, 'number' | 'ref' | 'orders' | 'turn' | 'isQueued' | 'item'>;

/** The answers of `tasks.list` and `tasks.show`. */
export type ListedTasks = Readonly<{ tasks: readonly TaskShown[]; next: number | null }>;
export type ShownTask = Readonly<{ task: TaskShown | null }>;

/** The part of a task's own context that the orchestrator does not have. */
export type TaskOwn = Pick<TaskContext, 'notes' | 'report'>;

/** The answer of `org.show`. */
export type ShownOrganisation = Readonly<{ teams: readonly TeamShown[]; raci: readonly RaciShown[] }>;
export type RaciShown = RaciRow & Readonly<{ handoffs: number }>;
export type TeamShown = Team & Readonly<{ id: TeamId; state: string; load: number }>;

/** The answer of `org.handoffs`. */
export type ListedHandoffs = (typeof deliveryProcedures)['org.handoffs']['result']['_zod']['output'];
export type HandoffShown = ListedHandoffs['handoffs'][number];
