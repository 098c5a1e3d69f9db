/** The crew's public API. Nothing inside src imports this file. */
import '../runtime-check.ts';
export { type AgentRegistryContext, agentRegistry, registryChild } from './agents/agent-registry.ts';
export { capabilitiesOf } from './agents/capabilities.ts';
export { guardReport, type GuardReport } from './agents/guard.ts';
export {
  type AgentProfile,
  agentProfileSchema,
  type CapabilitiesRequest,
  type CapabilitiesResult,
  type RecommendRequest,
  recommendRequestSchema,
  type RecommendResult,
  recommendResultSchema,
} from './agents/profile.ts';
export { SHIPPED_PROFILES } from './agents/profiles/shipped.ts';
export { recommend } from './agents/recommend.ts';
export { type IndexBuilder, indexBuilder, indexFor, type ProfileIndex } from './agents/retrieval.ts';
export { type RosterRow, type RosterSource, rosterOf, SHIPPED_ROSTER } from './agents/roster.ts';
export { type AgentFunction, type Decisions, type Said, type WorkContext } from './work/agent-function.ts';
export {
  type ChallengeGiven,
  type CrewAnswer,
  type CrewRequests,
  type GateRequest,
  type PersonAnswer,
  type PersonQuestion,
  type OpenDebate,
  type ResponseGiven,
} from './work/crew-requests.ts';
export {
  COORDINATOR,
  coordinatorChildren,
  crewAgents,
  crewAgentsFor,
  type CrewPorts,
  crewTree,
} from './crew.ts';
export { type AgentType, type AgentTypes, SEED_AGENT_TYPES } from './coordination/coordinator/agent-registry.ts';
export { type PlanReport } from './coordination/coordinator/capacity-decisions.ts';
export { type Challenge } from './coordination/debates/challenge.ts';
export { challengeFromWire, challengeToWire } from './coordination/debates/challenge-wire.ts';
export {
  itemsIn,
  performanceOf,
  resultsOf,
  type CoordinatorContext,
} from './coordination/coordinator/coordinator-context.ts';
export { debateAgents, debateChildren, debatesIn } from './coordination/debates/debate-facilitator.ts';
export { type FacilitatorContext, type FacilitatorInput } from './coordination/debates/facilitator-context.ts';
export { type Pack, PACKS } from './coordination/packs.ts';
export { type DebatePorts } from './coordination/debates/debate-ports.ts';
export { type DebateNews, type Resolution } from './coordination/debates/debate-state.ts';
export { failureAgents, failureDesks } from './crew.ts';
export { askPeople, type StateQuestion } from './people/gates/ask-people.ts';
export { gateAgents, gateChildren, type GateDeskContext, gatesIn } from './people/gates/gate-desk.ts';
export { formOf, type GateForm } from './people/gates/gate-form.ts';
export { GATE_PRESETS, isLearningDue, presetQuestion } from './people/gates/gate-presets.ts';
export { ANYBODY } from './people/audience.ts';
export { type GateQuestion, type GateResult } from './people/gates/gate.ts';
export { type ClarityInput, type ClarityScore } from './people/clarity/clarity-score.ts';
export {
  ticketAgents,
  ticketChildren,
  type TicketDeskContext,
  type TicketOptions,
} from './people/tickets/ticket-desk.ts';
export { ticket } from './people/tickets/ticket.ts';
export { TICKET_NOTICES, type TicketNotice, type TicketReply } from './people/tickets/ticket-messages.ts';
export { ticketFigures } from './people/tickets/ticket-metrics.ts';
export { conflictRetryMs } from './people/tickets/ticket-rules.ts';
export { leadCoordinator } from './coordination/coordinator/lead-coordinator.ts';
export { DESKS } from './desks.ts';
export { pauseManager, pauseManagerAgent } from './coordination/pauses/pause-manager.ts';
export { type PauseState } from './coordination/pauses/pause-messages.ts';
export {
  checkAgents,
  comparePlans,
  normalisePlan,
  type Plan,
  type PlanTask,
} from './coordination/plan/plan.ts';
export { type PlanFile, planFileSchema } from './coordination/plan/plan-form.ts';
export { outcomeOf, type ItemProgress } from './coordination/coordinator/progress.ts';
export { schedule, type Schedule, type ScheduledTask } from './coordination/plan/schedule.ts';
export { stageAgent, type StageOptions, type WorkInput, type WorkReport } from './work/stage.ts';
export { nextTryMs } from './coordination/messages/backpressure.ts';
export { type Envelope, fromEnvelope, toEnvelope } from './coordination/messages/envelope.ts';
export { pauseCalls } from './coordination/messages/wire-names.ts';
