/** System ids of the Bosses of tasks that belong to no plan. */
export const TASK_DESKS = {
  /** Boss of one actor per task. */
  tasks: 'tasks',
  /** Boss of one Boss per task under way, with the stage that does the work. */
  taskWork: 'task-work',
} as const;
