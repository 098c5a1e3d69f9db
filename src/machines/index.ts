/** The crew's public API. Nothing inside src imports this file. */
export { type AgentFunction, type WorkContext } from './coordination/agent-function.ts';
export { COORDINATOR, crewAgents, crewTree } from './coordination/crew.ts';
export { failureAgents, failureDesks } from './coordination/failure-crew.ts';
export { type Challenge } from './coordination/challenge.ts';
export { challengeFromWire, challengeToWire } from './coordination/challenge-wire.ts';
export { debateAgents, debateChildren, debatesIn, type FacilitatorContext, type FacilitatorInput } from './coordination/debate-facilitator.ts';
export { type DebatePorts } from './coordination/debate-ports.ts';
export { type DebateNews, type Resolution } from './coordination/debate-state.ts';
export { gateAgents, gateChildren, type GateDeskContext, gatesIn } from './coordination/gate-desk.ts';
export { formOf, type GateForm } from './coordination/gate-form.ts';
export { GATE_PRESETS, isLearningDue, presetQuestion } from './coordination/gate-presets.ts';
export { ANYBODY, type GateQuestion, type GateResult } from './coordination/gate.ts';
export { itemsIn, leadCoordinator, resultsOf, type CoordinatorContext } from './coordination/lead-coordinator.ts';
export { pauseManager } from './coordination/pause-manager.ts';
export { checkAgents, comparePlans, normalisePlan, planFileSchema, type Plan, type PlanFile, type PlanTask } from './coordination/plan.ts';
export { outcomeOf, type ItemProgress } from './coordination/progress.ts';
export { schedule, type Schedule, type ScheduledTask } from './coordination/schedule.ts';
export { stageAgent, type WorkInput, type WorkReport } from './coordination/stage.ts';
