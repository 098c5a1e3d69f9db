/** W8: twenty watchers of a window of a large table: the processor time that they cost the server for each change. */
import { setTimeout as wait } from 'node:timers/promises';
import { startClients, startWatched } from '../gateway.mjs';
import { inTurn } from '../rounds.mjs';

const LIMIT = 100;
const EVERY_MS = 20;
/** Twice the pause between two readings of a window: afterwards every watcher has the last change. */
const SETTLED_MS = 600;
const GOAL_MS = 0.2;

const tokens = (count) =>
  Array.from({ length: count }, (_, n) => ({ id: `watcher-${n}`, token: `the-token-of-watcher-${n}` }));

export const watchers = {
  name: 'W8',
  title: 'Many watchers of a window',
  about: ({ clients, rows, burst, paced }) =>
    `A desk with a table of ${rows.toLocaleString('en')} rows behind a gateway, in a process of its own; ${clients} ` +
    `clients in another, each with a token of its own and equal rights, watch ${LIMIT} rows. **same**: all of them ` +
    `the first page. **pages**: each another page. **none**: nobody watches. ${burst.toLocaleString('en')} changes ` +
    `of shown rows as fast as the desk takes them (**burst**), then ${paced.toLocaleString('en')} of them, one every ` +
    `${EVERY_MS} ms (**paced**). The figure is the processor time of the server for each change, beyond that of the ` +
    'same changes in the same round without watchers, for all watchers together.',
  sizes: {
    full: { clients: 20, rows: 10_000, burst: 2_000, paced: 500 },
    quick: { clients: 20, rows: 10_000, burst: 500, paced: 100 },
  },
  ratios: [
    { name: 'same, paced', of: extra('same', 'pacedMs'), atMost: GOAL_MS, unit: ' ms' },
    { name: 'same, burst', of: extra('same', 'burstMs'), atMost: GOAL_MS, unit: ' ms' },
    { name: 'pages, paced', of: extra('pages', 'pacedMs'), unit: ' ms' },
    { name: 'pages, burst', of: extra('pages', 'burstMs'), unit: ' ms' },
  ],

  async open({ clients, rows, burst, paced }) {
    const server = await startWatched({ rows, tokens: tokens(clients) });
    const { url, keys } = server.facts;
    const pagesOf = { same: 1, pages: clients };
    const topics = (pages) =>
      Array.from({ length: clients }, (_, n) => `window/items.all?limit=${LIMIT}&after=${keys[(n % pages) * LIMIT]}`);
    const crowds = {};
    for (const [kind, pages] of Object.entries(pagesOf))
      crowds[kind] = await startClients({ kind: 'watchers', url, tokens: tokens(clients), topics: topics(pages) });
    /** The processor time of the server for each change, in ms. */
    const cost = async (way, { count, ...options }) => {
      const before = (await server.ask('cpu')).cpuMicros;
      const { changes } = await server.ask(way, { count, limit: LIMIT, ...options });
      await wait(SETTLED_MS);
      return { ms: ((await server.ask('cpu')).cpuMicros - before) / 1_000 / count, changes };
    };
    const both = async (pages) => {
      const inBurst = await cost('burst', { count: burst, pages });
      const atPace = await cost('paced', { count: paced, pages, everyMs: EVERY_MS });
      return { burstMs: inBurst.ms, pacedMs: atPace.ms, changes: atPace.changes };
    };
    const watched = (kind) => async () => {
      const pages = pagesOf[kind];
      await crowds[kind].ask('begin');
      const { burstMs, pacedMs, changes } = await both(pages);
      const { last, frames } = await crowds[kind].ask('end');
      // Every page has been changed by one of the last changes, and its watchers know that.
      const late = last.filter((one) => one < changes - pages);
      if (late.length > 0) throw new Error(`${late.length} watchers have not been told the last change`);
      return { burstMs, pacedMs, frames };
    };
    const subject = watched('same');
    return {
      subject,
      profiler: server.profiler,
      round: inTurn({
        none: async () => {
          const { burstMs, pacedMs } = await both(1);
          return { burstMs, pacedMs };
        },
        same: subject,
        pages: watched('pages'),
      }),
      close() {
        for (const crowd of Object.values(crowds)) crowd.end();
        server.end();
      },
    };
  },
};

function extra(kind, metric) {
  return (sample) => sample[kind][metric] - sample.none[metric];
}
