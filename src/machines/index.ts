/** The crew's public API. Nothing inside src imports this file. */
export { type AgentFunction, type WorkContext } from './coordination/agent-function.ts';
export { COORDINATOR, crewAgents, crewTree } from './coordination/crew.ts';
export { failureAgents, failureDesks } from './coordination/failure-crew.ts';
export { itemsIn, leadCoordinator, resultsOf, type CoordinatorContext } from './coordination/lead-coordinator.ts';
export { pauseManager } from './coordination/pause-manager.ts';
export { checkAgents, comparePlans, normalisePlan, planFileSchema, type Plan, type PlanFile, type PlanTask } from './coordination/plan.ts';
export { outcomeOf, type ItemProgress } from './coordination/progress.ts';
export { schedule, type Schedule, type ScheduledTask } from './coordination/schedule.ts';
export { stageAgent, type WorkInput, type WorkReport } from './coordination/stage.ts';
