/** G8: messages between agents. They need no sync of their own: sender and receiver are in the same epochs. */
import { join } from 'node:path';
import { createActor } from 'xstate';
import { createSystem } from '../../dist/index.js';
import { ring, ringMachine } from '../machines.mjs';
import { nactRing } from '../nact-ring.mjs';
import { ERLANG_WORDS, HAS_OTP, startOtp } from '../otp.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

/** Hops per leg of plain XState, which delivers depth-first: every hop of a token is a level deeper on the stack. */
const HOPS_OF_A_LEG = 200;

export const hops = {
  name: 'G8',
  title: 'Internal hops',
  about: ({ relays, tokens, hops: each }) =>
    `A ring of ${relays.toLocaleString('en')} actors, ${tokens} tokens at a time of ${each.toLocaleString('en')} ` +
    'hops each, ' +
    `${(tokens * each).toLocaleString('en')} hops a round. **durable**: epochs on LevelDB, until all is durable. ` +
    `**memory**: the same machines and events under \`createActor\`, in legs of ${HOPS_OF_A_LEG} hops, because ` +
    'each is a level deeper on its stack. **nact**: its actors, in memory. ' +
    `${ERLANG_WORDS} After every round the hops that the actors have counted must be right.`,
  sizes: {
    full: { relays: 1_000, tokens: 100, hops: 2_000 },
    quick: { relays: 50, tokens: 10, hops: 200 },
  },
  ratios: [
    {
      name: 'durable hops in a ring, against nact in memory',
      of: ({ durable, nact }) => durable.perSecond / nact.perSecond,
      between: { rate: ['durable', 'nact'] },
      atLeast: 0.25,
      aim: 0.4,
    },
    {
      name: 'durable hops in a ring, against createActor in memory',
      of: ({ durable, memory }) => durable.perSecond / memory.perSecond,
      between: { rate: ['durable', 'memory'] },
      atLeast: 1.8,
      aim: 3,
    },
    ...(HAS_OTP
      ? [
          {
            name: 'durable hops in a ring, against Erlang processes in memory',
            of: ({ durable, erlang }) => durable.perSecond / erlang.perSecond,
          },
        ]
      : []),
  ],

  async open({ relays, tokens, hops: each }, directory) {
    const { store, seen } = watchedStore(join(directory, 'durable'));
    const system = await createSystem({ agents: [ring], store }).start();
    const { address } = await system.spawn(ring, 'ring', { input: { relays } });
    await system.idle();
    const plain = createActor(ringMachine, { input: { relays } }).start();
    const nact = nactRing(relays);
    const otp = await startOtp(directory);
    const count = tokens * each;
    const durable = async () => {
      const before = seen.writes;
      const startMs = performance.now();
      await system.send(address, { type: 'ring.start', tokens, hops: each });
      await system.idle();
      return {
        perSecond: (count * 1_000) / (performance.now() - startMs),
        hopsPerEpoch: count / (seen.writes - before),
      };
    };
    const contenders = {
      durable,
      nact: async () => {
        const startMs = performance.now();
        await nact.pass(tokens, each);
        return { perSecond: (count * 1_000) / (performance.now() - startMs) };
      },
      memory: () => {
        const startMs = performance.now();
        for (let done = 0; done < each; done += HOPS_OF_A_LEG)
          plain.send({ type: 'ring.start', tokens, hops: HOPS_OF_A_LEG });
        return { perSecond: (count * 1_000) / (performance.now() - startMs) };
      },
      ...(otp && { erlang: () => erlangRing(otp, { relays, tokens, each }) }),
    };
    const round = inTurn(contenders);
    let expected = 0;
    return {
      subject: durable,
      async round() {
        const sample = await round();
        expected += count;
        const durable = await durableHops(system, address);
        assertHops(expected, { durable, memory: plainHops(plain), nact: nact.hops() });
        return sample;
      },
      async close() {
        otp?.close();
        nact.close();
        await system.stop();
      },
    };
  },
};

/** Erlang's contender. Its processes are new for every round, and their start is not measured. */
async function erlangRing(otp, { relays, tokens, each }) {
  const { perSecond, hops: counted } = await otp.ask('ring', relays, tokens, each);
  assertHops(tokens * each, { erlang: counted });
  return { perSecond };
}

async function durableHops(system, address) {
  const { children } = await system.tree(address);
  const relays = await Promise.all(children.map((child) => system.snapshot(child.address)));
  return sum(relays.map(({ context }) => context.hops));
}

function plainHops(plain) {
  return sum(plain.getSnapshot().context.relays.map((relay) => relay.getSnapshot().context.hops));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function assertHops(expected, counted) {
  for (const [contender, count] of Object.entries(counted)) {
    if (count !== expected) throw new Error(`${contender} made ${count} of ${expected} hops`);
  }
}
