/** Populations of workers: under a Bosun system, and of plain XState actors. */
import { createActor } from 'xstate';
import { createSystem } from '../dist/index.js';
import { worker, workerMachine } from './machines.mjs';

/** Starts in flight at a time: far below the bound of the root's mailbox. */
const SPAWNS_IN_FLIGHT = 1_000;

export function workerId(index) {
  return `worker-${index}`;
}

/** Starts a system with so many workers under the root. @returns The system and the workers' addresses. */
export async function workerSystem(store, actors, { agent = worker, ...options } = {}) {
  const system = await createSystem({ agents: [agent], store, ...options }).start();
  const addresses = [];
  for (let first = 0; first < actors; first += SPAWNS_IN_FLIGHT) {
    const ids = Array.from({ length: Math.min(SPAWNS_IN_FLIGHT, actors - first) }, (_, i) => workerId(first + i));
    const spawned = await Promise.all(ids.map((id) => system.spawn(agent, id, { input: { id } })));
    addresses.push(...spawned.map(({ address }) => address));
  }
  await system.idle();
  return { system, addresses };
}

/** Plain XState actors, started, in memory. */
export function plainWorkers(actors, machine = workerMachine) {
  return Array.from({ length: actors }, (_, index) => createActor(machine, { input: { id: workerId(index) } }).start());
}

/**
 * Checks that two populations did the same work: what a benchmark does not check, it does not measure.
 *
 * @throws Error naming the first worker that differs. /
 */
export async function assertSameWork(system, addresses, plain) {
  assertSameStates(await Promise.all(addresses.map((address) => system.snapshot(address))), plain);
}

/** Checks the same for states known only by value and context. */
export function assertSameStates(states, plain) {
  plain.forEach((actor, index) => {
    const expected = actor.getSnapshot();
    const seen = JSON.stringify([states[index].value, states[index].context]);
    const wanted = JSON.stringify([expected.value, expected.context]);
    if (seen !== wanted) throw new Error(`${workerId(index)} is ${seen}, on plain XState ${wanted}`);
  });
}
