/** System ids of the agents of the delivery organisation. The orchestrator's is among those of `work`. */
import { RESEARCHER } from '../answers/system-ids.ts';

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
  /** The Researcher Team, which searches outside. */
  researcher: RESEARCHER,
  /** The Scraper Team, which checks that those who had to have talked to each other. */
  scraper: 'scraper',
  /** The Updater, which clears away what nobody touches any more. */
  updater: 'updater',
  /** Boss of one actor per task of a plan. */
  deliveryTasks: 'delivery-tasks',
} as const;
