/**
 * The crew that carries out a plan: agents for createSystem, and the children of a root Boss. All desks are there, and
 * the Lead Coordinator comes last, because the others have to be there when it begins.
 */
import { type AnyAgent } from '../../actors/model/agent.ts';
import { alertCardAgent, type DeliveryInput } from '../people/alerts/alert-card.ts';
import { alertDesk } from '../people/alerts/alert-desk.ts';
import { batchAgent } from './batches/batch.ts';
import { type ResourceQuestion } from './batches/batch-messages.ts';
import { batchManager } from './batches/batch-manager.ts';
import { type Resources } from './batches/batch-rules.ts';
import { type AgentTypes, withCapacities } from './coordinator/agent-registry.ts';
import { leadCoordinator } from './coordinator/lead-coordinator.ts';
import { debateAgents, debateChildren } from './debates/debate-facilitator.ts';
import { type DebatePorts } from './debates/debate-ports.ts';
import { failureDesks } from './failure-crew.ts';
import { failureCorrelator } from './failures/failure-correlator.ts';
import { gateAgents, gateChildren } from '../people/gates/gate-desk.ts';
import { DESKS } from '../work/system-ids.ts';
import { type MemoryInput } from './pauses/pause-messages.ts';
import { pauseManagerAgent } from './pauses/pause-manager.ts';
import { type Plan } from './plan/plan.ts';
import { type Port, portLogic } from '../work/port.ts';

/** Address of the Lead Coordinator. */
export const COORDINATOR = DESKS.coordinator;

/** What a host does for the crew; without one of them the crew does as its page in docs says. */
export interface CrewPorts extends Partial<DebatePorts> {
  /** Whether an item of a batch may be resumed now, and if not, when. */
  readonly resources?: Port<ResourceQuestion, Resources>;
  /** Brings an alert card to people. */
  readonly deliver?: Port<DeliveryInput, unknown>;
  /** Keeps what an item has in working memory for so long. */
  readonly setMemoryTtl?: Port<MemoryInput, void>;
}

/** The agents beside the stages, of which there is one per agent type. */
export function crewAgentsFor({ resources, deliver, setMemoryTtl, ...debates }: CrewPorts = {}): readonly AnyAgent[] {
  return [
    leadCoordinator,
    pauseManagerAgent(setMemoryTtl && portLogic(setMemoryTtl)),
    alertCardAgent(deliver),
    alertDesk,
    batchAgent(resources),
    batchManager,
    failureCorrelator,
    ...gateAgents,
    ...debateAgents(debates),
  ];
}

/** The same without anything of a host's. */
export const crewAgents: readonly AnyAgent[] = crewAgentsFor();

/**
 * Input for createSystem's `tree`.
 *
 * @param types Agent types whose capacities hold where the plan says none. Default: none.
 */
export function crewTree(plan: Plan, types: AgentTypes = {}) {
  const { experts = [] } = plan;
  return {
    children: [...failureDesks, ...gateChildren(), ...debateChildren({ experts }), ...coordinatorChildren(plan, types)],
  };
}

/** The Lead Coordinator alone, with those that it cannot do without: desks that are not there are not missed. */
export function coordinatorChildren(plan: Plan, types: AgentTypes = {}) {
  return [
    { id: DESKS.stages, systemId: DESKS.stages, boss: {} },
    { id: DESKS.pauses, systemId: DESKS.pauses, boss: {} },
    {
      id: COORDINATOR,
      systemId: DESKS.coordinator,
      agent: leadCoordinator.name,
      input: { plan: withCapacities(plan, types) },
    },
  ];
}
