/**
 * S4: a dynamic Boss whose children all fail at once, by one event that all of them get in the same turn of a herald.
 * Measured are the time until all have restarted durably, and the waits of clients of uninvolved siblings meanwhile.
 * `dynamic` is OTP's simple_one_for_one. The event is in ten thousand mailboxes, and so on disk, before the first child
 * fails.
 */
import { join } from 'node:path';
import { plainSupervisor } from '../brittle.mjs';
import { herdSystem } from '../herd.mjs';
import { HAS_OTP, OTP_WORDS, startOtp } from '../otp.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

export const avalanche = {
  name: 'S4',
  title: 'All children of a dynamic Boss at once',
  about: ({ children, siblings, calmSends, clients }) =>
    `${children.toLocaleString('en')} children of one dynamic Boss get one event in one turn (\`publish\`) and ` +
    `all fail in an \`assign\`. **durable**: on LevelDB, until ` +
    `every one has begun anew and that is on disk. Meanwhile ${clients} clients send to ${siblings} siblings ` +
    'under the same Boss, one event outstanding each: ' +
    `their acknowledgement, beside that of ${calmSends.toLocaleString('en')} such sends just before, ` +
    `undisturbed. **memory**: \`createActor\`, a failed actor replaced ` +
    `by a new one. ${OTP_WORDS}`,
  sizes: {
    full: { children: 10_000, siblings: 100, calmSends: 1_000, clients: 4 },
    quick: { children: 100, siblings: 5, calmSends: 20, clients: 2 },
  },
  ratios: [
    ...(HAS_OTP ? [{ name: 'otp / durable, time', of: ({ durable, otp }) => otp.ms / durable.ms, atLeast: 1 }] : []),
    { name: 'memory / durable, time', of: ({ durable, memory }) => memory.ms / durable.ms },
    {
      name: "siblings' acknowledgement meanwhile / undisturbed, p99",
      of: ({ durable }) => durable.ackP99Ms / durable.undisturbedAckP99Ms,
    },
  ],

  async open({ children, siblings, calmSends, clients }, directory) {
    const { store, seen } = watchedStore(join(directory, 'durable'));
    const { system, avalanche, note, assertRestarts } = await herdSystem(store, { children, siblings });
    const plain = plainSupervisor(children);
    const everyone = Array.from({ length: children }, (_, index) => index);
    const otp = await startOtp(directory);
    let rounds = 0;
    const durable = async () => {
      const calm = await chat({ note, siblings, clients, until: (sent) => sent >= calmSends });
      await system.idle();
      const before = seen.writes;
      let isOver = false;
      const talk = chat({ note, siblings, clients, until: () => isOver });
      const startMs = performance.now();
      await avalanche();
      const ms = performance.now() - startMs;
      isOver = true;
      const disturbed = await talk;
      await system.idle();
      await assertRestarts((rounds += 1));
      return {
        ms,
        ackP50Ms: percentile(disturbed, 0.5),
        ackP99Ms: percentile(disturbed, 0.99),
        undisturbedAckP50Ms: percentile(calm, 0.5),
        undisturbedAckP99Ms: percentile(calm, 0.99),
        acksMeanwhile: disturbed.length,
        restartsPerEpoch: children / (seen.writes - before),
      };
    };
    const memory = () => {
      const startMs = performance.now();
      plain.strike(everyone);
      return { ms: performance.now() - startMs };
    };
    return {
      subject: durable,
      round: inTurn({ durable, ...(otp && { otp: () => otp.ask('avalanche', children) }), memory }),
      async close() {
        otp?.close();
        await system.stop();
      },
    };
  },
};

/**
 * Clients that send one event after the other to siblings in turn. @returns Milliseconds until each acknowledgement.
 */
async function chat({ note, siblings, clients, until }) {
  const latencies = [];
  let sent = 0;
  const client = async () => {
    do {
      const startMs = performance.now();
      await note(sent++ % siblings);
      latencies.push(performance.now() - startMs);
    } while (!until(sent));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return latencies;
}
