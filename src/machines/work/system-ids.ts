/** Where the agents of a crew find each other. */

/** System ids of the agents that there is one of, and of the Bosses of those that there are many of. */
export const DESKS = {
  /** The Lead Coordinator. */
  coordinator: 'coordinator',
  /** Boss of one Boss per task under way. */
  stages: 'stages',
  /** Boss of one PauseManager per item that was ever paused. */
  pauses: 'pauses',
  /** The BatchManager. */
  batches: 'batches',
  /** The FailureCorrelator. */
  correlator: 'correlator',
  /** Where alert cards are raised, acknowledged and repeated. */
  alerts: 'alerts',
  /** The Debate Facilitator. */
  debates: 'debates',
  /** Where gates, questions to people, are opened and answered. */
  gates: 'gates',
  /** Boss of one actor per gate that waits for an answer. */
  openGates: 'open-gates',
  /** Boss of one actor per debate under way. */
  openDebates: 'open-debates',
  /** Boss of one actor per batch. */
  batchActors: 'batch-actors',
  /** Boss of one actor per alert card. */
  alertCards: 'alert-cards',
} as const;
