/** G17: the effect of one very busy actor on quiet ones. */
import { join } from 'node:path';
import { createSystem } from '../../dist/index.js';
import { hog, quiet } from '../machines.mjs';
import { percentile } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

/**
 * Messages per order to the busy actor. A host may leave 10,000 unread in a mailbox; an actor's sends to itself are not
 * bounded, so the actor is told to fill its own.
 */
const MESSAGES_PER_ORDER = 1_000;

export const fairness = {
  name: 'G17',
  title: 'Fairness',
  about: ({ clients, calmSends, queued }) =>
    `${clients} actors have a client each, who sends, one event outstanding, ${calmSends.toLocaleString('en')} ` +
    'in all: **calm**. Then one more actor fills its own mailbox ' +
    `with ${queued.toLocaleString('en')} messages, durably (a host's sends are refused above 10,000 unread, an ` +
    `actor's to itself are not); from when the last is in it until the last is ` +
    'processed the clients go on: **beside**. All on LevelDB. Whoever was sent events must have counted as many.',
  sizes: {
    full: { clients: 100, calmSends: 20_000, queued: 1_000_000 },
    quick: { clients: 10, calmSends: 200, queued: 20_000 },
  },
  ratios: [
    {
      name: 'fairness: ack p99 of 100 quiet actors beside one with 1,000,000 queued messages',
      of: ({ beside, calm }) => beside.ackP99Ms / calm.ackP99Ms,
      atMost: 4,
      aim: 3,
    },
    { name: 'ack p50 of the same', of: ({ beside, calm }) => beside.ackP50Ms / calm.ackP50Ms },
  ],

  async open({ clients, calmSends, queued }, directory) {
    const { store } = watchedStore(join(directory, 'durable'));
    const system = await createSystem({ agents: [hog, quiet], store }).start();
    const { address } = await system.spawn(hog, 'hog');
    const counts = new Map();
    for (let index = 0; index < clients; index++) counts.set((await system.spawn(quiet, `quiet-${index}`)).address, 0);
    await system.idle();
    const emitted = await wordsOf(system);
    let processed = 0;
    const calm = async () => {
      // Not measured: the fold's backlog from the previous round would make the calm look worse than it is.
      await chat(system, counts, (sent) => sent >= calmSends);
      return latency(await chat(system, counts, (sent) => sent >= calmSends));
    };
    const beside = async () => {
      const isQueued = emitted('hog.queued');
      const orders = queued / MESSAGES_PER_ORDER;
      await Promise.all(
        Array.from({ length: orders }, (_, order) =>
          system.send(address, { type: 'hog.queue', count: MESSAGES_PER_ORDER, isLast: order === orders - 1 }),
        ),
      );
      await isQueued;
      const isOver = emitted('hog.over');
      let over = false;
      const startMs = performance.now();
      const talk = chat(system, counts, () => over);
      await isOver;
      const ms = performance.now() - startMs;
      over = true;
      const latencies = await talk;
      await assertCounts(system, counts, address, (processed += queued));
      return { ...latency(latencies), acks: latencies.length, hogPerSecond: (queued * 1_000) / ms };
    };
    return {
      subject: beside,
      async round() {
        globalThis.gc?.();
        return { calm: await calm(), beside: await beside() };
      },
      close: () => system.stop(),
    };
  },
};

/** @returns A function that resolves at the next emitted event of a type. */
async function wordsOf(system) {
  const waiting = new Map();
  await system.onEmitted((_, { type }) => {
    waiting.get(type)?.();
    waiting.delete(type);
  });
  return (type) => new Promise((resolve) => waiting.set(type, resolve));
}

/** A client for each actor, which sends one event after the other. @returns Milliseconds until each acknowledgement. */
async function chat(system, counts, isOver) {
  const latencies = [];
  let sent = 0;
  const client = async (address) => {
    do {
      sent += 1;
      counts.set(address, counts.get(address) + 1);
      const startMs = performance.now();
      await system.send(address, { type: 'quiet.note' });
      latencies.push(performance.now() - startMs);
    } while (!isOver(sent));
  };
  await Promise.all([...counts.keys()].map(client));
  return latencies;
}

function latency(timesMs) {
  return { ackP50Ms: percentile(timesMs, 0.5), ackP99Ms: percentile(timesMs, 0.99) };
}

async function assertCounts(system, counts, address, processed) {
  for (const [actor, expected] of [...counts, [address, processed]]) {
    const { count } = (await system.snapshot(actor)).context;
    if (count !== expected) throw new Error(`${actor} has counted ${count} of ${expected}`);
  }
}
