/** G3, G4 and G5: events from outside, acknowledged once they are on disk. These rows show the cost of durability. */
import { join } from 'node:path';
import { floor } from '../floor.mjs';
import { batchedLoad, durableLoad, plainLoad, SESSIONS } from '../load.mjs';
import { richWorker, richWorkerMachine, worker, workerMachine, workload } from '../machines.mjs';
import { assertSameStates, assertSameWork, plainWorkers, workerId, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { rawLevel, watchedStore } from '../stores.mjs';

export const inputs = inputsRow({
  name: 'G3',
  title: 'Durable inputs',
  agent: worker,
  machine: workerMachine,
  words: '',
  full: { actors: 10_000, outstanding: 4_000, inputs: 100_000, naiveInputs: 2_000 },
  quick: { actors: 200, outstanding: 80, inputs: 2_000, naiveInputs: 50 },
  ratios: [
    {
      name: 'durable inputs, fsync before ack, dedupe and mailbox journal on, against in-memory createActor',
      of: ofMemory,
      between: { rate: ['durable', 'memory'] },
      atLeast: 1.3,
      aim: 1.7,
    },
    {
      goal: 'G5',
      name: 'durable inputs, against send + getPersistedSnapshot + JSON + put sync',
      of: ({ durable, naive }) => durable.perSecond / naive.perSecond,
      between: { rate: ['durable', 'naive'] },
      atLeast: 50,
      aim: 80,
    },
    {
      name: 'the floor (bare), against in-memory createActor',
      of: ({ bare, memory }) => bare.perSecond / memory.perSecond,
      between: { rate: ['bare', 'memory'] },
    },
    {
      name: 'the floor with its checks (checked), against in-memory createActor',
      of: ({ checked, memory }) => checked.perSecond / memory.perSecond,
      between: { rate: ['checked', 'memory'] },
    },
    {
      name: 'durable inputs, against the floor with its checks',
      of: ({ durable, checked }) => durable.perSecond / checked.perSecond,
      between: { rate: ['durable', 'checked'] },
    },
  ],
});

export const batchedInputs = inputsRow({
  name: 'G3b',
  title: 'Durable inputs, many with one promise',
  agent: worker,
  machine: workerMachine,
  load: batchedLoad,
  words: '',
  full: { actors: 10_000, outstanding: 4_000, inputs: 100_000 },
  quick: { actors: 200, outstanding: 80, inputs: 2_000 },
  ratios: [
    {
      name: 'durable inputs by sendMany, against in-memory createActor',
      of: ofMemory,
      between: { rate: ['durable', 'memory'] },
      atLeast: 1.7,
      aim: 3,
    },
  ],
});

export const richInputs = inputsRow({
  name: 'G4',
  title: 'Durable inputs, 150 bytes of context',
  agent: richWorker,
  machine: richWorkerMachine,
  words: ' The context has an order of some 150 bytes (packed), which one event of four replaces.',
  full: { actors: 10_000, outstanding: 4_000, inputs: 100_000 },
  quick: { actors: 200, outstanding: 80, inputs: 2_000 },
  ratios: [
    {
      name: 'durable inputs with a 150-byte context, against in-memory createActor',
      of: ofMemory,
      between: { rate: ['durable', 'memory'] },
      atLeast: 1,
      aim: 1.5,
    },
  ],
});

/** Without `naiveInputs` in its sizes a row has no naive contender. */
function inputsRow({ name, title, agent, machine, load = durableLoad, words, full, quick, ratios }) {
  return {
    name,
    title,
    about: ({ actors, outstanding, naiveInputs }) =>
      `${actors.toLocaleString('en')} actors of four states, random actor, every event changes its ` +
      `state.${words} **durable**: \`${load === batchedLoad ? 'system.sendMany' : 'system.send'}\` ` +
      `on LevelDB, disk durability, ${outstanding.toLocaleString('en')} sends outstanding over ${SESSIONS} ` +
      'sessions (dedupe on), until everything ' +
      'is acknowledged and processed. **memory**: `createActor(...).send`, same population and events. ' +
      (naiveInputs === undefined
        ? ''
        : '**naive**: per event `send`, `getPersistedSnapshot`, `JSON.stringify`, `put` with sync, one after the ' +
          'other (fewer events). ' +
          '**bare**: the same sends on no system: a function for the machine, a Map of addresses, a promise for ' +
          'each send, a synced value for 500 events; ' +
          '**checked**: and every event and change admitted, packed and chained as Bosun does it. ') +
      'After every round the states of durable and memory are compared.',
    sizes: { full, quick },
    ratios,
    open: (size, directory) => openInputs(size, directory, { agent, machine, load }),
  };
}

function ofMemory({ durable, memory }) {
  return durable.perSecond / memory.perSecond;
}

async function openInputs({ actors, outstanding, inputs: count, naiveInputs }, directory, { agent, machine, load }) {
  const { store, seen } = watchedStore(join(directory, 'durable'));
  const { system, addresses } = await workerSystem(store, actors, { agent });
  const plain = plainWorkers(actors, machine);
  const naive =
    naiveInputs === undefined
      ? undefined
      : await naiveContender(join(directory, 'naive'), { actors, count: naiveInputs });
  const floors =
    naive === undefined ? {} : { bare: await floorOf('bare', false), checked: await floorOf('checked', true) };
  const durable = load({ system, addresses, seen, outstanding, count });
  const besides = { ...(naive && { naive }), ...floors };
  const round = inTurn({
    durable,
    memory: plainLoad(plain, count),
    ...Object.fromEntries(Object.entries(besides).map(([contender, { run }]) => [contender, run])),
  });
  return {
    subject: durable,
    async round() {
      const sample = await round();
      await assertSameWork(system, addresses, plain);
      for (const { states } of Object.values(floors)) assertSameStates(states(), plain);
      return sample;
    },
    async close() {
      await system.stop();
      for (const { close } of Object.values(besides)) await close();
    },
  };

  function floorOf(contender, isChecked) {
    return floor(join(directory, contender), { actors, outstanding, count, isChecked });
  }
}

async function naiveContender(directory, { actors, count }) {
  const database = await rawLevel(directory, { valueEncoding: 'utf8' });
  const plain = plainWorkers(actors);
  const next = workload(actors);
  const run = async () => {
    const startMs = performance.now();
    for (let sent = 0; sent < count; sent++) {
      const { actor, event } = next();
      plain[actor].send(event);
      await database.put(workerId(actor), JSON.stringify(plain[actor].getPersistedSnapshot()), { sync: true });
    }
    return { perSecond: (count * 1_000) / (performance.now() - startMs) };
  };
  return { run, close: () => database.close() };
}
