/** System ids of the agents that carry out a plan's work and take orders about it. */
export const WORK_DESKS = {
  /** The Lead Coordinator. */
  coordinator: 'coordinator',
  /** Boss of one Boss per task under way. */
  stages: 'stages',
  /** The BatchManager. */
  batches: 'batches',
  /** The orchestrator, which holds back the tasks that wait for a ticket. */
  orchestrator: 'orchestrator',
} as const;
