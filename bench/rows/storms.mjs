/**
 * S2 and S3: restarts per second. In rounds, some children of a Boss fail at once, and the next round begins when all
 * of them have begun anew and that is durable. A restart is everything between: the failure, the Boss's decision and
 * record, the start from the initial state, and the event delivered once more, which then succeeds. Erlang's loses the
 * message. Both count restarts in a window of a second; Erlang's is a list that every restart walks, so it gets a new
 * supervisor, off the clock, every thousand restarts.
 *
 * One Boss waits for the disk in every round, so the row has several Bosses in rounds of their own too, as throughput
 * with work outstanding; Erlang has as many supervisors then.
 */
import { join } from 'node:path';
import { brittleSystem, plainSupervisor } from '../brittle.mjs';
import { HAS_OTP, OTP_WORDS, startOtp } from '../otp.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

export const smallStorm = storm({
  name: 'S2',
  title: 'Restarts, 10 of 10 at once',
  full: { bosses: 32, children: 10, killed: 10, rounds: 200, roundsTogether: 20 },
  quick: { bosses: 4, children: 10, killed: 10, rounds: 5, roundsTogether: 3 },
});

export const largeStorm = storm({
  name: 'S3',
  title: 'Restarts, 200 of 1,000 at once',
  full: { bosses: 4, children: 1_000, killed: 200, rounds: 10, roundsTogether: 5 },
  quick: { bosses: 2, children: 50, killed: 10, rounds: 5, roundsTogether: 3 },
});

function storm({ name, title, full, quick }) {
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
              atLeast: 1,
            },
            {
              name: 'durable / otp, together',
              of: (sample) => sample['durable together'].perSecond / sample['otp together'].perSecond,
              atLeast: 1,
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
    // Ready is not all: without this the events delivered once more would go unmeasured.
    await system.idle();
    const ms = performance.now() - startMs;
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    const done = count * each * killed;
    assertRestarts((restarts += done));
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

/** Rounds one after the other, each of the children next in turn. */
async function rush(rounds, killed, children, strike) {
  for (let round = 0; round < rounds; round++) {
    await strike(Array.from({ length: killed }, (_, index) => (round * killed + index) % children));
  }
}
