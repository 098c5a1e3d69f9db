/** The crew that carries out a plan, as the children of a root Boss. */
import { type AnyAgent } from '../../actors/agent.ts';
import { leadCoordinator, PAUSES, STAGES } from './lead-coordinator.ts';
import { pauseManager } from './pause-manager.ts';
import { type Plan } from './plan.ts';

/** Address of the Lead Coordinator. */
export const COORDINATOR = 'coordinator';

/** The agents beside the stages, of which there is one per agent type. */
export const crewAgents: readonly AnyAgent[] = [leadCoordinator, pauseManager];

/** Input for createSystem's `tree`. The Bosses come first: the coordinator talks to them from its first turn on. */
export function crewTree(plan: Plan) {
  return {
    children: [
      { id: STAGES, systemId: STAGES, boss: {} },
      { id: PAUSES, systemId: PAUSES, boss: {} },
      { id: COORDINATOR, agent: leadCoordinator.name, input: { plan } },
    ],
  };
}
