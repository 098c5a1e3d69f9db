/**
 * The load of the rows that saturate a system: clients that pipeline, as a gateway's connections do, and send as fast
 * as their sends are acknowledged.
 */
import { workload } from './machines.mjs';
import { percentile } from './statistics.mjs';

/** Sessions of the load. Deduplication is on: every send has its place in a session. */
export const SESSIONS = 64;

/** One send in so many has its latency measured: enough for a p99, too few to cost. */
const LATENCY_EVERY = 16;

/**
 * @param outstanding Sends that wait for their acknowledgement at a time.
 * @param count Sends of one run.
 * @param seen Counters of the store; see stores.mjs.
 * @returns A contender that runs until all is acknowledged and processed. Its events continue where those of the
 *   previous run ended.
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
    // Acknowledged is not processed: without this a backlog would not be measured.
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

/**
 * The load by `sendMany`: each session has so many events in progress with one promise, and sends as many again when it
 * resolves.
 */
export function batchedLoad({ system, addresses, seen, outstanding, count }) {
  const next = workload(addresses.length);
  const sequences = new Uint32Array(SESSIONS);
  const batch = Math.max(1, Math.floor(outstanding / SESSIONS));
  return async () => {
    const before = { ...seen };
    let sent = 0;
    const client = async (session) => {
      const id = `batches-${session}`;
      while (sent < count) {
        const size = Math.min(batch, count - sent);
        sent += size;
        const requests = Array.from({ length: size }, () => {
          const { actor, event } = next();
          return { to: addresses[actor], event, session: { id, sequence: ++sequences[session] } };
        });
        await system.sendMany(requests);
      }
    };
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await Promise.all(Array.from({ length: SESSIONS }, (_, session) => client(session)));
    await system.idle();
    const seconds = (performance.now() - startMs) / 1_000;
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    return {
      perSecond: count / seconds,
      cpuMicrosPerInput: (user + kernelSpace) / count,
      inputsPerEpoch: count / (seen.writes - before.writes),
      journalBytesPerInput: (seen.journalBytes - before.journalBytes) / count,
    };
  };
}

/** The load for plain XState actors. */
export function plainLoad(plain, count) {
  const next = workload(plain.length);
  return () => {
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    for (let sent = 0; sent < count; sent++) {
      const { actor, event } = next();
      plain[actor].send(event);
    }
    const perSecond = (count * 1_000) / (performance.now() - startMs);
    const { user, system } = process.cpuUsage(cpu);
    return { perSecond, cpuMicrosPerInput: (user + system) / count };
  };
}
