/**
 * The product for testers: whole systems on virtual time, a store that loses what was not synced, and what stores and
 * gateways have to conform to. Nothing inside src imports this file.
 */
export { faultyStore, type FaultyStore } from './faulty-store.ts';
export { conformanceProbe } from './gateway-conformance/probe.ts';
export { type ConformanceOptions, type ConformanceReport, gatewayConformance } from './gateway-conformance/run.ts';
export { type GatewaySocket, gatewaySocket } from './gateway-socket.ts';
export { SeededRandom } from './seeded-random.ts';
export { storeConformance } from './store-conformance.ts';
export { type SpreadTestOptions, type SpreadTestSystem, startSpreadTestSystem } from './spread-test-system.ts';
export { startTestSystem, type TestSystem, type TestSystemOptions } from './test-system.ts';
export { VirtualClock } from './virtual-clock.ts';
