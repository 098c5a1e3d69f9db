/** R3: messages between agents. They need no sync of their own: sender and receiver are in the same epochs. */
import { join } from 'node:path';
import { createActor } from 'xstate';
import { createSystem } from '../../dist/index.js';
import { ring, ringMachine } from '../machines.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

/** Plain XState delivers depth first: every hop of a token is a level deeper on the stack. */
const HOPS_PER_TOKEN = 200;

export const hops = {
  name: 'R3',
  title: 'Internal hops',
  about: ({ relays, tokens, starts }) =>
    `A ring of ${relays.toLocaleString('en')} actors, ${tokens} tokens at a time of ${HOPS_PER_TOKEN} hops each, ` +
    `${(tokens * HOPS_PER_TOKEN * starts).toLocaleString('en')} hops a round. **durable**: epochs on LevelDB, until all is durable. ` +
    '**memory**: the same machines and events under `createActor`.',
  sizes: {
    full: { relays: 1_000, tokens: 100, starts: 5 },
    quick: { relays: 50, tokens: 10, starts: 1 },
  },
  ratios: [{ name: 'durable / memory, hops per second', of: ({ durable, memory }) => durable.perSecond / memory.perSecond }],

  async open({ relays, tokens, starts }, directory) {
    const { store, seen } = watchedStore(join(directory, 'durable'));
    const system = await createSystem({ agents: [ring], store }).start();
    const { address } = await system.spawn(ring, 'ring', { input: { relays } });
    const plain = createActor(ringMachine, { input: { relays } }).start();
    const start = { type: 'ring.start', tokens, hops: HOPS_PER_TOKEN };
    const count = starts * tokens * HOPS_PER_TOKEN;
    const durable = async () => {
      const before = seen.writes;
      const startMs = performance.now();
      for (let started = 0; started < starts; started++) {
        await system.send(address, start);
        await system.idle();
      }
      return { perSecond: (count * 1_000) / (performance.now() - startMs), hopsPerEpoch: count / (seen.writes - before) };
    };
    const memory = () => {
      const startMs = performance.now();
      for (let started = 0; started < starts; started++) plain.send(start);
      return { perSecond: (count * 1_000) / (performance.now() - startMs) };
    };
    const round = inTurn({ durable, memory });
    let expected = 0;
    return {
      subject: durable,
      async round() {
        const sample = await round();
        expected += count;
        assertHops(expected, { durable: durableHops(system, address), memory: plainHops(plain) });
        return sample;
      },
      close: () => system.stop(),
    };
  },
};

function durableHops(system, address) {
  return sum(system.tree(address).children.map((child) => system.snapshot(child.address).context.hops));
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
