/** The product for testers: whole systems on virtual time and a store that loses what was not synced. Nothing inside src imports this file. */
export { faultyStore, type FaultyStore } from './faulty-store.ts';
export { type GatewaySocket, gatewaySocket } from './gateway-socket.ts';
export { SeededRandom } from './seeded-random.ts';
export { storeConformance } from './store-conformance.ts';
export { startTestSystem, type TestSystem, type TestSystemOptions } from './test-system.ts';
export { VirtualClock } from './virtual-clock.ts';
