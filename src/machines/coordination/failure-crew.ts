/** The desks for failures: agents for createSystem, and the children of a root Boss. */
import { type AnyAgent } from '../../actors/model/agent.ts';
import { alertCard } from '../people/alerts/alert-card.ts';
import { alertChildren, alertDesk } from '../people/alerts/alert-desk.ts';
import { batch } from './batches/batch.ts';
import { batchChildren, batchManager } from './batches/batch-manager.ts';
import { failureCorrelator } from './failures/failure-correlator.ts';
import { DESKS } from '../work/system-ids.ts';

/** The agents for failures, batches and alerts. */
export const failureAgents: readonly AnyAgent[] = [alertCard, alertDesk, batch, batchManager, failureCorrelator];

/** The children of a root Boss for `failureAgents`. */
export const failureDesks = [
  ...alertChildren(),
  ...batchChildren(),
  { id: DESKS.correlator, systemId: DESKS.correlator, agent: failureCorrelator.name },
];
