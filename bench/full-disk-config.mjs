/** The system of bench/full-disk.mjs, for `bosun serve`: each client has an actor, which knows what it was sent. */
import { defineAgent } from 'bosun';
import { assign, setup } from 'xstate';
import { z } from 'zod';

const ANY = { burst: 1e9, perSecond: 1e9 };
const clients = Number(process.env.FULL_DISK_CLIENTS);

/** Adds a number to ascending ranges without gaps. Returns undefined for one that is there. */
function added(ranges, n) {
  const at = ranges.findLastIndex(([from]) => from <= n);
  if (at >= 0 && n <= ranges[at][1]) return undefined;
  const isNext = at >= 0 && ranges[at][1] === n - 1;
  const isBefore = ranges[at + 1]?.[0] === n + 1;
  const from = isNext ? ranges[at][0] : n;
  const to = isBefore ? ranges[at + 1][1] : n;
  return [...ranges.slice(0, isNext ? at : at + 1), [from, to], ...ranges.slice(isBefore ? at + 2 : at + 1)];
}

const ledger = defineAgent({
  name: 'ledger',
  machine: setup({}).createMachine({
    context: { ranges: [], doubles: 0 },
    on: {
      add: {
        actions: assign(({ context: { ranges, doubles }, event: { n } }) => {
          const more = added(ranges, n);
          return more === undefined ? { doubles: doubles + 1 } : { ranges: more };
        }),
      },
    },
  }),
  events: { add: z.object({ n: z.number(), text: z.string() }) },
});

export default {
  agents: [ledger],
  tree: { children: Array.from({ length: clients }, (_, n) => ({ id: `ledger-${n}`, agent: 'ledger' })) },
  gateway: {
    rate: ANY,
    connectRate: ANY,
    tokens: Array.from({ length: clients }, (_, n) => ({
      id: `client-${n}`,
      token: `token-of-client-${n}-0123456789`,
    })),
  },
};
