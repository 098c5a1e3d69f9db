/** System ids of the agents that coordinate a plan, and of those that they know. */
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { WORK_DESKS } from '../work/system-ids.ts';

export const COORDINATION_DESKS = {
  /** Boss of one PauseManager per item that has ever been paused. */
  pauses: 'pauses',
  /** Boss of one actor per batch. */
  batchActors: 'batch-actors',
  /** The FailureCorrelator. */
  correlator: 'correlator',
  /** The Debate Facilitator. */
  debates: 'debates',
  /** Boss of one actor per debate under way. */
  openDebates: 'open-debates',
  /** The message desk, which receives envelopes from peers. */
  messages: 'messages',
} as const;

/** The agents of a plan, which send each other messages of messages.ts. */
export const PLAN_DESKS = { ...WORK_DESKS, ...PEOPLE_DESKS, ...COORDINATION_DESKS } as const;
