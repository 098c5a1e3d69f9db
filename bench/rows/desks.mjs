/**
 * T5 and T6: the cost of an event to a desk or the coordinator among many others, and the memory kept after items have
 * ended.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { enqueueActions, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent } from '../../dist/index.js';
import {
  COORDINATOR,
  crewAgentsFor,
  crewTree,
  DESKS,
  failureAgents,
  failureDesks,
  normalisePlan,
  planFileSchema,
  stageAgent,
} from '../../dist/machines/index.js';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 16;

/** Calls `act` for each number of a range, some at a time; returns the processor time of each in microseconds. */
async function each({ system }, [from, to], act) {
  const cpu = process.cpuUsage();
  let next = from;
  const worker = async () => {
    while (next < to) await act(next++);
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, worker));
  await system.idle();
  const used = process.cpuUsage(cpu);
  return (used.user + used.system) / (to - from);
}

/** A stand-in for the coordinator that passes on its messages. */
const teller = defineAgent({
  name: 'teller',
  machine: setup({}).createMachine({
    on: {
      tell: {
        actions: enqueueActions(({ event, enqueue, system }) => enqueue.sendTo(system.get(event.to), event.event)),
      },
      '*': {},
    },
  }),
  events: { tell: z.object({ to: z.string(), event: z.any() }) },
});

const alertOf = (n) => ({
  type: 'alert.raise',
  item: `item ${n}`,
  kind: 'item.failed',
  priority: 'HIGH',
  title: `item ${n} failed`,
  detail: 'no ink',
  actions: [],
  data: {},
});

/**
 * Repetitions. The heap of one process varies by some two megabytes even if nothing is kept (compiled code, and code
 * thrown away), so the mean of several counts: memory kept per alert adds up.
 */
const TIMES_AGAIN = 4;

async function heapMb() {
  for (let n = 0; n < 4; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Raises `count` alerts in two halves and acknowledges them in two halves, several times. */
async function alertDesk(directory, count) {
  await rm(directory, { recursive: true, force: true });
  const { store } = watchedStore(directory);
  const children = [{ id: 'teller', agent: 'teller', systemId: DESKS.coordinator }, ...failureDesks];
  const agents = [teller, ...failureAgents];
  const system = createSystem({ agents, store, durability: 'process', tree: { strategy: 'rest_for_one', children } });
  await system.start();
  const raise = (n) => system.send('teller', { type: 'tell', to: DESKS.alerts, event: alertOf(n) });
  const acknowledge = (n) => system.send(DESKS.alerts, { type: 'alert.acknowledge', id: `alert-${n}` });
  const open = async () => (await system.snapshot(DESKS.alerts)).context.rows.count({ below: '1' });
  const expectOpen = async (size) => {
    const found = await open();
    if (found !== size) throw new Error(`${found} alerts are open instead of ${size}`);
  };
  const work = async (from) => {
    const [half, to] = [from + count / 2, from + count];
    const raised = [await each({ system }, [from, half], raise), await each({ system }, [half, to], raise)];
    await expectOpen(count);
    const taken = [await each({ system }, [from, half], acknowledge), await each({ system }, [half, to], acknowledge)];
    await expectOpen(0);
    return { raised, taken, heap: await heapMb() };
  };
  const first = await work(1);
  const second = await work(count + 1);
  let last = second;
  for (let time = 2; time <= TIMES_AGAIN; time++) last = await work(time * count + 1);
  await system.stop();
  return {
    firstHalfCpuMicros: first.raised[0] + first.taken[1],
    secondHalfCpuMicros: first.raised[1] + first.taken[0],
    againCpuMicros: (second.raised[0] + second.raised[1] + second.taken[0] + second.taken[1]) / 2,
    heapGrownMb: (last.heap - first.heap) / TIMES_AGAIN,
  };
}

export const alerts = {
  name: 'T5',
  title: 'Alerts, raised and acknowledged',
  about: ({ alerts }) =>
    `${alerts.toLocaleString('en')} alerts are raised one after the other and acknowledged, then as many again, ` +
    `${TIMES_AGAIN} times ` +
    '(LevelDB, durability `process`). A half with more than half of them open, against the half with fewer.',
  sizes: { full: { alerts: 10_000 }, quick: { alerts: 400 } },
  ratios: [
    {
      name: 'processor time of an alert beside many open ones, against beside few',
      of: ({ desk }) => desk.secondHalfCpuMicros / desk.firstHalfCpuMicros,
      atMost: 1.5,
    },
    { name: 'heap that each further time has left', of: ({ desk }) => desk.heapGrownMb, atMost: 1, unit: ' MB' },
  ],

  async open({ alerts: count }, directory) {
    const desk = () => alertDesk(join(directory, 'alerts'), count);
    return { subject: desk, round: inTurn({ desk }), close: () => Promise.resolve() };
  },
};

/** Work that never ends; the coordinator handles other events beside it. */
const waiting = stageAgent(
  'waiting',
  fromPromise(() => new Promise(() => {})),
);

function planOf(count) {
  const file = {
    version: 1,
    plan: 'bench',
    capacity: { waiting: 5 },
    stages: { only: { agent: 'waiting', duration: 1 } },
    items: Array.from({ length: count }, (_, n) => `item-${n}`),
  };
  return normalisePlan(planFileSchema.parse(file)).plan;
}

/** Pauses and resumes some items of a plan of `count`, one after the other. */
async function coordination(directory, count, { few, events }) {
  await rm(directory, { recursive: true, force: true });
  const { store } = watchedStore(directory);
  const agents = [...crewAgentsFor({}), waiting];
  const system = createSystem({ agents, store, durability: 'process', tree: crewTree(planOf(count)) });
  await system.start();
  await system.idle();
  // The same items in both plans: the first pause of an item starts work that waits with it.
  const item = (n) => `item-${10 + ((n * 7) % (few - 10))}`;
  const order = async (n) => {
    await system.send(COORDINATOR, { type: 'plan.pause', item: item(n) });
    await system.send(COORDINATOR, { type: 'plan.resume', item: item(n) });
  };
  const cpuMicros = await each({ system }, [0, events], order);
  await system.stop();
  return { cpuMicros };
}

export const coordinator = {
  name: 'T6',
  title: 'The coordinator beside many items',
  about: ({ few, many, events }) =>
    `Items are paused and resumed by hand, ${events.toLocaleString('en')} times, the same ones in plans of ` +
    `${few.toLocaleString('en')} and of ${many.toLocaleString('en')} items (the whole crew; LevelDB, durability ` +
    '`process`).',
  sizes: { full: { few: 100, many: 10_000, events: 2_000 }, quick: { few: 100, many: 400, events: 80 } },
  ratios: [
    {
      name: 'processor time of an order beside many items, against beside few',
      of: ({ many, few }) => many.cpuMicros / few.cpuMicros,
      atMost: 1.5,
    },
  ],

  async open(size, directory) {
    const { few, many } = size;
    const subject = () => coordination(join(directory, 'many'), many, size);
    return {
      subject,
      round: inTurn({ many: subject, few: () => coordination(join(directory, 'few'), few, size) }),
      close: () => Promise.resolve(),
    };
  },
};
