/**
 * The load of the rows that saturate a system: clients that pipeline, as a gateway's connections do, and send as fast
 * as they are acknowledged.
 */
import { workload } from './machines.mjs';
import { percentile } from './statistics.mjs';

/** Dedupe is on: every send has its place in one of these. */
export const SESSIONS = 64;

/** Latency is taken of every so many sends: enough for a p99, too few to cost. */
const LATENCY_EVERY = 16;

/**
 * @param outstanding Sends that wait for their acknowledgement at a time.
 * @param count Sends of one run.
 * @param seen Counters of the store; see stores.mjs.
 * @returns A contender: runs until all is acknowledged and processed. Its events go on where those of the run before
 *   ended.
 */
export function durableLoad({ system, addresses, seen, outstanding, count }) {
  const next = workload(addresses.length);
  const sequences = new Uint32Array(SESSIONS);
  return async () => {
    const before = { ...seen };
    const latencies = [];
    let sent = 0;
    const client = async (index) => {
      const session = index % SESSIONS;
      const id = `client-${session}`;
      while (sent < count) {
        const isTimed = sent++ % LATENCY_EVERY === 0;
        const { actor, event } = next();
        const startMs = isTimed ? performance.now() : 0;
        await system.send(addresses[actor], event, { session: { id, sequence: ++sequences[session] } });
        if (isTimed) latencies.push(performance.now() - startMs);
      }
    };
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await Promise.all(Array.from({ length: outstanding }, (_, index) => client(index)));
    // Acknowledged is not processed: without this a backlog would go unmeasured.
    await system.idle();
    const seconds = (performance.now() - startMs) / 1_000;
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    return {
      perSecond: count / seconds,
      ackP50Ms: percentile(latencies, 0.5),
      ackP99Ms: percentile(latencies, 0.99),
      cpuMicrosPerInput: (user + kernelSpace) / count,
      inputsPerEpoch: count / (seen.writes - before.writes),
      journalBytesPerInput: (seen.journalBytes - before.journalBytes) / count,
      storedBytesPerInput: (seen.bytes - before.bytes) / count,
    };
  };
}

/** The same events for plain XState actors. */
export function plainLoad(plain, count) {
  const next = workload(plain.length);
  return () => {
    const startMs = performance.now();
    for (let sent = 0; sent < count; sent++) {
      const { actor, event } = next();
      plain[actor].send(event);
    }
    return { perSecond: (count * 1_000) / (performance.now() - startMs) };
  };
}
