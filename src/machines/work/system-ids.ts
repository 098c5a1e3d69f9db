/** The system ids by which the agents of a crew find each other. */

/** System ids of the crew's unique agents, and of the Bosses of the other agents. */
export const DESKS = {
  /** The Lead Coordinator. */
  coordinator: 'coordinator',
  /** Boss of one Boss per task under way. */
  stages: 'stages',
  /** Boss of one PauseManager per item that has ever been paused. */
  pauses: 'pauses',
  /** The BatchManager. */
  batches: 'batches',
  /** The FailureCorrelator. */
  correlator: 'correlator',
  /** The alert desk, which raises, repeats and closes alert cards. */
  alerts: 'alerts',
  /** The Debate Facilitator. */
  debates: 'debates',
  /** The message desk, which receives envelopes from peers. */
  messages: 'messages',
  /** The gate desk, which opens gates (questions to people) and takes answers. */
  gates: 'gates',
  /** Boss of one actor per open gate. */
  openGates: 'open-gates',
  /** The ticket desk, which numbers tickets (questions to people with a thread) and takes orders about them. */
  tickets: 'tickets',
  /** Boss of one actor per ticket that is not archived. */
  openTickets: 'open-tickets',
  /** The orchestrator, which holds back the tasks that wait for a ticket. */
  orchestrator: 'orchestrator',
  /** The answer desk, which takes questions, remembers answers and tells of corrections. */
  answers: 'answers',
  /** Boss of one actor per question that is not settled. */
  openQuestions: 'open-questions',
  /** Boss of one actor per debate under way. */
  openDebates: 'open-debates',
  /** Boss of one actor per batch. */
  batchActors: 'batch-actors',
  /** The hub desk, which starts runs of hubs and lists them. */
  hubs: 'hubs',
  /** Boss of one actor per run that is not over. */
  openHubs: 'open-hubs',
  /** Boss of one actor per work plan. */
  workPlans: 'work-plans',
  /** Boss of one actor per session of a spoke. */
  spokes: 'spokes',
  /** Boss of one actor per alert card. */
  alertCards: 'alert-cards',
} as const;
