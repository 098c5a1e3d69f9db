/** W7: windows of a desk with many open gates: the first page, its changes, and what reading costs the store. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { crewProcedures } from '../../dist/crew.js';
import { createGateway } from '../../dist/gateway/index.js';
import { createSystem } from '../../dist/index.js';
import { DESKS, formOf, gateAgents, gateChildren } from '../../dist/machines/index.js';
import { bosunClient } from '../gateway-clients.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;
const CALLS = 1_000;
const CHANGES = 8;
const HOUR_MS = 3_600_000;
const TOPIC = 'window/gates.open?limit=100';
/** More than all calls of a round, so that no rate slows them. */
const RATE = { burst: 1e6, perSecond: 1e6 };
const OPERATOR = 'the operator of the bench';

const FORM = formOf(z.object({ ok: z.boolean() }));

const questionOf = (n) => ({
  id: `gate-${n}`,
  kind: 'G4',
  title: `May item ${n} go on?`,
  item: `item-${n}`,
  stage: 'valuation',
  proposal: 'Buy at 182, as the plan says',
  package: { item: n },
  audience: ['ada', 'bob'],
  form: FORM,
  remindAfterMs: [],
  deadlineMs: HOUR_MS + ((n * 7_919) % 1_000_000) * 1_000,
  onTimeout: null,
});

async function deskWith(directory, count) {
  await rm(directory, { recursive: true, force: true });
  const { store } = watchedStore(directory);
  const tree = { strategy: 'rest_for_one', children: gateChildren() };
  const system = createSystem({ agents: gateAgents, store, durability: 'process', tree });
  await system.start();
  let next = 0;
  const asker = async () => {
    while (next < count) await system.ask(DESKS.gates, { type: 'gate.open', ...questionOf(next++) });
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, asker));
  await system.idle();
  const gateway = createGateway(system, { port: 0, operator: OPERATOR, procedures: crewProcedures, rate: RATE });
  const { url } = await gateway.listen();
  const heard = { tell: () => {} };
  const told = (frame) => heard.tell(frame);
  const client = await bosunClient(url.replace('http', 'ws'), { token: OPERATOR, told });
  return { system, gateway, client, heard };
}

/** Times a thousand calls one after the other. The system has nothing else to do. */
async function timed(client, method, params) {
  const timesMs = [];
  const cpu = process.cpuUsage();
  let bytes = 0;
  for (let n = 0; n < CALLS; n++) {
    const startMs = performance.now();
    const { r, e } = await client.call(method, params);
    timesMs.push(performance.now() - startMs);
    if (e !== undefined) throw new Error(e.message);
    if (n === 0) bytes = Buffer.byteLength(JSON.stringify(r));
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
    cpuMicros: (user + system) / CALLS,
    bytes,
  };
}

/** Moves the first gates of the window one after the other. @returns The largest patch in bytes. */
async function changes({ client, heard }) {
  let largest = 0;
  const next = () => new Promise((resolve) => (heard.tell = resolve));
  const first = next();
  client.subscribe(TOPIC);
  const { d } = await first;
  const [gate] = Object.keys(d.rows)
    .sort()
    .map((key) => d.rows[key].id);
  for (let n = 0; n < CHANGES; n++) {
    const patch = next();
    const { r } = await client.call('gates.extend', { gate, by: 'ada', byMs: 1 });
    if (r?.taken !== true) throw new Error(`the gate ${gate} was not extended`);
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(await patch)));
  }
  heard.tell = () => {};
  client.socket.send('{"t":"unsub","id":"s"}');
  return largest;
}

async function windowsOf(desk) {
  const { client } = desk;
  const { epoch: before } = (await client.call('system.info', {})).r;
  const page = await timed(client, 'gates.open', { limit: 100 });
  const { epoch: after } = (await client.call('system.info', {})).r;
  return { ...page, changeBytes: await changes(desk), epochsOfCalls: after - before };
}

export const windows = {
  name: 'W7',
  title: 'Windows of a desk with many gates',
  about: ({ few, many }) =>
    `Gates of other deadlines than ids, ${few.toLocaleString('en')} of them (**few**) and ` +
    `${many.toLocaleString('en')} (**many**), each at a desk on LevelDB with a gateway and one client in the same ` +
    `process; ${CALLS.toLocaleString('en')} calls of \`gates.open\` with 100 rows, one at a time, then ${CHANGES} ` +
    'changes of the first gate to a subscriber of that page. **view**: as many `actor.get` of the desk with many ' +
    'gates, the first rows of its tables. Processor time is that of both ends.',
  sizes: { full: { few: 10_000, many: 100_000 }, quick: { few: 1_000, many: 10_000 } },
  ratios: [
    { name: 'a first window of many / 64 KiB', of: ({ many }) => many.bytes / (64 * 1024), atMost: 1 },
    { name: 'a change / 2 KiB', of: ({ many }) => many.changeBytes / (2 * 1024), atMost: 1 },
    { name: 'epochs of 1,000 calls, one more', of: ({ many }) => many.epochsOfCalls + 1, atMost: 1 },
    { name: 'a window of many, p99', of: ({ many }) => many.p99Ms, atMost: 50, unit: ' ms' },
    { name: 'many / few, p50', of: ({ many, few }) => many.p50Ms / few.p50Ms, atMost: 1.5 },
    { name: 'view / window, p50', of: ({ view, many }) => view.p50Ms / many.p50Ms },
    { name: 'view / window, bytes', of: ({ view, many }) => view.bytes / many.bytes },
  ],

  async open({ few, many }, directory) {
    const desks = [await deskWith(join(directory, 'few'), few), await deskWith(join(directory, 'many'), many)];
    const subject = () => windowsOf(desks[1]);
    return {
      subject,
      round: inTurn({
        few: () => windowsOf(desks[0]),
        many: subject,
        view: () => timed(desks[1].client, 'actor.get', { address: DESKS.gates }),
      }),
      async close() {
        for (const { client, gateway, system } of desks) {
          client.socket.terminate();
          await gateway.close();
          await system.stop();
        }
      },
    };
  },
};
