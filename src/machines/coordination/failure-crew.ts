/** The desks that failures come to: agents for createSystem, and the children of a root Boss. */
import { type AnyAgent } from '../../actors/model/agent.ts';
import { alertCard } from '../people/alerts/alert-card.ts';
import { alertDesk } from '../people/alerts/alert-desk.ts';
import { batch } from './batches/batch.ts';
import { batchManager } from './batches/batch-manager.ts';
import { failureCorrelator } from './failures/failure-correlator.ts';
import { DESKS } from '../work/system-ids.ts';

export const failureAgents: readonly AnyAgent[] = [alertCard, alertDesk, batch, batchManager, failureCorrelator];

/** The Bosses come first: the desks have actors started by them. */
export const failureDesks = [
  { id: DESKS.alertCards, systemId: DESKS.alertCards, boss: {} },
  { id: DESKS.batchActors, systemId: DESKS.batchActors, boss: {} },
  { id: DESKS.alerts, systemId: DESKS.alerts, agent: alertDesk.name },
  { id: DESKS.batches, systemId: DESKS.batches, agent: batchManager.name },
  { id: DESKS.correlator, systemId: DESKS.correlator, agent: failureCorrelator.name },
] as const;
