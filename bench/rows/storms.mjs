/**
 * S2 and S3: restarts per second. In each round some children of a Boss fail at once, and the next round begins when
 * all of them have restarted durably. A restart includes the failure, the Boss's decision and record, the start from
 * the initial state, and the redelivery of the event, which then succeeds. Erlang loses the message. Both count
 * restarts in a window of a second; Erlang's window is a list that every restart walks, so it gets a new supervisor,
 * which is not measured, every thousand restarts.
 *
 * One Boss waits for the disk in every round, so the row also has several Bosses in rounds of their own, as throughput
 * with work outstanding; Erlang then has as many supervisors.
 */
import { join } from 'node:path';
import { brittleSystem, plainSupervisor } from '../brittle.mjs';
import { HAS_OTP, OTP_WORDS, startOtp } from '../otp.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

export const smallStorm = storm({
  name: 'S2',
  title: 'Restarts, 10 of 10 at once',
  goal: { atLeast: 0.1, aim: 0.3 },
  full: { bosses: 32, children: 10, killed: 10, rounds: 200, roundsTogether: 20 },
  quick: { bosses: 4, children: 10, killed: 10, rounds: 5, roundsTogether: 3 },
});

export const largeStorm = storm({
  name: 'S3',
  title: 'Restarts, 200 of 1,000 at once',
  goal: { atLeast: 0.35, aim: 0.5 },
  full: { bosses: 4, children: 1_000, killed: 200, rounds: 10, roundsTogether: 5 },
  quick: { bosses: 2, children: 50, killed: 10, rounds: 5, roundsTogether: 3 },
});

/** @param row.goal The goal for restarts a second against Erlang's, which writes nothing: see docs/benchmarks.md. */
function storm({ name, title, goal, full, quick }) {
  return {
    name,
    title,
    about: ({ bosses, children, killed, rounds, roundsTogether }) =>
      `${killed} of ${children.toLocaleString('en')} children of a Boss (one_for_one) fail at once in an ` +
      `\`assign\`, ${rounds} rounds one after the other; ` +
      `**together**: ${bosses} Bosses at once, ${roundsTogether} rounds each. **durable**: on LevelDB, a round ` +
      'is over when all that failed have begun anew and ' +
      `that is on disk. **memory**: \`createActor\`, a failed actor replaced by a new one, nothing counted or ` +
      `delivered again. ${OTP_WORDS}`,
    sizes: { full, quick },
    ratios: [
      ...(HAS_OTP
        ? [
            {
              name: 'durable / otp, restarts per second',
              of: (sample) => sample.durable.perSecond / sample.otp.perSecond,
              ...goal,
            },
            {
              name: 'durable / otp, together',
              of: (sample) => sample['durable together'].perSecond / sample['otp together'].perSecond,
              ...goal,
            },
          ]
        : []),
      {
        name: 'durable / memory, restarts per second',
        of: (sample) => sample.durable.perSecond / sample.memory.perSecond,
      },
      {
        name: 'durable together / memory',
        of: (sample) => sample['durable together'].perSecond / sample.memory.perSecond,
      },
    ],
    open: (size, directory) => openStorm(size, directory),
  };
}

async function openStorm({ bosses, children, killed, rounds, roundsTogether }, directory) {
  const { store, seen } = watchedStore(join(directory, 'durable'));
  const { system, strike, assertRestarts } = await brittleSystem(store, { bosses, children });
  const plain = plainSupervisor(children);
  const otp = await startOtp(directory);
  let restarts = 0;
  const durable = async (count, each) => {
    const before = { ...seen };
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: count }, (_, boss) => rush(each, killed, children, (indexes) => strike(boss, indexes))),
    );
    // Readiness is not the end: without this, redelivered events would not be measured.
    await system.idle();
    const ms = performance.now() - startMs;
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    const done = count * each * killed;
    await assertRestarts((restarts += done));
    return {
      perSecond: (done * 1_000) / ms,
      cpuMicrosPerRestart: (user + kernelSpace) / done,
      restartsPerEpoch: done / (seen.writes - before.writes),
      journalBytesPerRestart: (seen.journalBytes - before.journalBytes) / done,
    };
  };
  const memory = async () => {
    const startMs = performance.now();
    await rush(rounds, killed, children, (indexes) => plain.strike(indexes));
    return { perSecond: (rounds * killed * 1_000) / (performance.now() - startMs) };
  };
  return {
    subject: () => durable(1, rounds),
    round: inTurn({
      durable: () => durable(1, rounds),
      'durable together': () => durable(bosses, roundsTogether),
      ...(otp && {
        otp: () => otp.ask('storm', 1, children, killed, rounds),
        'otp together': () => otp.ask('storm', bosses, children, killed, roundsTogether),
      }),
      memory,
    }),
    async close() {
      otp?.close();
      await system.stop();
    },
  };
}

/** Consecutive rounds, each with the next children in turn. */
async function rush(rounds, killed, children, strike) {
  for (let round = 0; round < rounds; round++) {
    await strike(Array.from({ length: killed }, (_, index) => (round * killed + index) % children));
  }
}
