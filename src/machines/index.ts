/** The crew's public API. Nothing inside src imports this file. */
export { type AgentFunction, type Decisions, type Said, type WorkContext } from './work/agent-function.ts';
export {
  COORDINATOR,
  coordinatorChildren,
  crewAgents,
  crewAgentsFor,
  type CrewPorts,
  crewTree,
} from './coordination/crew.ts';
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
export {
  debateAgents,
  debateChildren,
  debatesIn,
  type FacilitatorContext,
  type FacilitatorInput,
} from './coordination/debates/debate-facilitator.ts';
export { type DebatePorts } from './coordination/debates/debate-ports.ts';
export { type DebateNews, type Resolution } from './coordination/debates/debate-state.ts';
export { failureAgents, failureDesks } from './coordination/failure-crew.ts';
export { gateAgents, gateChildren, type GateDeskContext, gatesIn } from './people/gates/gate-desk.ts';
export { formOf, type GateForm } from './people/gates/gate-form.ts';
export { GATE_PRESETS, isLearningDue, presetQuestion } from './people/gates/gate-presets.ts';
export { ANYBODY, type GateQuestion, type GateResult } from './people/gates/gate.ts';
export { leadCoordinator } from './coordination/coordinator/lead-coordinator.ts';
export { DESKS } from './work/system-ids.ts';
export { pauseManager, pauseManagerAgent } from './coordination/pauses/pause-manager.ts';
export { type PauseState } from './coordination/pauses/pause-messages.ts';
export {
  checkAgents,
  comparePlans,
  normalisePlan,
  planFileSchema,
  type Plan,
  type PlanFile,
  type PlanTask,
} from './coordination/plan/plan.ts';
export { outcomeOf, type ItemProgress } from './coordination/coordinator/progress.ts';
export { schedule, type Schedule, type ScheduledTask } from './coordination/plan/schedule.ts';
export { stageAgent, type StageOptions, type WorkInput, type WorkReport } from './work/stage.ts';
export { nextTryMs } from './coordination/messages/backpressure.ts';
export { type Envelope, fromEnvelope, pauseCalls, toEnvelope } from './coordination/messages/wire-names.ts';
