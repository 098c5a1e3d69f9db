/**
 * The entry point `bosun/testing`: systems on virtual time, a store that loses unsynced writes, events and commands for
 * fast-check, and conformance tests of stores and gateways. Nothing inside src imports this file.
 */
import '../runtime-check.ts';
export {
  type AgentModel,
  agentModel,
  type AgentModelOptions,
  type CheckFacts,
  type WorldStubs,
} from './arbitraries/agent-model.ts';
export { type StateReport } from './arbitraries/visited-states.ts';
export { eventArbitrary, type EventArbitraryOptions } from './arbitraries/event-arbitrary.ts';
export { schemaArbitrary } from './arbitraries/schema-arbitrary.ts';
export { faultyStore, type FaultyStore } from './faulty-store.ts';
export { conformanceProbe } from './gateway-conformance/probe.ts';
export { type ConformanceOptions, type ConformanceReport, gatewayConformance } from './gateway-conformance/run.ts';
export { type GatewaySocket, gatewaySocket } from './gateway-socket.ts';
export { SeededRandom } from './seeded-random.ts';
export { storeConformance } from './store-conformance.ts';
export { type SpreadTestOptions, type SpreadTestSystem, startSpreadTestSystem } from './spread-test-system.ts';
export { type CalledEffect, type EffectStub, type EffectStubs, type StubFacts } from './test-effects.ts';
export {
  configureTestSystems,
  startTestSystem,
  type TestDefaults,
  type TestSystem,
  type TestSystemOptions,
} from './test-system.ts';
export { VirtualClock } from './virtual-clock.ts';
export {
  assertHolds,
  campaign,
  type CampaignOptions,
  type CampaignReport,
  type Failure,
  replay,
} from './simulation/campaign.ts';
export { type Corpus, corpusIn } from './simulation/corpus.ts';
export {
  type ClientTools,
  simulation,
  type Simulation,
  type SimulationOptions,
  type SimulatedSystem,
} from './simulation/definition.ts';
export { type FaultProfile } from './simulation/faults.ts';
export { type EffectCall, type EffectModel } from './simulation/outside.ts';
export { type ClientSend } from './simulation/plan.ts';
export {
  always,
  type BuiltInProperty,
  finally_,
  leadsTo,
  type Model,
  type Property,
  sometimes,
  type View,
  type Violation,
} from './simulation/properties.ts';
