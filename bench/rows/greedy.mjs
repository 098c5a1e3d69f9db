/**
 * W5: the effect on callers of one that takes all that it is allowed, and of one that only reads, the most expensive
 * kind.
 */
import { bosunClient } from '../gateway-clients.mjs';
import { startGreedy } from '../gateway.mjs';
import { latency } from '../statistics.mjs';

const BLOCK_MS = 50;
const PAGE_MS = 5;

const tokenOf = (id) => `the-token-of-${id}-of-the-bench`;
const calmId = (n) => `calm-${n}`;

/** The allowance of a caller in addition to its sends, and the most expensive question. */
const GREEDY = [
  { method: 'actor.send', params: { address: 'greedy', event: { type: 'write' } } },
  { method: 'actor.ask', params: { address: 'greedy', event: { type: 'echo' } } },
];
const DEAREST = [
  { method: 'actor.list', params: { limit: 1_000, agent: 'nobody' } },
  { method: 'actor.tree', params: { address: 'root' } },
  { method: 'actor.list', params: { limit: 1_000 } },
];

export const greedy = {
  name: 'W5',
  title: 'One caller takes all that it may',
  about: ({ callers, everyMs, seconds, actors }) =>
    `A gateway as it is by default, over ${actors.toLocaleString('en')} actors, in a process of its own. ` +
    `${callers} callers send and ask in turn, each every ${everyMs} ms, for ${seconds} s: **calm**. **beside**: the ` +
    'same beside one more in a third process, with 20 connections and 32 calls under way on each, that sends, asks ' +
    'and is refused most of it. **reader**: the same beside one that may only read and asks for the dearest pages. ' +
    '**page**: one caller alone asks for pages of 100 actors, one after the other.',
  sizes: {
    full: { callers: 10, everyMs: 50, seconds: 20, actors: 20_000, pages: 100 },
    quick: { callers: 4, everyMs: 50, seconds: 3, actors: 2_000, pages: 40 },
  },
  ratios: [
    { name: 'send p99 beside / calm', of: ({ beside, calm }) => beside.sendP99Ms / calm.sendP99Ms, atMost: 2 },
    { name: 'ask p99 beside / calm', of: ({ beside, calm }) => beside.askP99Ms / calm.askP99Ms, atMost: 2 },
    {
      name: 'refused to others, one more',
      of: ({ beside, reader }) => 1 + beside.refused + reader.refused,
      atMost: 1,
    },
    {
      name: `send p99 beside a reader / ${BLOCK_MS} ms`,
      of: ({ reader }) => reader.sendP99Ms / BLOCK_MS,
      atMost: 1,
    },
    { name: `a page p99 / ${PAGE_MS} ms`, of: ({ page }) => page.p99Ms / PAGE_MS, atMost: 1 },
  ],

  async open({ callers, everyMs, seconds, actors, pages }) {
    const ids = ['greedy', 'reader', 'page', ...Array.from({ length: callers }, (_, n) => calmId(n))];
    const tokens = ids.map((id) => ({
      id,
      token: tokenOf(id),
      ...(id === 'reader' && { scopes: ['actor:read'] }),
    }));
    const server = await startGreedy('server', { actors, tokens });
    const { url } = server.facts;
    const clients = await Promise.all(
      Array.from({ length: callers }, (_, n) => bosunClient(url, { token: tokenOf(calmId(n)) })),
    );
    const chatted = () => chat(clients, { everyMs, rounds: (seconds * 1_000) / everyMs });
    const besideOne = async (id, calls) => {
      const one = await startGreedy('client', { url, token: tokenOf(id), connections: 20, each: 32, calls });
      const said = await chatted();
      const { taken, refused } = await one.ask('counts');
      await one.end();
      return { ...said, taken, turnedAway: refused };
    };
    const pager = await bosunClient(url, { token: tokenOf('page') });
    return {
      subject: chatted,
      profiler: undefined,
      async round() {
        const calm = await chatted();
        const beside = await besideOne('greedy', GREEDY);
        const reader = await besideOne('reader', DEAREST);
        return { calm, beside, reader, page: await readPages(pager, pages) };
      },
      close: () => server.end(),
    };
  },
};

/** Each client sends and asks in turn, to an actor of its own, at its own pace: a late answer delays nothing else. */
async function chat(clients, { everyMs, rounds }) {
  const times = { send: [], ask: [] };
  let refused = 0;
  const calls = [];
  for (let round = 0; round < rounds; round++) {
    for (const [n, { call }] of clients.entries()) {
      const isSend = round % 2 === 0;
      const startMs = performance.now();
      const event = { type: isSend ? 'write' : 'echo' };
      calls.push(
        call(isSend ? 'actor.send' : 'actor.ask', { address: calmId(n), event }).then(({ ok }) => {
          times[isSend ? 'send' : 'ask'].push(performance.now() - startMs);
          if (!ok) refused += 1;
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(calls);
  const [send, ask] = [latency(times.send), latency(times.ask)];
  return { sendP50Ms: send.p50Ms, sendP99Ms: send.p99Ms, askP50Ms: ask.p50Ms, askP99Ms: ask.p99Ms, refused };
}

async function readPages({ call }, count) {
  const timesMs = [];
  let after;
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    const { ok, r, e } = await call('actor.list', { limit: 100, ...(after != null && { after }) });
    if (!ok) throw new Error(`a page was refused: ${e.code}`);
    timesMs.push(performance.now() - startMs);
    after = r.next;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return latency(timesMs);
}
