/**
 * The systems of agents, joined into the crew that carries out a plan: agents for createSystem, and the children of a
 * root Boss. All desks are included. The Lead Coordinator comes last, because it needs the others when it starts.
 */
import { type AnyAgent } from '../actors/model/agent.ts';
import { alertCard, alertCardAgent, type DeliveryInput } from './people/alerts/alert-card.ts';
import { alertChildren, alertDesk } from './people/alerts/alert-desk.ts';
import { batch, batchAgent } from './coordination/batches/batch.ts';
import { type ResourceQuestion } from './coordination/batches/batch-messages.ts';
import { batchChildren, batchManager } from './coordination/batches/batch-manager.ts';
import { type Resources } from './coordination/batches/batch-rules.ts';
import { type AgentTypes, withCapacities } from './coordination/coordinator/agent-registry.ts';
import { leadCoordinator } from './coordination/coordinator/lead-coordinator.ts';
import { debateAgents, debateChildren } from './coordination/debates/debate-facilitator.ts';
import { type DebatePorts } from './coordination/debates/debate-ports.ts';
import { failureCorrelator } from './coordination/failures/failure-correlator.ts';
import { messageChildren, messageDesk } from './coordination/messages/message-desk.ts';
import { type ClarityInput, type ClarityScore } from './people/clarity/clarity-score.ts';
import { gateAgents, gateChildren } from './people/gates/gate-desk.ts';
import { ticketAgent } from './people/tickets/ticket.ts';
import { ticketChildren, ticketDesk, type TicketOptions } from './people/tickets/ticket-desk.ts';
import { DESKS } from './desks.ts';
import { type MemoryInput } from './coordination/pauses/pause-messages.ts';
import { joined } from './coordination/packs.ts';
import { pauseManagerAgent } from './coordination/pauses/pause-manager.ts';
import { type Plan } from './coordination/plan/plan.ts';
import { type Port, portLogic } from './work/port.ts';

/** Address of the Lead Coordinator. */
export const COORDINATOR = DESKS.coordinator;

/** Functions that a host supplies to the crew. docs/agents.md says what the crew does without one of them. */
export interface CrewPorts extends Partial<DebatePorts> {
  /** Whether an item of a batch may be resumed now, and if not, when. */
  readonly resources?: Port<ResourceQuestion, Resources>;
  /** Brings an alert card to people. */
  readonly deliver?: Port<DeliveryInput, unknown>;
  /** Scores a reply to a ticket; a late or malformed score is replaced by that of the rule. */
  readonly scoreClarity?: Port<ClarityInput, ClarityScore>;
  /** Sets how long an item's working memory is kept. */
  readonly setMemoryTtl?: Port<MemoryInput, void>;
}

/** All agents of the crew except the stages, which are one per agent type. */
export function crewAgentsFor(ports: CrewPorts = {}): readonly AnyAgent[] {
  const { resources, deliver, setMemoryTtl, scoreClarity, ...debates } = ports;
  return [
    leadCoordinator,
    pauseManagerAgent(setMemoryTtl && portLogic(setMemoryTtl)),
    alertCardAgent(deliver),
    alertDesk,
    batchAgent(resources),
    batchManager,
    failureCorrelator,
    messageDesk,
    ...gateAgents,
    ticketAgent(scoreClarity),
    ticketDesk,
    ...debateAgents(debates),
  ];
}

/** The agents for failures, batches and alerts. */
export const failureAgents: readonly AnyAgent[] = [alertCard, alertDesk, batch, batchManager, failureCorrelator];

/** The children of a root Boss for `failureAgents`. */
export const failureDesks = [
  ...alertChildren(),
  ...batchChildren(),
  { id: DESKS.correlator, systemId: DESKS.correlator, agent: failureCorrelator.name },
];

/** The crew's agents without ports of a host. */
export const crewAgents: readonly AnyAgent[] = crewAgentsFor();

/**
 * Input for createSystem's `tree`.
 *
 * @param types Agent types whose capacities and half-lives apply if the plan gives none. Default: none.
 * @param tickets Options of the ticket desk.
 */
export function crewTree(plan: Plan, types: AgentTypes = {}, tickets: TicketOptions = {}) {
  const { experts = [], reviewers = experts, formula = 'product', pack } = plan;
  const debates = { experts, reviewers, formula, pack: joined({ agentTypes: types }, pack ?? {}) };
  return { children: [...deskChildren(debates, tickets), ...coordinatorChildren(plan, types)] };
}

/** The desks of the crew, which need no plan: alerts, batches, failures, gates, tickets, debates and messages. */
export function deskChildren(debates: Parameters<typeof debateChildren>[0] = {}, tickets: TicketOptions = {}) {
  return [
    ...failureDesks,
    ...gateChildren(),
    ...ticketChildren(tickets),
    ...debateChildren(debates),
    ...messageChildren(),
  ];
}

/** The Lead Coordinator and the Bosses it requires; every desk is optional. */
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
