/** G3, G4 and G5: events from outside, acknowledged once they are on disk. The rows that say what durability costs. */
import { join } from 'node:path';
import { floor } from '../floor.mjs';
import { durableLoad, plainLoad, SESSIONS } from '../load.mjs';
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
      atLeast: 4,
      aim: 7,
    },
    {
      goal: 'G5',
      name: 'durable inputs, against send + getPersistedSnapshot + JSON + put sync',
      of: ({ durable, naive }) => durable.perSecond / naive.perSecond,
      atLeast: 120,
      aim: 300,
    },
    {
      name: 'the floor (bare), against in-memory createActor',
      of: ({ bare, memory }) => bare.perSecond / memory.perSecond,
    },
    {
      name: 'the floor with its checks (checked), against in-memory createActor',
      of: ({ checked, memory }) => checked.perSecond / memory.perSecond,
    },
    {
      name: 'durable inputs, against the floor with its checks',
      of: ({ durable, checked }) => durable.perSecond / checked.perSecond,
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
    { name: 'durable inputs with a 150-byte context, against in-memory createActor', of: ofMemory, atLeast: 3, aim: 5 },
  ],
});

/** Without `naiveInputs` in its sizes a row has no naive contender. */
function inputsRow({ name, title, agent, machine, words, full, quick, ratios }) {
  return {
    name,
    title,
    about: ({ actors, outstanding, naiveInputs }) =>
      `${actors.toLocaleString('en')} actors of four states, random actor, every event changes its ` +
      `state.${words} **durable**: \`system.send\` ` +
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
    open: (size, directory) => openInputs(size, directory, { agent, machine }),
  };
}

function ofMemory({ durable, memory }) {
  return durable.perSecond / memory.perSecond;
}

async function openInputs({ actors, outstanding, inputs: count, naiveInputs }, directory, { agent, machine }) {
  const { store, seen } = watchedStore(join(directory, 'durable'));
  const { system, addresses } = await workerSystem(store, actors, { agent });
  const plain = plainWorkers(actors, machine);
  const naive =
    naiveInputs === undefined
      ? undefined
      : await naiveContender(join(directory, 'naive'), { actors, count: naiveInputs });
  const floors =
    naive === undefined ? {} : { bare: await floorOf('bare', false), checked: await floorOf('checked', true) };
  const durable = durableLoad({ system, addresses, seen, outstanding, count });
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
      assertSameWork(system, addresses, plain);
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
