/** The crew that carries out a plan, as the children of a root Boss. */
import { type AnyAgent } from '../../actors/agent.ts';
import { type AgentTypes, withCapacities } from './coordinator/agent-registry.ts';
import { leadCoordinator } from './coordinator/lead-coordinator.ts';
import { DESKS } from './messages/messages.ts';
import { pauseManager } from './pauses/pause-manager.ts';
import { type Plan } from './plan/plan.ts';

/** Address of the Lead Coordinator. */
export const COORDINATOR = DESKS.coordinator;

/** The agents beside the stages, of which there is one per agent type. */
export const crewAgents: readonly AnyAgent[] = [leadCoordinator, pauseManager];

/**
 * Input for createSystem's `tree`. The Bosses come first: the coordinator talks to them from its first turn on.
 *
 * @param types Agent types whose capacities hold where the plan says none. Default: none.
 */
export function crewTree(plan: Plan, types: AgentTypes = {}) {
  return {
    children: [
      { id: DESKS.stages, systemId: DESKS.stages, boss: {} },
      { id: DESKS.pauses, systemId: DESKS.pauses, boss: {} },
      { id: COORDINATOR, systemId: DESKS.coordinator, agent: leadCoordinator.name, input: { plan: withCapacities(plan, types) } },
    ],
  };
}
