/**
 * The entry point `bosun/crew`, for hosts that embed a crew without the command line. Nothing inside src imports this
 * file.
 */
import './runtime-check.ts';

export { type GateShown, gateProcedures } from './crew-gates.ts';
export { crewProcedures } from './crew-procedures.ts';
export { webhook, type WebhookOptions } from './crew-webhook.ts';
export { ticketProcedures } from './crew-tickets.ts';
export {
  hubCrew,
  type HubCrewOptions,
  hubProcedures,
  type ModelFunction,
  type ModelRequest,
  type SessionReply,
  type SessionResult,
  type SessionRunner,
  type SessionTools,
  type SpokeFunction,
} from './crew-hub.ts';
export { sessionProcedures, sessionToken } from './crew-hub-sessions.ts';
export {
  agentProcedures,
  type AgentProcedureOptions,
  registryOf,
  type RegistryOptions,
} from './crew-agents.ts';
export { answerProcedures, knowledgeProcedures } from './crew-answers.ts';
export { deliveryProcedures } from './crew-delivery.ts';
export { knowledgePorts, repositoryTests, type RepositoryTests } from './crew-delivery-checks.ts';
export { hubSessions, type SessionHub } from './crew-delivery-sessions.ts';
export { type Knowledge, knowledgeOf, type KnowledgeOptions } from './knowledge/knowledge.ts';
export { type FolderChoice } from './knowledge/thread-messages.ts';
export { type AnswerPorts, type GivenDraft } from './machines/answers/answer-ports.ts';
export {
  answerCrew,
  type AnswerOptions,
  type CrewMembers,
  crewOf,
  type CrewOptions,
  type WrittenPlan,
} from './crew-plan.ts';
export { Crew, crew } from './crew-host.ts';
export {
  type CrewAgents,
  type CrewSetup,
  type OpenGate,
  type PlanItemView,
  type PlanView,
  type TaskOptions,
  type TaskView,
} from './crew-setup.ts';
export { type WorkContext } from './machines/work/agent-function.ts';
