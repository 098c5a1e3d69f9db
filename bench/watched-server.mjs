/**
 * The gateway of the row about watchers of a window, in a process of its own: a desk with a large table, and changes of
 * its rows. Controlled by messages: `{ id, ask, ... }` is answered with `{ id, ... }`. Ends when its parent does.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { createGateway } from '../dist/gateway/index.js';
import { createSystem, defineAgent, memoryStore, table, window } from '../dist/index.js';
import { profiler } from './profile.mjs';

/** Changes in flight in a burst: far below the bound of a mailbox. */
const AT_ONCE = 100;

const keyOf = (n) => String(n).padStart(6, '0');
const rowOf = (n, note) => ({
  ...{ id: `item-${n}`, number: n, kind: 'G4', title: `May item ${n} go on to the next stage of the plan?`, note },
  ...{ stage: 'valuation', audience: ['ada', 'bob'], openedAtMs: 1_767_225_600_000 + n, deadlineAtMs: null },
  ...{ askedBy: `crew/lead/items/item-${n}`, isOver: false, proposal: 'Buy at 182, as the plan says' },
});

const desk = defineAgent({
  name: 'desk',
  machine: setup({}).createMachine({
    context: { items: table() },
    on: {
      fill: {
        actions: assign({
          items: ({ event }) => table(Array.from({ length: event.count }, (_, n) => [keyOf(n), rowOf(n, '')])),
        }),
      },
      put: {
        actions: assign({
          items: ({ context, event }) => context.items.set(keyOf(event.n), rowOf(event.n, event.note)),
        }),
      },
    },
  }),
  events: { fill: z.object({ count: z.number() }), put: z.object({ n: z.number(), note: z.string() }) },
});

const item = z.object({
  ...{ id: z.string(), number: z.int(), kind: z.string(), title: z.string(), note: z.string() },
  ...{ stage: z.string().nullable(), audience: z.array(z.string()), openedAtMs: z.number() },
  ...{ deadlineAtMs: z.number().nullable(), askedBy: z.string(), isOver: z.boolean(), proposal: z.string() },
});

const procedures = {
  'items.all': window({
    means: 'All items.',
    params: z.object({}),
    row: item,
    of: { address: 'desk', table: 'items' },
    shows: (row) => row,
    example: { p: {}, r: { rows: {}, size: 0, next: null, isReverse: false } },
  }),
};

const { rows, tokens } = JSON.parse(process.argv[2]);
const tree = { children: [{ id: 'desk', agent: 'desk' }] };
const system = await createSystem({ agents: [desk], store: memoryStore(), durability: 'memory', tree }).start();
await system.send('desk', { type: 'fill', count: rows });
const gateway = createGateway(system, { port: 0, procedures, tokens });
const { url } = await gateway.listen();
const profile = profiler();
let changes = 0;

/** Changes a row of the first pages, each page in turn. */
function change({ pages, limit }) {
  const number = changes++;
  const page = number % pages;
  const n = page * limit + (Math.floor(number / pages) % limit);
  return system.send('desk', { type: 'put', n, note: `change-${number}.` });
}

const ASKS = {
  cpu: () => ({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }),
  burst: async ({ count, ...where }) => {
    for (let begun = 0; begun < count; begun += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - begun) }, () => change(where)));
    return { changes };
  },
  paced: async ({ count, everyMs, ...where }) => {
    await new Promise((resolve) => {
      let left = count;
      const beat = setInterval(() => {
        void change(where);
        if (--left > 0) return;
        clearInterval(beat);
        resolve();
      }, everyMs);
    });
    return { changes };
  },
  beginProfile: () => profile.begin(),
  endProfile: async () => ({ profile: await profile.end() }),
};

process.on('message', ({ id, ask, ...rest }) => {
  Promise.resolve(ASKS[ask](rest)).then((answer) => process.send({ id, ...answer }));
});
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
process.send({ url: url.replace('http', 'ws'), keys: Array.from({ length: rows }, (_, n) => keyOf(n)) });
