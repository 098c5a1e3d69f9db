/** System ids of the agents of the delivery organisation. The orchestrator's is among those of `work`. */
export const DELIVERY_DESKS = {
  /** The Boss of the organisation, which is its supervisor (MX-016). */
  delivery: 'delivery',
  /** The organisation, through which all hand-offs go. */
  organisation: 'organisation',
  /** The dashboard, which is informed of hand-offs. */
  dashboard: 'dashboard',
  planning: 'planning',
  /** Bosses of the Reviewers and of the Builders of plans. */
  reviewers: 'reviewers',
  builders: 'builders',
  decomposition: 'decomposition',
  verification: 'verification',
  /** The overseer, which judges how the work stands. */
  overseer: 'overseer',
  /** The Critic Team, which finds failures that come again. */
  critic: 'critic',
  /** Boss of one actor per task of a plan. */
  deliveryTasks: 'delivery-tasks',
} as const;
